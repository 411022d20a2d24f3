"""The model that a command uses, from a file or fitted to a table, and the rows to explain."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click

from vicinal.cli.options import Options, note_missing
from vicinal.exceptions import (
    FeatureError,
    FileError,
    IgnoredColumnWarning,
    ParameterError,
    TableError,
    did_you_mean,
)
from vicinal.formatting.values import format_count, json_value
from vicinal.model.model import Model
from vicinal.schema.roles import ignored_text
from vicinal.schema.schema import Schema
from vicinal.stored_cases import StoredCases
from vicinal.table_files.blocks import Block
from vicinal.table_files.cells import column_of_text, value_as
from vicinal.table_files.formats import is_model
from vicinal.tables.frames import as_frame
from vicinal.tables.table import read_table

HOW_TO_USE = "To use a column, declare it: --categorical NAME."
_HOW_TO_NAME = " To name cases by one: --id NAME."
_FIT_ONLY = ("categorical", "ordinal", "cyclic", "bounds", "id", "neighbors", "power", "seed")


@dataclass(frozen=True, eq=False)
class Selection:
    """The rows that a command is about, what each is called, and how many there are.

    The target is empty if the command predicts nothing. `stored` says that the row is a case of
    the model.
    """

    model: Model
    rows: Any
    numbers: list[Any]
    total: int
    target: str = ""
    stored: bool = False

    def named(self, found: Any) -> Any:
        """Return neighbors or contributions that call the rows by their names."""
        names = tuple(self.numbers)
        return replace(found, queries=names) if self.stored else replace(found, places=names)

    def text(self, found: str, path: str | None) -> str:
        """Return a result as text, or where it went, and how many rows were left out."""
        if path is not None:
            return f"{format_count(len(self.numbers), 'row')}; wrote {path}."
        if self.total == len(self.numbers):
            return found
        first = f"The first {len(self.numbers)} of {self.total} rows; --row N shows another."
        return f"{found}\n\n{first}"


def split_paths(
    paths: str | Sequence[str] | None, options: Options, *, rows: bool = False
) -> tuple[str, str | None]:
    """Separate the file of the model from the file of the rows, for a command that takes `rows`.

    With ``--data`` the arguments hold rows only.
    """
    arguments = [] if paths is None else [paths] if isinstance(paths, str) else list(paths)
    given = [*([] if options.data is None else [options.data]), *arguments]
    if not given:
        raise ParameterError("expected a model file or a table; see --help for examples.")
    if len(given) > 1 + rows:
        raise ParameterError(f"unexpected argument {given[1 + rows]!r}; see --help for examples.")
    if given.count("-") > 1:
        raise ParameterError("standard input can hold only one table; name a file for the other.")
    return given[0], given[1] if len(given) > 1 else None


def fit_or_load(path: str, options: Options, *, on: Any = None) -> tuple[Model, Block | None]:
    """Load a model, or fit one to a table and return that table too.

    A store is searched by this process, or by whoever `on` says; see `vicinal.load`.
    """
    if not is_model(path):
        block = options.read(path)
        table = block.table(options.missing, options.drop)
        with quietly():
            model = new_model(table, options).fit(table, id=options.id)
        if model.schema_.ignored:
            more = _HOW_TO_NAME if options.id is None else ""
            click.echo(f"{ignored_text(model.schema_.ignored)} {HOW_TO_USE}{more}", err=True)
        return model, block
    for name in _FIT_ONLY:
        if getattr(options, name) not in (None, ()):
            raise ParameterError(
                f"--{name} applies only to a table that is fitted; {path} is a fitted model "
                "already."
            )
    return load_model(path, options.jobs, on=on), None


@contextmanager
def quietly() -> Iterator[None]:
    """Fit without a warning about ignored columns, which a command tells in its own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredColumnWarning)
        yield


def load_model(path: str, jobs: int | None = None, *, on: Any = None) -> Model:
    """Load a model file, or a store."""
    from vicinal.loading import load

    model = load(path, on=on)  # whatever is wrong with the file, the message names it
    if not isinstance(model, Model):
        raise FileError(
            f"{path} holds a {type(model).__name__}; expected a Model. Use it from Python, with "
            "vicinal.load."
        )
    if jobs is not None:
        model.n_jobs = jobs
    return model


def target_or_own(model: Model, target: str | None) -> str | None:
    """Return the column to predict: by default the only one that a model was fitted for, if any.

    An unknown name is an error with a suggestion.
    """
    if target is not None:
        model.schema_.column(target)
        return target
    return model.targets_[0] if len(model.targets_) == 1 else None


def new_model(table: Any, options: Options) -> Model:
    """Make a model for a table, not fitted yet."""
    ordinal = {name: _categories(text, table, name) for name, text in pairs(options.ordinal)}
    cyclic = {name: _period(text, name) for name, text in pairs(options.cyclic)}
    bounds = {name: _bounds(text, name) for name, text in pairs(options.bounds)}
    settings: dict[str, Any] = {
        "bounds": bounds or None,
        "categorical_features": list(options.categorical) or None,
        "ordinal_features": ordinal or None,
        "cyclic_features": cyclic or None,
        "missing_values": options.missing,
        "n_neighbors": options.neighbors,
        "p": options.power,
        "random_state": options.seed,
        "n_jobs": options.jobs,
    }
    return Model(**{name: one for name, one in settings.items() if one is not None})


def model_for(
    path: str, options: Options, targets: Sequence[str], *, on: Any = None
) -> tuple[Model, tuple[str, ...]]:
    """Load or fit a model to predict with; without targets, those that it was fitted for."""
    if not targets and not is_model(path):
        raise ParameterError(f"{path} is a table; expected the column to predict: --target NAME.")
    model, _ = fit_or_load(path, options, on=on)
    model.schema_.columns(targets)  # an unknown name is an error with a suggestion
    targets = tuple(targets) or model.targets_
    if not targets:
        raise ParameterError(
            f"expected the column to predict: --target NAME. {path} was not fitted for one."
        )
    return model, targets


def model_for_one(path: str, options: Options, target: str | None) -> tuple[Model, str]:
    """Load or fit a model to predict one target, which must be named if there are several."""
    model, targets = model_for(path, options, () if target is None else (target,))
    if len(targets) > 1:
        raise ParameterError(
            f"{path} was fitted for several targets; name one: --target {' or '.join(targets)}."
        )
    return model, targets[0]


def select_rows(
    paths: Sequence[str],
    target: str | None,
    places: Sequence[int],
    case: str | None,
    given: Sequence[str],
    options: Options,
    *,
    most: int | None,
    predicts: bool = True,
) -> Selection:
    """Find the rows that a command is about: in a file, among the cases, or in its options.

    Without `places`, these are the first `most` rows of the table, or all. A stored case is left
    out of its own answer. A command that predicts has a target, the model's own if none is named.
    """
    source, path = split_paths(paths, options, rows=True)
    if (path is not None) + (case is not None) + bool(given) != 1:
        raise ParameterError(
            "expected one of these: a table of rows after the model, --case NAME, or "
            "--set NAME=VALUE."
        )
    asked = ""
    if predicts:
        model, asked = model_for_one(source, options, target)
    else:
        model, _ = fit_or_load(source, options)
    if case is not None:
        name = model.labels_.of(case_number(model, case))
        return Selection(model, StoredCases([name]), [json_value(name)], 1, asked, stored=True)
    if path is None:
        return Selection(model, named_values(given, model.schema_), [0], 1, asked)
    block = options.read(path)
    note_missing(block, model, [asked])
    total = len(block)
    numbers = list(places) or list(range(total if most is None else min(most, total)))
    taken = block.taken(numbers)
    try:
        rows = taken.rows(model.schema_, options.missing, own=model.labels_.column)
    except TableError:
        if not asked:
            raise
        # The target is to be predicted, so it need not be readable.
        rows = taken.rows(model.schema_, options.missing, [asked], own=model.labels_.column)
    return Selection(model, rows, numbers, len(numbers) if places else total, asked)


def case_number(model: Model, name: str) -> int:
    """Return the number of a stored case from its label, or from its number if it has none."""
    labels, index = model.labels_, model.index_
    for label in (name, *column_of_text([name])):  # a file may have it as text or as a number
        number = labels.number_of(label)
        if number is not None:
            return number
    if name.isdecimal() and not labels.whole_numbers and index.contains([int(name)])[0]:
        return int(name)
    if len(labels):
        labels.numbers_of([name])  # an error that names some of them
    raise ParameterError(
        f"there is no case {name}; expected one of {len(index)} cases, numbered from 0 to "
        f"{index.next_number - 1}."
    )


def named_values(given: Sequence[str], schema: Schema) -> dict[str, list[Any]]:
    """Read ``NAME=VALUE`` as a row."""
    row = {}
    for name, text in pairs(given, schema.names):
        if name not in schema:
            raise FeatureError(f"there is no feature {name!r}.{did_you_mean(name, schema.names)}")
        row[name] = [value_as(text, schema[name])]
    return row


def pairs(given: Sequence[str], names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Split each text at its ``=``; a known name may contain one itself."""
    found = []
    for one in given:
        known = [name for name in names if one.startswith(f"{name}=")]
        name = max(known, key=len) if known else one.partition("=")[0]
        if "=" not in one[len(name) :]:
            raise ParameterError(f"got {one!r}; expected NAME=VALUE.")
        found.append((name, one[len(name) + 1 :]))
    return found


def _categories(text: str, table: Any, name: str) -> list[Any]:
    """Read ordered categories, as text if the column holds any."""
    words = text.split(",")
    frame = as_frame(table)
    if name not in (table if frame is None else frame.columns):
        return words
    levels = read_table({name: table[name]}).columns[name].levels or ()
    return words if any(isinstance(one, str) for one in levels) else column_of_text(words)


def _bounds(text: str, name: str) -> tuple[Any, Any]:
    """Read both ends of a range, either of which may be open."""
    low, dots, high = text.partition("..")
    if not dots:
        raise ParameterError(f"got {text!r} for {name!r}; expected LOW..HIGH, such as 0..120.")
    ends = [None if not end.strip() else column_of_text([end.strip()])[0] for end in (low, high)]
    return ends[0], ends[1]


def _period(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"the period of {name!r} is {text!r}; expected a number.") from None
