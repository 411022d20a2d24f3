"""The ranges of derived columns, given those of the columns that they are made of."""

from __future__ import annotations

import numpy as np

from vicinal.derived.additive import FARTHEST, AdditiveScores
from vicinal.derived.category_means import CategoryMeans
from vicinal.derived.columns import DerivedColumns
from vicinal.derived.ranks import RankColumns
from vicinal.robustness.perturbation import ROUNDING, Box, Perturbation
from vicinal.robustness.sum_ranges import sum_range
from vicinal.robustness.tree_ranges import any_category, reachable, tree_range
from vicinal.typing import Floats

Range = tuple[Floats, Floats]


def extended_box(
    derived: DerivedColumns | None, changes: Perturbation, radius: float, fold: int
) -> Box:
    """Return the values that encoded and derived columns may have within a radius.

    Parameters
    ----------
    fold : int
        Derived columns are those learned without this fold; −1 for the mean over all.
    """
    box = changes.box(radius)
    if derived is None:
        return box
    seen = _seen(derived, box)
    most = radius if changes.norm == "sum" else None
    lower, upper = seen.on_line()
    low, high = RankColumns.of(derived.ranks).values(np.stack([lower, upper]))
    ranges: list[Range] = [(low, high)]
    runs = derived.folds.runs_without(*([fold] if fold >= 0 else []))
    ranges += [_mean([_means(one, seen, run) for run in runs]) for one in derived.means]
    ranges += [_additive(one, seen, runs, changes, most) for one in derived.additive]
    ranges += [tree_range(one, seen, runs, changes, most) for one in derived.trees]
    # What an estimator of the user may say is unknown.
    ranges += [
        (np.full(one.width, -np.inf), np.full(one.width, np.inf)) for one in derived.estimators
    ]
    more = derived.count
    low, high = (np.concatenate([np.empty(0), *ends]) for ends in _ends(ranges))
    rounding = ROUNDING * (np.abs(low) + np.abs(high))
    moved = high > low
    return Box(
        np.concatenate([box.lower, np.where(moved, low - rounding, low)]),
        np.concatenate([box.upper, np.where(moved, high + rounding, high)]),
        np.concatenate([box.free, np.zeros(more, dtype=bool)]),
        np.concatenate([box.periods, np.zeros(more)]),
        np.concatenate([box.ways, np.zeros(more)]),
    )


def _ends(ranges: list[Range]) -> tuple[list[Floats], list[Floats]]:
    """Return the lower ends of ranges, and the upper ones."""
    return [low for low, _ in ranges], [high for _, high in ranges]


def _mean(ranges: list[Range]) -> Range:
    """Return the range of a mean."""
    low, high = (np.mean(ends, axis=0) for ends in _ends(ranges))
    return low, high


def _seen(derived: DerivedColumns, box: Box) -> Box:
    """Return the ranges as scores see them, ignored columns at their typical value."""
    if not len(derived.ignored):
        return box
    lower, upper, free = box.lower.copy(), box.upper.copy(), box.free.copy()
    lower[derived.ignored] = upper[derived.ignored] = derived.typical[derived.ignored]
    free[derived.ignored] = False
    return Box(lower, upper, free, box.periods, box.ways)


def _means(means: CategoryMeans, box: Box, run: int) -> Range:
    column = means.column
    codes = [box.lower[column]]
    if any_category(box)[column]:
        codes = list(range(means.means.shape[1] + 1))
    rows = np.full((len(codes), column + 1), np.nan)
    rows[:, column] = codes
    found = means.values(rows, np.full(len(rows), run))
    return found.min(axis=0), found.max(axis=0)


def _additive(
    scores: AdditiveScores,
    box: Box,
    runs: list[int],
    changes: Perturbation,
    most: float | None,
) -> Range:
    if most is not None:
        return sum_range(scores, box, runs, changes, most)
    within = reachable(scores.bins, box)[:, :, None]
    z = np.stack(box.on_line())[:, scores.bins.columns] - scores.centers
    z = np.nan_to_num(np.clip(z / scores.scales, -FARTHEST, FARTHEST))[:, :, None]
    tables, slopes = scores.tables[runs].mean(axis=0), scores.slopes[runs].mean(axis=0)
    low = np.where(within, tables, np.inf).min(axis=1) + (slopes * z).min(axis=0)
    high = np.where(within, tables, -np.inf).max(axis=1) + (slopes * z).max(axis=0)
    return low.sum(axis=0), high.sum(axis=0)
