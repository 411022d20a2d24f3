"""Fewer cases: the most similar are merged first, and one represents both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.typing import Floats, Ints, Places

#: Minimum excess of two cases, so that among equal cases the lightest are merged first.
_LEAST = 1e-12


def merge_cases_to(
    values: Floats,
    weights: Floats,
    metric: Metric,
    size: int,
    *,
    kinds: NDArray[np.uint8] | None = None,
    threads: int | None = None,
) -> tuple[Places, Floats, Places]:
    r"""Merge cases into others until `size` are left, at least 1.

    Their order must depend only on their content, because it breaks ties.

    Parameters
    ----------
    values, weights : ndarray of shape (n, d) and (n,)
        The cases.
    metric : Metric
        Measures their distances.
    size : int
        Number of cases to keep.
    kinds : ndarray of uint8 of shape (d,), optional
        How the columns are stored, if a metric compares integers, which may be negative, as
        categories.

    Returns
    -------
    kept : ndarray of int
        Positions of the remaining cases, ascending.
    weights : ndarray
        Their weights, including those of the cases that each represents.
    representative : ndarray of int of shape (n,)
        The case that represents each one.

    Notes
    -----
    Merging a pair of weights a and b costs :math:`\tfrac{ab}{a+b} x`, x the excess of their
    distance (Ward's criterion in surprisal). In each round every case is paired with its nearest
    one, and the cheapest disjoint pairs are merged, the lighter into the heavier.
    """
    kinds = metric.kinds if kinds is None else kinds
    representative = np.arange(len(values))
    alive = np.arange(len(values))
    mass = weights.astype(np.float64)
    while len(alive) > size:
        # Equal weights: a larger weight would make a case its own neighbor.
        index = ExactIndex(values[alive], kinds, scales=metric.residuals)
        found = index.search(
            values[alive], metric, 1, exclude=np.arange(len(alive)), threads=threads
        )
        other = found.indices[:, 0]
        one, two = mass[alive], mass[alive[other]]
        cost = one * two / (one + two) * np.maximum(found.distances[:, 0] - SAME, _LEAST)
        absorbed, into = _pairs(other, cost, one, len(alive) - size)
        mass[alive[into]] += mass[alive[absorbed]]
        representative[alive[absorbed]] = alive[into]
        alive = np.delete(alive, absorbed)
    while not np.array_equal(representative[representative], representative):
        representative = representative[representative]
    return alive, mass[alive], representative


def _pairs(other: Ints, cost: Floats, mass: Floats, most: int) -> tuple[Places, Places]:
    """Choose disjoint pairs, cheapest first; only as many as needed, from the cheaper half."""
    order = np.argsort(cost, kind="stable")
    # Cases in costly pairs may get cheaper ones once others are merged.
    order = order[: max(len(order) // 2, 1)]
    taken = np.zeros(len(other), dtype=bool)
    absorbed: list[int] = []
    into: list[int] = []
    for one, two in zip(order.tolist(), other[order].tolist(), strict=True):
        if len(absorbed) == most:
            break
        if taken[one] or taken[two]:
            continue
        taken[one] = taken[two] = True
        lighter, heavier = (one, two) if mass[one] <= mass[two] else (two, one)
        absorbed.append(lighter)
        into.append(heavier)
    return np.array(absorbed, dtype=np.intp), np.array(into, dtype=np.intp)
