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
from vicinal.tables.table import read_table
from vicinal.typing import Ints
from vicinal.validation import checked_weights


class History:
    """The history of a Model's cases: the change log, and how far the data has moved."""

    def __init__(self, fitted: Fitted, log: ChangeLog) -> None:
        self.log = log
        self.movement = Movement(fitted.index)


def add(fitted: Fitted, history: History, rows: Any, sample_weight: ArrayLike | None) -> Ints:
    """Add cases; see `Model.add`."""
    read = read_table(rows)
    schema = grow_schema(read, fitted.schema)
    values = encode(read, schema)
    check_range(values, schema)
    weights = checked_weights(sample_weight, len(values))
    _calibrate(fitted)
    extended = _extended(fitted)
    numbers = fitted.index.add(values, weights)
    for with_derived in extended:
        with_derived.add(values, weights)
    fitted.schema = schema
    history.movement.add(values, weights)
    if len(numbers):
        history.log.record("add", numbers)
    return numbers


def update(
    fitted: Fitted,
    history: History,
    cases: ArrayLike,
    rows: Any,
    sample_weight: ArrayLike | None,
) -> None:
    """Change the values of cases; see `Model.update`."""
    numbers = np.atleast_1d(np.asarray(cases))
    read = read_table(rows)
    schema = grow_schema(read, fitted.schema)
    values = encode(read, schema, require=False)
    check_range(values, schema)
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
    history.movement.update(numbers, old, values, before, fitted.index.weights_of(numbers))
    if len(numbers):
        history.log.record("update", numbers)


def remove(fitted: Fitted, history: History, cases: ArrayLike) -> None:
    """Remove cases by number; see `Model.remove`."""
    numbers = np.unique(np.asarray(cases))
    old, before = fitted.index.rows(numbers), fitted.index.weights_of(numbers)
    _calibrate(fitted)
    extended = _extended(fitted)
    fitted.index.remove(numbers)
    for with_derived in extended:
        with_derived.remove(numbers)
    history.movement.remove(numbers, old, before)
    if len(numbers):
        history.log.record("remove", numbers)


def _extended(fitted: Fitted) -> list[ExtendedCases]:
    """Return the cases with derived columns that are at hand, to change them alike."""
    every = [predictor.cases for predictor in fitted.learned.values()]
    return [cases for cases in every if cases.current]


def _calibrate(fitted: Fitted) -> None:
    """Calibrate every predictor while all of its leave-one-out cases still exist."""
    for predictor in fitted.learned.values():
        predictor.calibration  # noqa: B018 (computed when it is first read)
