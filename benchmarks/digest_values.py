"""Answers as plain values without names or prose; names that differ between revisions.

`RENAMED`, `WORDS` and `ADDED` are the only things to edit when a revision has new names or fields:
all calls go through `Named`, and all answers through `plain`.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import html
import json
import re
from collections.abc import Collection, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

#: Names as the questions write them → names in this revision: classes, methods, attributes and
#: keyword arguments. "counterfactual.n" is the argument `n` of `counterfactual` alone; plain
#: "fade" is any name "fade".
RENAMED: dict[str, str] = {
    "circle": "n_reference",
    "fade": "rank_decay",
    "flavour": "terms",
}

#: Words as the questions write them → words in this revision, both as arguments (such as
#: weighting="irw") and in answers (such as "outlier"). Names of exceptions are words too.
WORDS: dict[str, str] = {"centred": "centered"}

#: Fields of results that earlier revisions did not have, by class; answers are told without them.
ADDED: dict[str, set[str]] = {"Feature": {"classes"}}

#: What stands for a text that is prose, and for an object that has no plain values.
PROSE, OBJECT = "…", "<object>"

_RECORDED = {here: there for there, here in WORDS.items()}
#: Numbers with a decimal point, percentages and case numbers; no versions such as 0.1.0.
_NUMBERS = re.compile(r"#\d+|(?<![\d.])\d+\.\d+(?:e[+-]?\d+)?(?!\.?\d)|\d+(?=\s?%)")


class Named:
    """An object whose methods and keyword arguments are called by their recorded names."""

    def __init__(self, value: Any, name: str = "") -> None:
        self.value, self._name = value, name

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.value, RENAMED.get(name, name))
        return Named(found, name) if callable(found) else found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **arguments(self._name, **kwargs))

    def __len__(self) -> int:
        return len(self.value)


def arguments(method: str, **kwargs: Any) -> dict[str, Any]:
    """Keyword arguments of a method as this revision calls them."""
    return {
        RENAMED.get(f"{method}.{key}", RENAMED.get(key, key)): WORDS.get(one, one)
        if isinstance(one, str)
        else one
        for key, one in kwargs.items()
    }


def word(text: str) -> str:
    """The word that was recorded for a word of this revision."""
    return _RECORDED.get(text, text)


def plain(value: Any, names: Collection[str]) -> Any:
    """Nested lists of numbers and words that JSON can hold, the same for the same bits.

    Dataclasses become their values in the order of fields. Of texts, names of features and
    categories stay, and single words; those with spaces are prose.
    """
    simple = _scalar(value, names)
    if simple is not NotImplemented:
        return simple
    if isinstance(value, np.ndarray):
        return _array(value, names)
    if hasattr(value, "fit"):  # a model among the answers is asked by itself
        return OBJECT
    if dataclasses.is_dataclass(value):
        new = ADDED.get(type(value).__name__, set())
        kept = [f.name for f in dataclasses.fields(value) if f.name not in new]
        return [plain(getattr(value, name), names) for name in kept]
    if (columns := _frame(value)) is not None:
        value = columns
    if isinstance(value, Mapping):
        return [[_key(key, names), plain(one, names)] for key, one in value.items()]
    if isinstance(value, Set):
        value = sorted(value, key=repr)
    if isinstance(value, Sequence):
        return [plain(one, names) for one in value]
    return OBJECT


def _scalar(value: Any, names: Collection[str]) -> Any:
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return _text(str(value), names)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, dt.timedelta):
        return f"{value.total_seconds()!r} s"
    if isinstance(value, dt.date | dt.time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, np.datetime64 | np.timedelta64 | Decimal):
        return str(value)
    if isinstance(value, Real):
        return float(value) + 0.0  # −0.0 becomes 0.0
    if isinstance(value, bytes):
        return value.hex()
    return "NA" if type(value).__name__ == "NAType" else NotImplemented


def _text(text: str, names: Collection[str]) -> str:
    if text in names:
        return text
    return PROSE if " " in text else word(text)


def _key(key: Any, names: Collection[str]) -> Any:
    """A key that is a feature, a class or a number; others are names that may change."""
    return PROSE if isinstance(key, str) and key not in names else plain(key, names)


def _array(array: np.ndarray, names: Collection[str]) -> list[Any]:
    kind, shape = array.dtype.kind, list(array.shape)
    if kind in "iu":
        return ["i", shape, array.ravel().tolist()]
    if kind == "f":
        return ["f", shape, (array.ravel().astype(np.float64) + 0.0).tolist()]
    return [kind, shape, [plain(one, names) for one in array.ravel()]]


def _frame(value: Any) -> dict[str, Any] | None:
    """Columns of a dataframe of any library, with their types."""
    module = type(value).__module__.split(".")[0]
    if module == "pandas" and hasattr(value, "columns"):
        return {str(name): [str(value[name].dtype), list(value[name])] for name in value}
    if module == "polars" and hasattr(value, "columns"):
        return {name: [str(value[name].dtype), value[name].to_list()] for name in value.columns}
    if module == "pyarrow":
        return {
            name: [str(column.type), column.to_pylist()]
            for name, column in zip(value.column_names, value.columns, strict=True)
        }
    return None


def page_numbers(page: str) -> list[str]:
    """The numbers that a reader of an HTML page sees, sorted; wording and drawing do not count."""
    page = re.sub(r"<style.*?</style>|<head.*?</head>", " ", page, flags=re.DOTALL)
    page = re.sub(r"<script>.*?</script>", " ", page, flags=re.DOTALL)  # data blocks have a type
    return sorted(_NUMBERS.findall(html.unescape(re.sub(r"<[^>]*>", " ", page))))


def digest(value: Any) -> str:
    """A short name for plain values."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:20]
