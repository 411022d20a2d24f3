"""The most of a convex function of sums over columns, at the corners of all changes.

What columns add lies on lines between the points of a grid. So a convex function of the sum is
largest where each column is at one of these points. Of columns whose costs add up, it is where one
takes all of the radius, or as much as it may and another one the rest.
"""

from __future__ import annotations

import numpy as np

from vicinal.robustness.budget import Budget
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.spread import ROUNDING
from vicinal.typing import Bools, Floats

#: Numbers that all corners have together, at most.
_MOST = 100_000


def sharing(near: Neighborhood) -> Bools:
    """Return the columns of which all share one radius; ranks climb in steps, so they do not."""
    if near.budget is None:
        return np.zeros(len(near.columns), dtype=bool)
    shared: Bools = near.limited & (near.budget.free[near.columns] == 0)
    return shared


def corners(near: Neighborhood, start: Floats, moves: Floats) -> Floats | None:
    """Return the sums of which the convex hull has all others in it, (corners, m).

    None if there are too many.

    Parameters
    ----------
    start : ndarray of shape (m,)
        What is there in the middle of the grid, at which all moves are 0.
    moves : ndarray of shape (columns, grid, m)
        What the points of the grid of a column add; lines in between.
    """
    some, size = sharing(near), moves.shape[1]
    count = size ** float((~some).sum()) * max(size * float(some.sum()), 1.0)
    if near.budget is not None and near.budget.most < 1:
        count *= max(size * float(some.sum()), 1.0)
    if count * len(start) > _MOST:
        return None
    found = start[None]
    for one in moves[~some]:
        found = (found[:, None] + one).reshape(-1, len(start))
    if near.budget is None or not some.any():
        return found
    ends = _ends(near, near.budget, some, moves[some])
    return np.asarray((found[:, None] + ends).reshape(-1, len(start)))


def _ends(near: Neighborhood, budget: Budget, some: Bools, moves: Floats) -> Floats:
    """Return what columns add that share the radius, at the corners of what they may take."""
    costs = np.abs(near.grid[some] - near.grid[some][:, [near.half]])
    costs = costs / budget.units[near.columns[some], None] / (budget.most * budget.radius)
    scale = np.where(costs > 0, (1 + ROUNDING) / np.maximum(costs, 1e-300), 0.0)
    ends = np.delete(moves * scale[:, :, None], near.half, axis=1)
    found = [np.zeros((1, moves.shape[2])), ends.reshape(-1, moves.shape[2])]
    rest = (1 - budget.most) / budget.most
    if rest > 0:  # another one takes what one leaves
        one, other = np.nonzero(~np.eye(len(ends), dtype=bool))
        pairs = ends[one][:, :, None] + rest * ends[other][:, None]
        found.append(pairs.reshape(-1, moves.shape[2]))
    return np.concatenate(found)
