"""Categories in groups with similar outcomes, which trees split as they split numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.category_means import SHRINKAGE
from vicinal.derived.cuts import cuts
from vicinal.index.trees import MISSING_BIN
from vicinal.typing import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class CategoryGroups:
    """The categories of a column in bins by their mean outcomes, in several runs; see `Folds`.

    Parameters
    ----------
    column : int
        Encoded column.
    bins : ndarray of uint8 of shape (runs, categories + 1)
        By code; the last one is that of categories that a run has not seen.
    """

    column: int
    bins: NDArray[np.uint8]

    def codes(self, rows: Floats) -> NDArray[np.uint8]:
        """Return the bins of encoded rows as each run sees them, (m, runs).

        Examples
        --------
        The first category is in the first bin and the second in the other. The third is new:

        >>> import numpy as np
        >>> from vicinal.derived.category_groups import CategoryGroups
        >>> groups = CategoryGroups(0, np.array([[0, 2, 1]], dtype=np.uint8))
        >>> groups.codes(np.array([[0.0], [1.0], [2.0], [np.nan]])).ravel().tolist()
        [0, 2, 1, 63]
        """
        cells = rows[:, self.column]
        unseen = self.bins.shape[1] - 1
        place = np.where(cells < unseen, cells, unseen).astype(np.intp)  # which NaN is not
        return np.where(np.isnan(cells), np.uint8(MISSING_BIN), self.bins[:, place]).T


class GroupedCases(NamedTuple):
    """Groups, and the bins of the cases that trees are grown from.

    Parameters
    ----------
    groups : tuple of CategoryGroups
        As left-out cases and new rows see them.
    codes : ndarray of uint8 of shape (runs, n, groups)
        The bins of the cases. Those of cases that a run has say nothing of
        their own outcomes.
    """

    groups: tuple[CategoryGroups, ...]
    codes: NDArray[np.uint8]


def learn_groups(
    values: Floats,
    columns: list[int],
    outcomes: Floats,
    weights: Floats,
    folds: Ints,
    left_out: Bools,
    *,
    most: int,
) -> GroupedCases | None:
    """Group the categories of some columns by each of the outcomes; None without columns.

    A run would take it for the rule that a rare category has the outcome of its only case, if the
    mean of the category had that in it. So a case is in the bin that its category has by the means
    without the fold of the case. To leave out nothing but the case itself is not enough: among
    the cases of a category those with the higher outcome would have the lower mean.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    outcomes : ndarray of shape (n, width)
        What is averaged, of a size near 1.
    folds : ndarray of int64 of shape (n,)
        The fold of each case.
    left_out : ndarray of bool of shape (runs, folds)
        The folds that each run is without.
    most : int
        Number of bins.
    """
    found = [
        _learn(column, values[:, column], outcome, weights, folds, left_out, most)
        for column in columns
        for outcome in outcomes.T
    ]
    if not found:
        return None
    return GroupedCases(
        tuple(one for one, _ in found), np.stack([own for _, own in found], axis=2)
    )


def _learn(
    column: int,
    codes: Floats,
    outcome: Floats,
    weights: Floats,
    folds: Ints,
    left_out: Bools,
    most: int,
) -> tuple[CategoryGroups, NDArray[np.uint8]]:
    known = np.flatnonzero(~np.isnan(codes))
    cells, fold, weight = codes[known].astype(np.intp), folds[known], weights[known]
    shape = left_out.shape[1], int(cells.max(initial=-1)) + 1
    at, size = fold * shape[1] + cells, shape[0] * shape[1]
    masses = np.bincount(at, weight, size).reshape(shape)
    sums = np.bincount(at, weight * outcome[known], size).reshape(shape)
    bins = np.empty((len(left_out), shape[1] + 1), dtype=np.uint8)
    own = np.full((len(left_out), len(codes)), MISSING_BIN, dtype=np.uint8)
    for run, without in enumerate(left_out):
        mass, total = masses[~without].sum(axis=0), sums[~without].sum(axis=0)
        # The same for all folds: it must not tell which fold a case is in.
        overall = total.sum() / max(float(mass.sum()), 1e-300)
        inside = ~without[:, None]
        others = _means(total - inside * sums, mass - inside * masses, overall)[fold, cells]
        given = ~without[fold]
        edges = cuts(others[given], weight[given], most)
        own[run, known] = np.searchsorted(edges, others)
        bins[run] = np.searchsorted(
            edges, _means(np.append(total, 0.0), np.append(mass, 0.0), overall)
        )
    return CategoryGroups(column, bins), own


def _means(sums: Floats, masses: Floats, overall: float) -> Floats:
    # In single precision, because rounding must not cut between categories with the same mean.
    means = (sums + SHRINKAGE * overall) / (masses + SHRINKAGE)
    return means.astype(np.float32).astype(np.float64)


def columns_apart(nodes: Ints, features: int) -> Ints:
    """Return trees of which each run splits columns of its own, as `CategoryGroups` has them.

    Parameters
    ----------
    nodes : ndarray of int64 of shape (runs, trees, width, nodes)
        As in `TreeScores`, with a column for each of the groups.
    features : int
        Number of columns before these.

    Examples
    --------
    One run splits the only feature and the other the only group, which becomes the second of two:

    >>> import numpy as np
    >>> from vicinal.derived.category_groups import columns_apart
    >>> nodes = np.array([[0 * 64 + 1, -1, -1], [1 * 64 + 1, -1, -1]]).reshape(2, 1, 1, 3)
    >>> (columns_apart(nodes, 1) // 64).reshape(2, 3).tolist()
    [[0, -1, -1], [2, -1, -1]]
    """
    runs = len(nodes)
    column, child = np.divmod(nodes, 64)
    own = features + (column - features) * runs + np.arange(runs)[:, None, None, None]
    return np.where(column >= features, own * 64 + child, nodes)
