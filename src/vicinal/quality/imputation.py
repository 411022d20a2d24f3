"""Filled cells, with how sure each is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_value, json_value
from vicinal.index.exact import ExactIndex
from vicinal.prediction.answer import Answer, answer
from vicinal.prediction.conformal import Calibration, calibrate_classes, calibrate_numbers
from vicinal.prediction.ensemble import Ensemble
from vicinal.prediction.target import Target
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints

#: A class is never surer than this, so that convictions stay finite.
_SUREST = 1e-3


@dataclass(frozen=True, eq=False)
class FilledColumn:
    """The filled cells of one column; as in `Imputation`."""

    name: str
    rows: Ints
    values: list[Any]
    lower: list[Any]
    upper: list[Any]
    classes: list[tuple[Any, ...]]
    conviction: Floats


@dataclass(frozen=True, eq=False)
class Imputation:
    """A table whose holes are filled, and what is known about each filled cell.

    Parameters
    ----------
    table : dataframe, ndarray or dict
        The filled table, in the form in which it came; a dict of lists for stored cases.
    rows : ndarray of int64
        Row of each filled cell; the case number for stored cases.
    features : tuple of str
        Its feature.
    values : tuple
        What was put there.
    lower, upper : tuple
        Ends of the interval that holds the true value with probability 1 − alpha; None for
        categories, and for times where there are too few cases to tell.
    classes : tuple of tuple
        For categories: the set that holds the true one with probability 1 − alpha.
    conviction : ndarray
        Expected error of the cases that were left out to learn the feature ÷ expected error of
        this cell: 1 is as sure as usual, low less sure.
    alpha : float
        How often intervals and sets may fail.

    Examples
    --------
    >>> import vicinal
    >>> table = {"x": [1.0, 2.0, 3.0, 4.0, None], "y": [2.0, 4.0, 6.0, 8.0, 7.0]}
    >>> filled = vicinal.Model().fit(table).impute(table)
    >>> filled.features, filled.rows.tolist(), 3 <= filled.table["x"][4] <= 4
    (('x',), [4], True)
    """

    table: Any
    rows: Ints
    features: tuple[str, ...]
    values: tuple[Any, ...]
    lower: tuple[Any, ...]
    upper: tuple[Any, ...]
    classes: tuple[tuple[Any, ...], ...]
    conviction: Floats
    alpha: float = 0.1

    @classmethod
    def of(cls, table: Any, columns: list[FilledColumn], alpha: float) -> Imputation:
        """Put filled columns together."""
        return cls(
            table=table,
            rows=np.concatenate([np.empty(0, dtype=np.int64), *(one.rows for one in columns)]),
            features=tuple(one.name for one in columns for _ in one.rows),
            values=tuple(value for one in columns for value in one.values),
            lower=tuple(value for one in columns for value in one.lower),
            upper=tuple(value for one in columns for value in one.upper),
            classes=tuple(value for one in columns for value in one.classes),
            conviction=np.concatenate([np.empty(0), *(one.conviction for one in columns)]),
            alpha=alpha,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per filled cell; see `table` for the filled table.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default the first of these that is installed.

        Returns
        -------
        dataframe
            Values and ends of intervals are numbers where all of them are, else text.
        """
        return build_frame(
            {
                "row": self.rows,
                "feature": list(self.features),
                "value": _alike(self.values),
                "lower": _alike(self.lower),
                "upper": _alike(self.upper),
                "classes": [", ".join(map(str, one)) for one in self.classes],
                "conviction": self.conviction,
            },
            backend,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return one dict per filled cell, and the level of the intervals."""
        return {"alpha": self.alpha, "cells": [self._cell(at) for at in range(len(self))]}

    def _cell(self, at: int) -> dict[str, Any]:
        cell: dict[str, Any] = {
            "row": int(self.rows[at]),
            "feature": self.features[at],
            "value": json_value(self.values[at]),
            "conviction": float(self.conviction[at]),
        }
        if self.classes[at]:
            return {**cell, "classes": [json_value(one) for one in self.classes[at]]}
        return {
            **cell,
            "lower": json_value(self.lower[at]),
            "upper": json_value(self.upper[at]),
        }

    def __repr__(self) -> str:
        m = len(self)
        lines = [f"Imputation of {m} cell{'s' * (m != 1)}"]
        for at in np.argsort(self.conviction, kind="stable")[:5]:
            if self.classes[at]:
                sure = "one of " + ", ".join(map(str, self.classes[at][:5]))
            else:
                sure = f"{format_value(self.lower[at])} to {format_value(self.upper[at])}"
            lines.append(
                f"  row {self.rows[at]}, {self.features[at]}: {format_value(self.values[at])} "
                f"({sure}), conviction {self.conviction[at]:.2g}"
            )
        return "\n".join(lines + [f"  … {m - 5} more, surer"] * (m > 5))


def _alike(values: tuple[Any, ...]) -> Any:
    """Numbers where there are no others (None is NaN), else text."""
    if all(value is None or isinstance(value, int | float) for value in values):
        return np.array([np.nan if value is None else float(value) for value in values])
    return ["" if value is None else format_value(value) for value in values]


@dataclass(frozen=True, eq=False)
class Sureness:
    """How far off left-out cases were, and were expected to be.

    Parameters
    ----------
    calibration : Calibration
        Their scores.
    expected : float
        Mean expected error: of numbers the local scale, of classes the probability not given to
        the answer.
    """

    calibration: Calibration
    expected: float

    def conviction(self, answered: Answer) -> Floats:
        """Return the mean expected error ÷ the expected error of each answer."""
        return self.expected / expected_errors(answered, self.calibration)


def expected_errors(answered: Answer, calibration: Calibration) -> Floats:
    """Return the error to be expected of each answer."""
    if answered.probabilities is not None:
        return np.maximum(1.0 - answered.probabilities.max(axis=1), 0.0) + _SUREST
    assert answered.spread is not None
    return calibration.scale(answered.spread)


def careful_answer(
    index: ExactIndex,
    ensemble: Ensemble,
    target: Target,
    filled: Floats,
    lacking: Floats,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> Answer:
    """Answer for rows whose holes were filled, no surer than with their holes.

    Parameters
    ----------
    index, ensemble, target
        What answers.
    filled, lacking : ndarray of shape (m, d)
        The rows with their holes filled, which give the values, and as they were.
    exclude : ndarray of int64, optional
        Case to leave out for each row.
    """
    sure = answer(index, ensemble, target, filled, exclude=exclude, threads=threads)
    rows = np.flatnonzero((np.isnan(lacking) & ~np.isnan(filled)).any(axis=1))
    if not len(rows):
        return sure
    left = None if exclude is None else exclude[rows]
    doubt = answer(index, ensemble, target, lacking[rows], exclude=left, threads=threads)
    if sure.probabilities is not None:
        assert doubt.probabilities is not None
        probabilities = sure.probabilities.copy()
        probabilities[rows] = (probabilities[rows] + doubt.probabilities) / 2
        return replace(sure, probabilities=probabilities)
    assert sure.spread is not None
    assert doubt.spread is not None
    spread = sure.spread.copy()
    spread[rows] = np.maximum(spread[rows], doubt.spread)
    return replace(sure, spread=spread)


def learn_sureness(
    index: ExactIndex,
    ensemble: Ensemble,
    target: Target,
    cases: Ints,
    lacking: Floats,
    *,
    threads: int | None = None,
) -> Sureness:
    """Predict cases without themselves, and keep how far off they were.

    Parameters
    ----------
    index, ensemble, target
        What answers.
    cases : ndarray of int64
        Cases to leave out, one at a time.
    lacking : ndarray
        Their values before holes were filled.
    """
    answered = careful_answer(
        index,
        ensemble,
        target,
        index.case_values(cases),
        lacking,
        exclude=cases,
        threads=threads,
    )
    truth = target.outcomes[cases]
    weights = None if target.weights is None else target.weights[cases]
    if answered.probabilities is not None:
        calibration = calibrate_classes(truth, answered.probabilities, weights)
    else:
        assert answered.spread is not None
        near = target.near(truth, answered.values)
        calibration = calibrate_numbers(near, answered.values, answered.spread, weights)
    errors = expected_errors(answered, calibration)
    expected = float(np.average(errors, weights=weights)) if len(errors) else np.nan
    return Sureness(calibration, expected)


def check_share(name: str, value: float) -> None:
    """Refuse what is not between 0 and 1."""
    if not 0 < value < 1:
        raise ParameterError(f"{name} must be between 0 and 1; got {value!r}.")
