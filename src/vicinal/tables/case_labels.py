"""The labels of cases: what they are called outside of a model, such as patient numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, TableError, did_you_mean
from vicinal.formatting.values import format_value
from vicinal.tables.values import is_missing, list_values, to_python, value_key
from vicinal.typing import Ints


class CaseLabels:
    """The label of each case that has one, both ways; cases without one go by their number.

    Parameters
    ----------
    numbers : iterable of int
        Case numbers.
    labels : iterable
        The label of each: a string, number, date or another single value.
    column : str, optional
        The column of the table that holds the labels; None for those of an index.
    kept : bool, default False
        Whether cases have labels at all, so that new ones may have some, too.

    Examples
    --------
    >>> from vicinal.tables.case_labels import CaseLabels
    >>> labels = CaseLabels([0, 1], ["P-17", "P-18"])
    >>> labels.number_of("P-18"), labels.text(0), labels.text(2)
    (1, 'P-17', '#2')
    """

    def __init__(
        self,
        numbers: Iterable[int] = (),
        labels: Iterable[Any] = (),
        column: str | None = None,
        *,
        kept: bool = False,
    ) -> None:
        self.column, self.kept = column, kept
        self._labels: dict[int, Any] = {}
        self._numbers: dict[Hashable, int] = {}
        self._whole = 0
        self.add(numbers, labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __repr__(self) -> str:
        where = "" if self.column is None else f" of column {self.column!r}"
        listed = list_values(list(self._labels.values()), 5) if self._labels else "none"
        return f"CaseLabels{where}: {listed}"

    @property
    def whole_numbers(self) -> bool:
        """Whether a label is a whole number, and could be taken for the number of a case."""
        return self._whole > 0

    def number_of(self, label: Any) -> int | None:
        """Return the number of the case with this label; None if there is none."""
        return self._numbers.get(value_key(to_python(label)))

    def numbers_of(self, labels: Sequence[Any]) -> Ints:
        """Return the case numbers of labels.

        Raises
        ------
        ParameterError
            If no case has one of the labels.
        """
        found = [self.number_of(label) for label in labels]
        for label, number in zip(labels, found, strict=True):
            if number is None:
                shown = list_values([to_python(one) for one in self._labels.values()], 5)
                raise ParameterError(
                    f"No case has the label {to_python(label)!r}; there are {shown}."
                    + did_you_mean(label, self._labels.values())
                )
        return np.array(found, dtype=np.int64)

    def of(self, number: int) -> Any:
        """Return the label of a case, or its number if it has none."""
        return self._labels.get(int(number), int(number))

    def label_of(self, number: int) -> Any:
        """Return the label of a case, or None if it has none."""
        return self._labels.get(int(number))

    def text(self, number: int) -> str:
        """Return what a case is called in text: its label, or ``#`` and a number."""
        name = self.of(number)
        return f"#{name}" if isinstance(name, int) else format_value(name)

    def plain(self, number: int) -> str:
        """Return the label or number of a case as text behind the word "case"."""
        return format_value(self.of(number))

    def listed(self, numbers: Ints) -> Any:
        """Return the column of a dataframe that names these cases.

        It holds their labels, or their numbers if none has a label. If only some have one, or
        labels are of several types, it holds text.
        """
        if not any(int(number) in self._labels for number in numbers):
            return numbers
        names = [self.of(number) for number in numbers]
        complete = all(int(number) in self._labels for number in numbers)
        if complete and len(set(map(type, names))) == 1:
            return names
        return [self.text(number) for number in numbers]

    def some(self, numbers: Iterable[int]) -> CaseLabels:
        """Return the labels of some cases, for a result that is to outlast changes."""
        if not self._labels:
            return NO_LABELS
        wanted = [number for number in dict.fromkeys(numbers) if number in self._labels]
        return CaseLabels(wanted, [self._labels[number] for number in wanted], self.column)

    def by_number(self) -> tuple[Ints, list[Any]]:
        """Return the numbers of the cases that have labels, ascending, and the labels."""
        numbers = sorted(self._labels)
        return np.array(numbers, dtype=np.int64), [self._labels[one] for one in numbers]

    def renumbered(self, cases: Ints) -> CaseLabels:
        """Return the labels for a table whose case i is case ``cases[i]`` here."""
        kept = [(i, case) for i, case in enumerate(cases.tolist()) if case in self._labels]
        labels = [self._labels[case] for _, case in kept]
        return CaseLabels([i for i, _ in kept], labels, self.column, kept=self.kept)

    def moved(self, places: Ints) -> CaseLabels:
        """Return the labels with each case number replaced by its entry in `places`."""
        numbers = [int(places[number]) for number in self._labels]
        return CaseLabels(numbers, self._labels.values(), self.column)

    def copy(self) -> CaseLabels:
        """Return a copy that changes on its own."""
        return CaseLabels(self._labels, self._labels.values(), self.column, kept=self.kept)

    def add(self, numbers: Iterable[int], labels: Iterable[Any]) -> None:
        """Give labels to cases; check them first with `check_labels`."""
        for number, label in zip(numbers, labels, strict=True):
            plain = to_python(label)
            self._labels[number] = plain
            self._numbers[value_key(plain)] = number
            self._whole += isinstance(plain, int)

    def remove(self, numbers: Iterable[int]) -> None:
        """Forget the labels of cases."""
        for number in numbers:
            if number in self._labels:
                label = self._labels.pop(number)
                del self._numbers[value_key(label)]
                self._whole -= isinstance(label, int)


#: What results of a model without labels hold.
NO_LABELS = CaseLabels()


def check_labels(labels: Sequence[Any], where: str, known: CaseLabels = NO_LABELS) -> None:
    """Check that labels can name cases: none is missing, and no two are equal.

    Raises
    ------
    TableError
        If not; the message says which label, and in which rows.

    Examples
    --------
    >>> from vicinal.tables.case_labels import check_labels
    >>> check_labels(["P-1", "P-2", "P-1"], "the column 'patient'")
    Traceback (most recent call last):
        ...
    vicinal.exceptions.TableError: The label 'P-1' occurs twice in the column 'patient', ...
    """
    seen: dict[Hashable, int] = {}
    for row, label in enumerate(labels):
        if is_missing(label):
            raise TableError(
                f"The label of row {row} is missing in {where}; expected a label for every case."
            )
        key = value_key(to_python(label))
        if key in seen:
            raise TableError(
                f"The label {to_python(label)!r} occurs twice in {where}, in rows {seen[key]} and "
                f"{row} (counted from 0); expected each label once."
            )
        if known.number_of(label) is not None:
            raise TableError(
                f"A case with the label {to_python(label)!r} is stored already; change it with "
                f"update, or give another label in {where}."
            )
        seen[key] = row
