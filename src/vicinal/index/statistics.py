"""Summary statistics of the cases of an index, by name.

A statistic asks for steps. A step is a function of the cases of one part of the index, which runs
where they are stored; what it returns is small, and the same for the whole however it is divided
into parts: counts, extremes, distinct values and exact sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.index.exact_sums import combined, exact_sums, rounded
from vicinal.typing import Arrays, Bools, Floats, Ints, Places

#: The most distinct values of a column to keep: those of a column of a million numbers take as
#: much as the column, and are counted in a tenth of a second.
MOST_KEPT_VALUES = 1 << 17


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


class Ask(Protocol):
    """Runs a step on every part of an index."""

    def __call__(self, step: str, **arguments: Any) -> list[Arrays]:
        """Return the answer of each part."""


# --- steps: of the cases of one part -------------------------------------------------------------


def _mass_of_part(cases: Cases, required: int = -1) -> Arrays:
    counted = _counted(cases)
    if required >= 0:
        counted &= ~np.isnan(cases.column(required))
    weights = np.ones(0) if cases.weights is None else cases.weights[counted]
    count = int(counted.sum())
    heaviest = float(count > 0) if cases.weights is None else weights.max(initial=0.0)
    return {
        "count": np.array(count),
        # Where all weigh 1, the count is their mass.
        "plain": np.array(count if cases.weights is None else 0),
        "mass": exact_sums(weights),
        "heaviest": np.array(heaviest),
    }


def _distinct_of_part(cases: Cases, column: int, lower: float, upper: float) -> Arrays:
    """List the distinct pairs of value and weight within bounds, and how often each occurs."""
    values = cases.column(column)
    missing = np.array(int(np.isnan(values).sum()))
    known = (values >= lower) & (values <= upper)  # missing values are not
    if cases.weights is None:
        ordered = np.sort(values[known] + 0.0)
        del values, known  # large tables have large columns
        starts = np.flatnonzero(np.append(len(ordered) > 0, ordered[1:] != ordered[:-1]))
        counts = np.diff(starts, append=len(ordered))
        ones = np.broadcast_to(1.0, len(starts))
        return {"values": ordered[starts], "weights": ones, "counts": counts, "missing": missing}
    pairs = np.column_stack([values[known] + 0.0, cases.weights[known]])
    distinct, counts = _distinct_pairs(pairs, np.ones(len(pairs), dtype=np.int64))
    return {
        "values": distinct[:, 0],
        "weights": distinct[:, 1],
        "counts": counts,
        "missing": missing,
    }


def _few_of_part(cases: Cases, column: int, most: int) -> Arrays:
    """List the distinct values of a column, up to one more than the limit."""
    counted = _counted(cases)
    first = np.flatnonzero(counted)[: 8 * most]
    if len(first) < len(counted):
        # Most columns have too many; the first rows show it, without reading the others.
        values = cases.values_at(cases.rows_of(cases.numbers[first]))[:, column]
        some = np.unique(values[~np.isnan(values)])
        if len(some) > most:
            return {"values": some[: most + 1]}
    values = cases.column(column)[counted]
    return {"values": np.unique(values[~np.isnan(values)])[: most + 1]}


def _classes_of_part(cases: Cases, column: int, n_classes: int) -> Arrays:
    outcomes, mass = _outcomes(cases, column)
    if len(outcomes) and not 0 <= outcomes.min() <= outcomes.max() < n_classes:
        # A mapped file is not verified, and kernels count by these codes.
        return {"damaged": np.array(1), "masses": exact_sums(np.empty(0), count=n_classes)}
    masses = exact_sums(mass, groups=outcomes.astype(np.int64), count=n_classes)
    return {"damaged": np.array(0), "masses": masses}


def _outcomes_of_part(cases: Cases, column: int) -> Arrays:
    return {"values": np.unique(_outcomes(cases, column)[0])}


def _mean_of_part(cases: Cases, column: int, start: float, period: float) -> Arrays:
    outcomes, mass = _outcomes(cases, column)
    outcomes = _in_cycle(outcomes, start, period)
    angles = 2 * np.pi * outcomes / period if period else np.zeros(0)
    units = mass if period else np.zeros(0)
    return {
        "total": exact_sums(mass),
        "sum": exact_sums(outcomes, mass),
        "cosine": exact_sums(np.cos(angles), units),
        "sine": exact_sums(np.sin(angles), units),
    }


def _spread_of_part(cases: Cases, column: int, start: float, period: float, mean: float) -> Arrays:
    outcomes, mass = _outcomes(cases, column)
    return {"sum": exact_sums(np.abs(_in_cycle(outcomes, start, period) - mean), mass)}


def _equal_in_part(cases: Cases, first: int, second: int) -> Arrays:
    same = np.array_equal(cases.column(first), cases.column(second), equal_nan=True)
    return {"equal": np.array(int(same))}


def _counted(cases: Cases) -> Bools:
    """Return which cases have a positive weight."""
    return np.ones(len(cases), dtype=bool) if cases.weights is None else cases.weights > 0


def _outcomes(cases: Cases, column: int) -> tuple[Floats, Floats]:
    """Return the known values of a column, and the weights of their cases, which are positive."""
    outcomes = cases.column(column)
    mass = np.ones(len(outcomes)) if cases.weights is None else cases.weights
    seen = ~np.isnan(outcomes) & (mass > 0)
    return outcomes[seen], mass[seen]


def _in_cycle(outcomes: Floats, start: float, period: float) -> Floats:
    return start + np.mod(outcomes - start, period) if period and len(outcomes) else outcomes


def _distinct_pairs(pairs: Floats, counts: Ints) -> tuple[Floats, Ints]:
    """Merge equal pairs, and return them in their order, with the sum of their counts."""
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, counts = pairs[order], counts[order]
    starts = np.flatnonzero(np.r_[True, (pairs[1:] != pairs[:-1]).any(axis=1)][: len(pairs)])
    return pairs[starts], np.add.reduceat(counts, starts) if len(starts) else counts


#: What is asked of the cases of a part, by name.
STEPS: dict[str, Callable[..., Arrays]] = {
    "classes": _classes_of_part,
    "distinct": _distinct_of_part,
    "equal": _equal_in_part,
    "few": _few_of_part,
    "mass": _mass_of_part,
    "mean": _mean_of_part,
    "outcomes": _outcomes_of_part,
    "spread": _spread_of_part,
}


# --- statistics: of all parts --------------------------------------------------------------------


def _mass(ask: Ask, required: int | None = None) -> Arrays:
    """Count the cases with a positive weight, and the required column; and sum the weights."""
    parts = ask("mass", required=-1 if required is None else required)
    plain = sum(int(part["plain"]) for part in parts)
    return {
        "count": np.array(sum(int(part["count"]) for part in parts)),
        "mass": np.array(_total(parts, "mass", exact_sums(np.array([float(plain)])))),
        "heaviest": np.array(max((float(part["heaviest"]) for part in parts), default=0.0)),
    }


def _distribution(ask: Ask, column: int, lower: float = -np.inf, upper: float = np.inf) -> Arrays:
    """List the distinct values of a column within bounds, with the count and weight of each."""
    parts = ask("distinct", column=column, lower=lower, upper=upper)
    if len(parts) == 1 and (parts[0]["weights"] == 1).all():
        (part,) = parts
        return {
            "values": part["values"],
            "counts": _once_if_equal(part["counts"]),
            "mass": _once_if_equal(part["counts"].astype(np.float64)),
            "missing": part["missing"],
        }
    pairs = np.concatenate(
        [np.empty((0, 2)), *(np.column_stack([p["values"], p["weights"]]) for p in parts)]
    )
    counts = np.concatenate([np.empty(0, dtype=np.int64), *(part["counts"] for part in parts)])
    pairs, counts = _distinct_pairs(pairs, counts)
    values, place = np.unique(pairs[:, 0], return_inverse=True)
    sizes = np.zeros(len(values), dtype=np.int64)
    np.add.at(sizes, place, counts)
    masses = np.bincount(place, weights=counts * pairs[:, 1], minlength=len(values))
    return {
        "values": values,
        "counts": _once_if_equal(sizes),
        "mass": _once_if_equal(masses),
        "missing": np.array(sum(int(part["missing"]) for part in parts)),
    }


def _once_if_equal(numbers: NDArray[Any]) -> NDArray[Any]:
    """Hold equal numbers once: distributions are kept, and most values of numbers occur once."""
    equal = len(numbers) > 1 and bool((numbers == numbers[0]).all())
    return np.broadcast_to(numbers[0].copy(), numbers.shape) if equal else numbers


def _sizes(ask: Ask, columns: Places, most: int) -> Arrays:
    """Count the distinct values of each column; 0 if there are more than the limit."""
    sizes = np.zeros(len(columns), dtype=np.int64)
    for at, column in enumerate(columns.tolist()):
        parts = [part["values"] for part in ask("few", column=column, most=most)]
        size = len(np.unique(np.concatenate([np.empty(0), *parts])))
        sizes[at] = size if size <= most else 0
    return {"sizes": sizes}


def _target(ask: Ask, column: int, n_classes: int = 0, period: float = 0.0) -> Arrays:
    """Summarize a column to predict; see `vicinal.influence.target.Target`."""
    if n_classes:
        parts = ask("classes", column=column, n_classes=n_classes)
        if any(part["damaged"] for part in parts):
            return {"damaged": np.array(True)}
        masses = rounded(combined(part["masses"] for part in parts))
        return {"shares": masses / (_sum(masses) or 1.0)}
    start = np.nan
    if period:
        parts = ask("outcomes", column=column)
        seen = np.unique(np.concatenate([np.empty(0), *(part["values"] for part in parts)]))
        start = _emptiest(seen, period) if len(seen) else np.nan
    cycle = {"column": column, "start": start, "period": period}
    parts = ask("mean", **cycle)
    total = _total(parts, "total") or 1.0
    mean = _total(parts, "sum") / total
    turn = complex(_total(parts, "cosine") / total, _total(parts, "sine") / total)
    scale = _total(ask("spread", **cycle, mean=mean), "sum") / total
    return {
        "mean": np.array(mean),
        "scale": np.array(scale),
        "start": np.array(start),
        "turn": np.array(turn),
    }


def _equal(ask: Ask, first: int, second: int) -> Arrays:
    """Return whether two columns have the same values in all cases."""
    parts = ask("equal", first=first, second=second)
    return {"equal": np.array(all(bool(part["equal"]) for part in parts))}


def _emptiest(distinct: Floats, period: float) -> float:
    """Return the middle of the widest gap between values on a circle."""
    gaps = np.diff(np.append(distinct, distinct[0] + period))
    widest = int(np.argmax(gaps))
    return float(distinct[widest] + gaps[widest] / 2)


def _total(parts: list[Arrays], name: str, *more: Ints) -> float:
    return float(rounded(combined([*(part[name] for part in parts), *more]))[0])


def _sum(values: Floats) -> float:
    return float(rounded(exact_sums(values))[0])


#: All statistics by name.
STATISTICS: dict[str, Callable[..., Arrays]] = {
    "distribution": _distribution,
    "equal": _equal,
    "mass": _mass,
    "sizes": _sizes,
    "target": _target,
}


def summarize(statistic: str, ask: Ask, **arguments: Any) -> Arrays:
    """Return a statistic of all cases, from the steps that run on each part of them."""
    if statistic not in STATISTICS:
        raise ParameterError(
            f"There is no statistic {statistic!r}; expected one of {', '.join(STATISTICS)}."
            + did_you_mean(statistic, STATISTICS)
        )
    return STATISTICS[statistic](ask, **arguments)


def summarize_cases(statistic: str, cases: Cases, **arguments: Any) -> Arrays:
    """Return a statistic of cases that are all in one place.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.brute_force import BruteForce
    >>> index = BruteForce(np.array([[1.0], [2.0], [1.0]]), np.zeros(1, dtype=np.uint8))
    >>> index.reduce("distribution", column=0)["counts"]
    array([2, 1])
    """
    return summarize(statistic, lambda step, **given: [STEPS[step](cases, **given)], **arguments)
