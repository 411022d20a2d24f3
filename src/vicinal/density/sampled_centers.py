"""Kernels to sample rows from in a large table: around a sample of its cases.

Widths, and how far cases are from each other, are those of the whole table. Cases near to what is
given are all among the centers, so that rare categories and values have theirs.
"""

from __future__ import annotations

import numpy as np

from vicinal.density.local_spread import distance_to_others, spread_around
from vicinal.density.mixture import Mixture
from vicinal.density.sampled import (
    NEAR,
    SampledMixture,
    sampled_mixture_of,
)
from vicinal.fitted import Fitted
from vicinal.index.case_weights import units_of
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import distinct_cases
from vicinal.typing import Floats, Ints

#: In larger tables, rows are sampled around a sample of the cases.
MOST_CENTERS = 1 << 17


def sampled_centers(fitted: Fitted, given: Floats) -> Mixture:
    """Return kernels around a sample of the cases, and around those next to what is given.

    Parameters
    ----------
    given : ndarray of shape (d,)
        Encoded values, NaN where nothing is given.
    """
    made, index = sampled_mixture_of(fitted), fitted.index
    # Some cases of the sample may be gone by now.
    there = np.flatnonzero(index.contains(made.numbers))
    numbers, scales = made.numbers[there], made.scales[there]
    weights = made.weights[there]
    closest = fitted.cached(
        "closest of sample",
        lambda: distance_to_others(index, fitted.metric, numbers, fitted.threads),
    )
    near = _near(fitted, given)
    if len(near):
        rest = ~np.isin(numbers, near)
        numbers = np.concatenate([near, numbers[rest]])
        own = distance_to_others(index, fitted.metric, near, fitted.threads)
        closest = np.concatenate([own, closest[rest]])
        scales = np.concatenate([_scales(made, near), scales[rest]])
        weights = _stratified(units_of(index, near), weights[rest], made.mass)
    return _mixture(fitted, made, numbers, weights, scales, closest)


def _near(fitted: Fitted, given: Floats) -> Ints:
    """Return the cases next to what is given, in the columns in which something is."""
    columns = np.flatnonzero(~np.isnan(given))
    metric = fitted.metric.restricted(columns)
    if not len(metric.active):
        return np.empty(0, dtype=np.int64)
    found = fitted.index.search(given[None], metric, NEAR, threads=fitted.threads).indices[0]
    near: Ints = found[found >= 0]
    return near


def _scales(made: SampledMixture, numbers: Ints) -> Floats:
    return made.scales_of(spread_around(made.index, made.metric, numbers, made.threads))


def _stratified(near: Floats, sampled: Floats, mass: float) -> Floats:
    """Return weights with which the sample stands for all cases that are not near."""
    left = max(mass - float(near.sum()), 0.0)
    return np.concatenate([near, sampled * (left / max(float(sampled.sum()), 1e-300))])


def _mixture(
    fitted: Fitted,
    made: SampledMixture,
    numbers: Ints,
    weights: Floats,
    scales: Floats,
    closest: Floats,
) -> Mixture:
    """Put one kernel around equal cases, with the sum of their weights."""
    order, metric = np.argsort(numbers), fitted.metric
    numbers = numbers[order]
    values = fitted.index.rows(numbers)
    compared = values[:, metric.active] if len(metric.active) else values
    places, which, merged = distinct_cases(compared, weights[order])
    assert merged is not None
    return Mixture(
        ExactIndex(values[places], metric.kinds),
        values[places],
        merged / merged.sum(),
        made.kernels,
        made.widths,
        scales[order][places],
        metric.active,
        closest[order][places],
        float(merged.sum()),
        numbers,
        which,
    )
