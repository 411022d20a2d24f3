"""The ranges of sums over columns, where the costs of all changes add up to the radius.

What a column adds is a number of points for the bin that it is in, and a slope. The radius that
one column spends is missing to the others, so that the sum of what each could add alone with all
of the radius is more than any changed row can reach.
"""

from __future__ import annotations

import numpy as np

from vicinal.derived.additive import FARTHEST, AdditiveScores
from vicinal.derived.bins import ALL
from vicinal.robustness.perturbation import Box, Perturbation
from vicinal.robustness.shared_radius import most_of_sum
from vicinal.robustness.tree_ranges import reachable
from vicinal.typing import Bools, Floats

#: Allowance for the rounding of costs.
_ROUNDING = 1e-9


def sum_range(
    scores: AdditiveScores, box: Box, runs: list[int], changes: Perturbation, radius: float
) -> tuple[Floats, Floats]:
    """Return the least and the greatest scores, (width,) each, as a mean over runs."""
    tables, slopes = scores.tables[runs].mean(axis=0), scores.slopes[runs].mean(axis=0)
    within = reachable(scores.bins, box)
    paying = _paying(scores, changes)
    z, costs, there = _points(scores, box, changes, within & paying[:, None])
    costs = np.minimum(costs, radius)  # ranges are wider than the radius by their rounding
    free_z = _ends(scores, box)
    starts = np.cumsum(np.append(0, there.sum(axis=(1, 2))))[:-1][paying]
    found = np.empty((2, scores.width))
    for at in range(scores.width):
        added = tables[:, :, at, None] + slopes[:, at, None, None] * z
        ends = slopes[:, at] * free_z
        for side, sign in enumerate((-1.0, 1.0)):
            points = np.where(within, sign * tables[:, :, at], -np.inf).max(axis=1)
            rest = (points + (sign * ends).max(axis=0))[~paying].sum()
            shared = most_of_sum(sign * added[there], costs[there], starts, radius)
            found[side, at] = sign * (rest + shared)
    return found[0], found[1]


def _paying(scores: AdditiveScores, changes: Perturbation) -> Bools:
    """Return the columns that pay for what they add."""
    columns = scores.bins.columns
    paying = (changes.paid_units[columns] > 0) & (changes.periods[columns] == 0)
    return np.asarray(paying & ~scores.bins.nominal & ~np.isnan(changes.row[columns]))


def _ends(scores: AdditiveScores, box: Box) -> Floats:
    """Return the standardized ends of the ranges of all columns, (2, columns)."""
    ends = np.stack(box.on_line())[:, scores.bins.columns]
    return _standardized(scores, ends.T[:, :, None])[:, :, 0].T


def _standardized(scores: AdditiveScores, values: Floats) -> Floats:
    """Return standardized values, (columns, ..., ...); 0 where they are missing."""
    z = (values - scores.centers[:, None, None]) / scores.scales[:, None, None]
    return np.nan_to_num(np.clip(z, -FARTHEST, FARTHEST))


def _points(
    scores: AdditiveScores, box: Box, changes: Perturbation, within: Bools
) -> tuple[Floats, Floats, Bools]:
    """Return the values that bins may have at their ends and where they are nearest to the row.

    Returns
    -------
    z, costs : ndarray of shape (columns, bins, 3)
        The standardized values, and what they cost. Between them, both are on lines.
    there : ndarray of bool of the same shape
        Which of them the row can have.
    """
    columns = scores.bins.columns
    edges = np.full((2, len(columns), ALL), np.nan)
    for place in np.flatnonzero(within.any(axis=1)).tolist():
        one = scores.bins.edges_of(place)
        edges[0, place, : len(one) + 1] = np.append(-np.inf, one)
        edges[1, place, : len(one) + 1] = np.append(one, np.inf)
    lower, upper = box.lower[columns, None], box.upper[columns, None]
    low, high = np.clip(edges, lower, upper)
    # Ignored columns have another value than the row, for which nothing is paid.
    own = np.clip(changes.row[columns, None], lower, upper)
    near = np.clip(own, low, high)
    # Beyond some values, a slope adds nothing more.
    farthest = FARTHEST * scores.scales[:, None]
    low, high = np.clip(
        [low, high], scores.centers[:, None] - farthest, scores.centers[:, None] + farthest
    )
    values = np.stack([low, near, high], axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.abs(values - own[:, :, None]) / changes.paid_units[columns, None, None]
    there = np.repeat(within[:, :, None], 3, axis=2)
    return _standardized(scores, values), costs * (1 - _ROUNDING), there
