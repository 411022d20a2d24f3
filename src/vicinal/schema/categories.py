"""Categories and their codes: counted in one column, found again in another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from vicinal.exceptions import TableError, did_you_mean
from vicinal.tables.column import Column
from vicinal.tables.counting import count_levels
from vicinal.tables.values import list_values, value_key
from vicinal.typing import Floats, Ints, Places

_NOUNS = {"bool": "bools", "number": "numbers", "string": "strings", "instant": "dates"}


def sort_by_frequency(column: Column, weights: Floats | None = None) -> list[Any]:
    """Return the values of a column, the most frequent first, ties in sort order.

    Rows count as often as they weigh.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.categories import sort_by_frequency
    >>> from vicinal.tables.column import Column
    >>> levels = ("b", "a", "c", "never")
    >>> sort_by_frequency(Column("string", np.array([0, 1, -1, 2, 2]), levels=levels))
    ['c', 'a', 'b']
    """
    levels, counts, masses = count_levels(column, weights)
    seen = np.flatnonzero(counts).tolist()
    if all(type(levels[i]) is str for i in seen):  # there may be millions of them
        return _texts_by_frequency([levels[i] for i in seen], masses[seen])
    # Python's datetimes have no nanoseconds, so that two levels can be the same label.
    found: dict[tuple[str, Any], list[Any]] = {}
    for i in seen:
        found.setdefault(value_key(levels[i]), [levels[i], 0])[1] += masses[i]
    ranked = sorted(found.items(), key=lambda item: (-item[1][1], item[0]))
    return [level for _, (level, _) in ranked]


def _texts_by_frequency(texts: list[str], masses: Floats) -> list[str]:
    """Return texts, all of them different, in the same order; without keys, which fill memory."""
    by_name = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)
    ranked = by_name[np.argsort(-masses[by_name], kind="stable")]
    return [texts[i] for i in ranked.tolist()]


def all_differ(values: Iterable[Hashable]) -> bool:
    """Return whether no value equals another; of millions no set is made.

    Examples
    --------
    >>> from vicinal.schema.categories import all_differ
    >>> all_differ(["Rome", "Oslo"]), all_differ([1, 1.0])
    (True, False)
    """
    listed = list(values)
    hashes: Ints = np.fromiter(map(hash, listed), dtype=np.int64, count=len(listed))
    # Values whose hashes differ do, too; the same hash may be that of two values.
    return len(np.unique(hashes)) == len(listed) or len(set(listed)) == len(listed)


class CategoryCodes:
    """The place of each category, by its `value_key`.

    Attributes
    ----------
    types : frozenset of str
        The first entries of the keys.

    Examples
    --------
    >>> from vicinal.schema.categories import CategoryCodes
    >>> known = CategoryCodes(["b", 7])
    >>> known.get(("number", 7)), known.get(("string", "7")), sorted(known.types)
    (1, None, ['number', 'string'])
    """

    def __init__(self, categories: Sequence[Any]) -> None:
        # Millions of texts are looked up as they are: keys would take more memory than they do.
        self._texts = {one: code for code, one in enumerate(categories) if type(one) is str}
        self._others = {
            value_key(one): code for code, one in enumerate(categories) if type(one) is not str
        }
        words = {word for word, _ in self._others}
        self.types = frozenset(words | ({"string"} if self._texts else set()))

    def get(self, key: tuple[str, Any], default: Any = None) -> Any:
        """Return the place of a category."""
        word, value = key
        if word == "string" and value in self._texts:
            return self._texts[value]
        return self._others.get(key, default)

    def __len__(self) -> int:
        return len(self._texts) + len(self._others)

    def __contains__(self, key: tuple[str, Any]) -> bool:
        return self.get(key) is not None


def find_codes(
    column: Column, known: CategoryCodes, name: str
) -> tuple[Places, Places, tuple[Any, ...]]:
    """Find the code of each level of a column.

    Returns
    -------
    rows : ndarray of int
        The number of each row's level, -1 where missing.
    codes : ndarray of int
        The code of each level, -1 where it is not a known category.
    levels : tuple
        The levels.

    Raises
    ------
    TableError
        If a value is of a type that no category has: a mistake far more often than a category
        that was never seen. Only a whole column of bools is taken for numbers 0 and 1, or such
        numbers for bools.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.schema.categories import CategoryCodes, find_codes
    >>> find_codes(column_of(["b", None, "z"], "x"), CategoryCodes(["b"]), "x")
    (array([ 0, -1,  1]), array([ 0, -1]), ('b', 'z'))
    """
    types = known.types
    rows, levels = column.labels()
    used = np.flatnonzero(np.bincount(rows[rows >= 0], minlength=len(levels))).tolist()
    if types in ({"number"}, {"bool"}):
        given = {value_key(levels[level])[0] for level in used}
        if given == {"bool"} and types == {"number"}:
            levels = tuple(int(one) if isinstance(one, bool) else one for one in levels)
        if given == {"number"} and types == {"bool"}:
            levels = tuple(_as_bool(one) for one in levels)

    def code_of(level: int) -> int:
        key = value_key(levels[level])
        if types and key[0] not in types:
            raise _wrong_type(levels[level], int(np.argmax(rows == level)), types, name)
        return int(known.get(key, -1))

    codes = np.full(len(levels), -1, dtype=np.intp)
    codes[used] = np.fromiter(map(code_of, used), dtype=np.intp, count=len(used))
    return rows, codes, levels


def rank_listed(column: Column, categories: Sequence[Any], name: str) -> Floats:
    """Return the place of each value among listed categories, NaN where missing.

    Raises
    ------
    TableError
        If a value is not listed.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.schema.categories import rank_listed
    >>> rank_listed(column_of(["L", None, "S"], "size"), ["S", "M", "L"], "size")
    array([ 2., nan,  0.])
    """
    rows, ranks, levels = find_codes(column, CategoryCodes(categories), name)
    unlisted = np.flatnonzero((rows >= 0) & (np.append(ranks, 0)[rows] < 0))
    if len(unlisted):
        value = levels[rows[unlisted[0]]]
        raise TableError(
            f"Column {name!r} has {value!r} in row {unlisted[0]}; expected one of its categories "
            f"{list_values(categories)}.{did_you_mean(value, categories)}"
        )
    return np.append(ranks.astype(np.float64), np.nan)[rows]


def _as_bool(value: Any) -> Any:
    word, number = value_key(value)
    return bool(number) if word == "number" and number in (0, 1) else value


def _wrong_type(value: Any, row: int, types: frozenset[str], name: str) -> TableError:
    nouns = " or ".join(sorted(_NOUNS.get(word, word) for word in types))
    return TableError(
        f"Column {name!r} has {value!r} ({type(value).__name__}) in row {row}; expected {nouns}, "
        "as in the table that was fitted. Convert the column to the same type."
    )
