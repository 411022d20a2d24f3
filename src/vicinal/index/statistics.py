"""Summary statistics of the cases of an index, by name.

A statistic is a function of the cases and its own arguments. It runs where the cases are stored;
only the sums are transferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.typing import Arrays, Floats, Ints, Places


class Cases(Protocol):
    """Stored cases: arrays in the order of `numbers`, ascending."""

    @property
    def numbers(self) -> Ints:
        """Case numbers."""

    @property
    def weights(self) -> Floats | None:
        """Case weights, or None where all are 1."""

    def column(self, column: int) -> Floats:
        """One encoded column."""

    def rows_of(self, numbers: ArrayLike) -> Places:
        """The rows of the cases of these numbers."""

    def values_at(self, rows: Places) -> Floats:
        """The encoded values of these rows."""

    def __len__(self) -> int:
        """Count the cases."""


def _mass(cases: Cases, required: int | None = None) -> Arrays:
    """Count the cases with a positive weight, and the required column; and sum the weights."""
    weights = cases.weights
    counted = np.ones(len(cases), dtype=bool) if weights is None else weights > 0
    if required is not None:
        counted &= ~np.isnan(cases.column(required))
    mass = float(counted.sum()) if weights is None else float(weights[counted].sum())
    heaviest = 1.0 if weights is None else float(weights[counted].max(initial=0.0))
    return {
        "count": np.array(counted.sum()),
        "mass": np.array(mass),
        "heaviest": np.array(heaviest),
    }


def _distribution(cases: Cases, column: int) -> Arrays:
    """List the distinct values of a column, with the count and the weight of each."""
    values, weights = cases.column(column), cases.weights
    known = ~np.isnan(values)
    distinct, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    mass = np.ones(len(place)) if weights is None else weights[known]
    return {
        "values": distinct,
        "counts": counts,
        "mass": np.bincount(place, weights=mass, minlength=len(distinct)),
        "missing": np.array(len(values) - known.sum()),
    }


def _sizes(cases: Cases, columns: Places, most: int) -> Arrays:
    """Count the distinct values of each column; 0 if there are certainly more than the limit."""
    counted = slice(None) if cases.weights is None else cases.weights > 0
    sizes = np.zeros(len(columns), dtype=np.int64)
    for at, column in enumerate(columns.tolist()):
        values = cases.column(column)[counted]
        values = values[~np.isnan(values)]
        # Most columns have too many; the first rows show it.
        if len(np.unique(values[: 4 * most])) <= most:
            sizes[at] = len(np.unique(values))
    return {"sizes": sizes}


def _target(cases: Cases, column: int, n_classes: int = 0, period: float = 0.0) -> Arrays:
    """Summarize a column to predict; see `vicinal.influence.target.Target`."""
    outcomes = cases.column(column)
    mass = np.ones(len(outcomes)) if cases.weights is None else cases.weights
    seen = ~np.isnan(outcomes) & (mass > 0)
    outcomes, mass = outcomes[seen], mass[seen]
    total = mass.sum() or 1.0
    if n_classes:
        codes = outcomes.astype(np.intp)
        if len(codes) and not 0 <= outcomes.min() <= outcomes.max() < n_classes:
            # A mapped file is not verified, and kernels count by these codes.
            return {"damaged": np.array(True)}
        return {"shares": np.bincount(codes, weights=mass, minlength=n_classes) / total}
    start, turn = np.nan, 0j
    if period and len(outcomes):
        start = _emptiest(outcomes, period)
        outcomes = start + np.mod(outcomes - start, period)
        turn = complex(np.exp(2j * np.pi * outcomes / period) @ mass / total)
    mean = float(outcomes @ mass / total)
    scale = float(np.abs(outcomes - mean) @ mass / total)
    return {
        "mean": np.array(mean),
        "scale": np.array(scale),
        "start": np.array(start),
        "turn": np.array(turn),
    }


def _emptiest(values: Floats, period: float) -> float:
    """Return the middle of the widest gap between values on a circle."""
    distinct = np.unique(values)
    gaps = np.diff(np.append(distinct, distinct[0] + period))
    widest = int(np.argmax(gaps))
    return float(distinct[widest] + gaps[widest] / 2)


def _equal(cases: Cases, first: int, second: int) -> Arrays:
    """Return whether two columns have the same values in all cases."""
    same = np.array_equal(cases.column(first), cases.column(second), equal_nan=True)
    return {"equal": np.array(same)}


#: All statistics by name.
STATISTICS: dict[str, Callable[..., Arrays]] = {
    "distribution": _distribution,
    "equal": _equal,
    "mass": _mass,
    "sizes": _sizes,
    "target": _target,
}


def find_statistic(name: str) -> Callable[..., Arrays]:
    """Return a statistic by its name.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.brute_force import BruteForce
    >>> index = BruteForce(np.array([[1.0], [2.0], [1.0]]), np.zeros(1, dtype=np.uint8))
    >>> index.reduce("distribution", column=0)["counts"]
    array([2, 1])
    """
    if name not in STATISTICS:
        raise ParameterError(
            f"There is no statistic {name!r}; expected one of {', '.join(STATISTICS)}."
            + did_you_mean(name, STATISTICS)
        )
    return STATISTICS[name]
