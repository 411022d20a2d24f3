"""Add, update and remove cases of a fitted Model; what was learned stays until a refresh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted
from vicinal.model.changelog import ChangeLog
from vicinal.model.staleness import Movement
from vicinal.prediction.extended_cases import ExtendedCases
from vicinal.schema.align import grow_schema
from vicinal.schema.encode import encode
from vicinal.schema.limits import check_range
from vicinal.schema.ranges import check_bounds
from vicinal.stored_cases import case_numbers
from vicinal.tables.reading_labels import column_labels, labels_of_new
from vicinal.tables.rows import listed
from vicinal.tables.table import Table, read_rows
from vicinal.typing import Ints
from vicinal.validation import checked_weights


class History:
    """The history of a Model's cases: the change log, and how far the data has moved."""

    def __init__(self, fitted: Fitted, log: ChangeLog) -> None:
        self.log = log
        self.movement = Movement(fitted.index)


def cases_to_change(fitted: Fitted, cases: Any, by: str | None) -> Ints:
    """Return the numbers of cases to update or remove, without mistaking labels for numbers.

    Raises
    ------
    ParameterError
        If there is no such case, or a whole number could be either.
    """
    if by not in (None, "label", "number"):
        raise ParameterError(f"by={by!r}; expected 'label', 'number' or None.")
    numbers = case_numbers(fitted.index, fitted.labels, cases, by)
    if by is None and fitted.labels.whole_numbers:
        for asked, number in zip(listed(cases), numbers.tolist(), strict=True):
            if asked != number and isinstance(asked, int):
                raise ParameterError(
                    f"Cases have labels that are whole numbers, so {asked} may mean the case of "
                    "this label or of this number; write by='label' or by='number'."
                )
    return numbers


def add(fitted: Fitted, history: History, rows: Any, sample_weight: ArrayLike | None) -> Ints:
    """Add cases; see `Model.add`."""
    read, labels = labels_of_new(read_rows(rows), fitted.labels)
    schema = grow_schema(read, fitted.schema)
    values = encode(read, schema)
    check_range(values, schema)
    check_bounds(values, schema, fitted.settings.bounds)
    weights = checked_weights(sample_weight, len(values))
    _calibrate(fitted)
    extended = _extended(fitted)
    numbers = fitted.index.add(values, weights)
    for with_derived in extended:
        with_derived.add(values, weights)
    fitted.schema = schema
    given = [at for at, label in enumerate(labels) if label is not None]
    fitted.labels.add(numbers[given].tolist(), [labels[at] for at in given])
    fitted.n_changes += len(numbers)
    history.movement.add(values, weights)
    if len(numbers):
        history.log.record("add", numbers)
    return numbers


def update(
    fitted: Fitted,
    history: History,
    numbers: Ints,
    rows: Any,
    sample_weight: ArrayLike | None,
) -> None:
    """Change the values of cases; see `Model.update`."""
    read = _without_labels(fitted, read_rows(rows), numbers)
    schema = grow_schema(read, fitted.schema)
    values = encode(read, schema, require=False)
    check_range(values, schema)
    check_bounds(values, schema, fitted.settings.bounds)
    if len(values) != len(numbers):
        raise ParameterError(
            f"{len(numbers)} case{'s' * (len(numbers) != 1)} and {len(values)} rows were given; "
            "expected one row for each case."
        )
    old = fitted.index.rows(numbers)
    absent = [schema.column(name) for name in schema.names if name not in read.names]
    if read.named:
        values[:, absent] = old[:, absent]
    weights = checked_weights(sample_weight, len(values))
    before = fitted.index.weights_of(numbers)
    _calibrate(fitted)
    extended = _extended(fitted)
    fitted.index.update(numbers, values, weights)
    for with_derived in extended:
        with_derived.update(numbers, values, weights)
    fitted.schema = schema
    fitted.n_changes += len(numbers)
    history.movement.update(numbers, old, values, before, fitted.index.weights_of(numbers))
    if len(numbers):
        history.log.record("update", numbers)


def remove(fitted: Fitted, history: History, cases: Ints) -> None:
    """Remove cases by number; see `Model.remove`."""
    numbers = np.unique(cases)
    old, before = fitted.index.rows(numbers), fitted.index.weights_of(numbers)
    _calibrate(fitted)
    extended = _extended(fitted)
    fitted.index.remove(numbers)
    for with_derived in extended:
        with_derived.remove(numbers)
    fitted.labels.remove(numbers.tolist())
    fitted.n_changes += len(numbers)
    history.movement.remove(numbers, old, before)
    if len(numbers):
        history.log.record("remove", numbers)


def _without_labels(fitted: Fitted, rows: Table, numbers: Ints) -> Table:
    """Return rows without the id column, which must have the labels of the cases."""
    column = fitted.labels.column
    if column is None or column not in rows.names:
        return rows
    for label, number in zip(column_labels(rows, column), numbers.tolist(), strict=False):
        if label is not None and fitted.labels.number_of(label) != number:
            raise ParameterError(
                f"The row of case {fitted.labels.plain(number)} has the label {label!r} in "
                f"{column!r}; update does not change labels, so give the same or none."
            )
    return rows.drop([column])


def _extended(fitted: Fitted) -> list[ExtendedCases]:
    """Return the copies of the cases with derived columns, which must change in the same way."""
    every = [predictor.cases for predictor in fitted.learned.values()]
    current = [cases for cases in every if cases.current]
    for cases in current:
        cases.prepare_change()
    return current


def _calibrate(fitted: Fitted) -> None:
    """Calibrate every predictor while all of its leave-one-out cases still exist."""
    for predictor in fitted.learned.values():
        predictor.calibration  # noqa: B018 (computed when it is first read)
