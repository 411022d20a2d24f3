"""The cases as columns: their order, a page of them, and where each is."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.explorer.computed import all_numbers
from vicinal.fitted import Fitted
from vicinal.formatting.values import json_value
from vicinal.schema.decode import decode_rows
from vicinal.schema.kinds import Kind
from vicinal.typing import Bools, Floats, Ints, Places


class CaseTable:
    """The cases of one version, by their place: the rank of the case number.

    Columns are looked up when they are first sorted or filtered by; no copy of the whole table is
    made.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.explorer.table import CaseTable
    >>> from vicinal.model.questions import ask
    >>> model = vicinal.Model().fit({"age": [31, None, 47], "job": ["cook", "smith", "cook"]})
    >>> table = ask(model, CaseTable)
    >>> table.sort_keys("job"), table.ordered(None, [-table.sort_keys("age")], offset=0, limit=2)
    (array([0., 1., 0.]), array([2, 0]))
    """

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted
        self.numbers: Ints = all_numbers(fitted.index)

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> Floats:
        """Return the encoded values of a feature."""
        return self.fitted.index.cells(self.numbers, self.fitted.schema.column(name))

    def sort_keys(self, name: str) -> Floats:
        """Return numbers that sort like the values of a feature; NaN where missing."""
        values, feature = self.column(name), self.fitted.schema[name]
        if feature.kind is not Kind.NOMINAL:
            return values
        categories = feature.categories or ()
        by_text = sorted(range(len(categories)), key=lambda at: _sortable(categories[at]))
        ranks = np.empty(len(categories) + 1)
        ranks[by_text] = np.arange(len(categories))
        ranks[-1] = np.nan
        known = ~np.isnan(values)
        codes = np.where(known, values, len(categories)).astype(np.intp)
        return ranks[np.minimum(codes, len(categories))]

    def ordered(
        self, places: Places | None, keys: list[Floats], offset: int, limit: int
    ) -> Places:
        """Return a page of places (None: all) in the order of keys, the first one first; NaN last.

        By one key only what is on the page is sorted: a million cases take as long to sort as all
        else that a page needs.
        """
        end = offset + limit
        if not keys:
            return np.arange(len(self))[offset:end] if places is None else places[offset:end]
        some = keys if places is None else [key[places] for key in keys]
        if len(some) == 1:
            order = _sorted_part(some[0], offset, min(end, len(some[0])))
        else:
            order = np.lexsort(tuple(reversed(some)))[offset:end]
        return order if places is None else places[order]

    def places_of(self, numbers: Ints) -> Places:
        """Return the places of cases that exist."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if not len(self):
            return np.empty(0, dtype=np.intp)
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self) - 1)
        return at[self.numbers[at] == numbers]

    def aligned(
        self,
        numbers: Ints,
        values: NDArray[Any],
        fill: Any = np.nan,
        *,
        places: Places | None = None,
    ) -> NDArray[Any]:
        """Return values of some cases, ascending, as a column, with `fill` for all others.

        With `places`, only the part of the column at these places is made.
        """
        if len(numbers) == len(self) and np.array_equal(numbers, self.numbers):
            return values if places is None else values[places]
        n_rows = len(self) if places is None else len(places)
        column = np.full((n_rows, *values.shape[1:]), fill, dtype=values.dtype)
        if places is None:
            there = np.isin(numbers, self.numbers)
            column[np.searchsorted(self.numbers, numbers[there])] = values[there]
        elif len(numbers):
            wanted = self.numbers[places]
            at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
            there = numbers[at] == wanted
            column[there] = values[at[there]]
        return column

    def cells(self, places: Places, names: list[str]) -> list[list[Any]]:
        """Return rows of JSON values."""
        schema = self.fitted.schema
        matrix = self.fitted.index.rows(self.numbers[places])
        columns = [
            [json_value(one) for one in decode_rows(matrix[:, schema.column(name)], schema[name])]
            for name in names
        ]
        return [list(row) for row in zip(*columns, strict=True)] if names else [[] for _ in places]

    def found(self, text: str) -> Bools:
        """Return the cases whose label, or number, begins with a text."""
        mask = np.zeros(len(self), dtype=bool)
        if len(self.fitted.labels):
            texts, numbers = self._labels
            asked = text.casefold()
            start, end = bisect_left(texts, asked), bisect_left(texts, asked + "\U0010ffff")
            mask[self.places_of(numbers[start:end])] = True
        digits = text.removeprefix("#")
        numbered = not len(self.fitted.labels) or text.startswith("#")
        if numbered and digits.isascii() and digits.isdigit() and len(digits) < 18:
            self._mark_numbers(mask, digits)
        return mask

    @cached_property
    def _labels(self) -> tuple[list[str], Ints]:
        numbers, labels = self.fitted.labels.by_number()
        texts = [str(json_value(one)).casefold() for one in labels]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        return [texts[at] for at in order], numbers[order]

    def label_ranks(self) -> Floats:
        """Return numbers that sort like the labels; NaN for cases without one."""
        _, numbers = self._labels
        by_number = np.argsort(numbers)
        return self.aligned(numbers[by_number], by_number.astype(np.float64))

    def _mark_numbers(self, mask: Bools, digits: str) -> None:
        if len(digits) > 1 and digits.startswith("0"):
            return
        low, high = int(digits), int(digits) + 1
        while len(self) and low <= self.numbers[-1]:
            mask[np.searchsorted(self.numbers, low) : np.searchsorted(self.numbers, high)] = True
            if low == 0:
                return
            low, high = 10 * low, 10 * high


def case_name(fitted: Fitted, number: int) -> dict[str, Any]:
    """Return what a case is called: its number, its label, and the text to show."""
    label = fitted.labels.label_of(number)
    return {
        "case": int(number),
        "label": None if label is None else json_value(label),
        "name": fitted.labels.text(number),
    }


def _sortable(value: Any) -> tuple[Any, ...]:
    """Return what sorts numbers before text, and each by its kind."""
    if isinstance(value, int | float):
        return (0, float(value), "")
    return (1, 0.0, str(json_value(value)).casefold())


def _sorted_part(keys: Floats, start: int, end: int) -> Places:
    """Return ``np.argsort(keys, kind="stable")[start:end]`` without sorting all keys."""
    missing = np.isnan(keys)
    if missing.any():  # they come last
        known, gaps = np.flatnonzero(~missing), np.flatnonzero(missing)
        n_known = len(known)
        part = _sorted_part(keys[known], min(start, n_known), min(end, n_known))
        return np.append(known[part], gaps[max(start - n_known, 0) : max(end - n_known, 0)])
    if start >= end:
        return np.empty(0, dtype=np.intp)
    low, high = np.partition(keys, [start, end - 1])[[start, end - 1]]
    places = np.flatnonzero((keys >= low) & (keys <= high))
    if low < high:
        places = places[np.argsort(keys[places], kind="stable")]
    n_before = int(np.count_nonzero(keys < low))
    return places[start - n_before : end - n_before]
