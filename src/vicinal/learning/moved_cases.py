"""Left-out cases as an attacker would move them: toward cases of another class."""

from __future__ import annotations

import numpy as np

from vicinal.index.kinds import NUMERIC
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import content_order
from vicinal.influence.target import Target
from vicinal.learning.views import Views
from vicinal.typing import Floats, Ints

#: Cases that others are moved toward, at most.
MOST_GOALS = 1024
#: Goals are equally near if their distances differ by less: rounding must not choose one.
EQUAL = 1e-9
#: Cells compared at a time, which bounds the memory.
BATCH = 1 << 21


def moved_cases(
    views: Views,
    metric: Metric,
    target: Target,
    cases: Ints,
    radius: float,
    *,
    random_state: int = 0,
) -> Views:
    """Return views in which cases are judged at rows that are closer to another class.

    The active numbers of the metric move, each by so many standard deviations at most, toward the
    nearest case of another class and not beyond it; if several are equally near, by the mean of
    these ways. Derived columns follow. Missing values and categories stay. A radius of 0 moves
    nothing.
    """
    if not radius:
        return views
    index, derived = views.index, views.derived
    rows = index.rows(cases)
    width, numbers = _given(views), movable(views, metric)
    moved = rows[:, :width].copy()
    moved[:, numbers] += _ways(
        rows, _goals(index, target, width, random_state), numbers, target, radius
    )
    if derived is not None:
        moved = derived.extended(moved, derived.folds.of_rows(rows[:, :width]))
    return views.judging(cases, moved)


def movable(views: Views, metric: Metric) -> Ints:
    """Return the active numbers of a metric among the columns that are given, not derived."""
    active = metric.active[metric.active < _given(views)]
    return active[metric.kinds[active] == NUMERIC]


def _given(views: Views) -> int:
    """Return how many columns there are without derived ones."""
    return len(views.index.kinds) if views.derived is None else views.derived.width


def _goals(index: Index, target: Target, width: int, random_state: int) -> Floats:
    """Return the cases that others are moved toward, in an order that their values decide."""
    _, goals = index.sample(MOST_GOALS, random_state=random_state, required=target.column)
    return goals[content_order(goals[:, :width])]


def _ways(rows: Floats, goals: Floats, numbers: Ints, target: Target, radius: float) -> Floats:
    """Return how far the numbers of each row move, (rows, numbers)."""
    points, units = goals[:, numbers], _deviations(goals[:, numbers])
    ways = np.zeros((len(rows), len(numbers)))
    step = max(1, BATCH // max(points.size, 1))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        gaps = (points - some[:, None, numbers]) / units
        gaps[np.isnan(gaps)] = 0.0
        far = np.abs(gaps).max(axis=2, initial=0.0)
        far[goals[:, target.column] == some[:, [target.column]]] = np.inf
        least = far.min(axis=1, initial=np.inf)[:, None]
        near = (far <= least * (1 + EQUAL)) & np.isfinite(far)  # all cases may be of one class
        row, goal = np.nonzero(near)
        steps = np.zeros((len(some), len(numbers)))
        np.add.at(steps, row, np.clip(gaps[row, goal], -radius, radius))
        ways[start : start + step] = steps / np.maximum(near.sum(axis=1), 1)[:, None] * units
    return ways


def _deviations(points: Floats) -> Floats:
    """Return the standard deviation of each column, 1 for one that does not vary."""
    known = ~np.isnan(points)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, points, 0.0).sum(axis=0) / counts
    squares = np.where(known, points - means, 0.0) ** 2
    found = np.sqrt(squares.sum(axis=0) / counts)
    return np.where(found > 0, found, 1.0)
