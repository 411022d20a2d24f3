"""Categories by the outcomes of other cases that have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Ints

#: A category's mean counts as if so many cases of the overall mean were added to it.
SHRINKAGE = 10.0


@dataclass(frozen=True, eq=False)
class CategoryMeans:
    """The mean outcome of each category of a column, learned once without each fold.

    Parameters
    ----------
    column : int
        Encoded column.
    means : ndarray of shape (folds, categories, width)
        By code; a column for each outcome.
    overall : ndarray of shape (folds, width)
        The mean of all, for unseen categories.
    """

    column: int
    means: Floats
    overall: Floats

    @classmethod
    def learn(
        cls, column: int, codes: Floats, outcomes: Floats, weights: Floats, folds: Ints, count: int
    ) -> CategoryMeans:
        """Learn the means of a column.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            Categories of the cases, NaN for none.
        outcomes : ndarray of shape (n, width)
            What is averaged.
        folds : ndarray of int64
            The fold of each case, less than `count`.
        """
        known = ~np.isnan(codes)
        # By fold, category and outcome.
        size = int(codes[known].max(initial=-1)) + 1
        cells = folds[known] * size + codes[known].astype(np.int64)
        masses = np.bincount(cells, weights[known], count * size).reshape(count, size)
        sums = np.stack(
            [
                np.bincount(cells, weights[known] * one, count * size).reshape(count, size)
                for one in outcomes[known].T
            ],
            axis=-1,
        )
        # All folds but one are added up: what is taken from a total leaves its rounding there.
        others = ~np.eye(count, dtype=bool)
        masses = np.stack([masses[one].sum(axis=0) for one in others])
        sums = np.stack([sums[one].sum(axis=0) for one in others])
        totals = np.maximum(masses.sum(axis=1), 1e-300)
        overall = sums.sum(axis=1) / totals[:, None]
        means = (sums + SHRINKAGE * overall[:, None]) / (masses + SHRINKAGE)[:, :, None]
        return cls(column, means, overall)

    @property
    def width(self) -> int:
        """Number of derived columns."""
        return self.means.shape[2]

    def values(self, rows: Floats, folds: Ints) -> Floats:
        """Return the means of encoded rows, (m, width), without the fold of each.

        The fold −1 stands for the mean over all folds. NaN where the category is missing.
        """
        codes = rows[:, self.column]
        known = ~np.isnan(codes)
        seen = known & (codes < self.means.shape[1])
        place = np.where(seen, codes, 0).astype(np.intp)
        out = np.full((len(rows), self.width), np.nan)
        means = np.concatenate([self.means, self.means.mean(axis=0, keepdims=True)])
        overall = np.concatenate([self.overall, self.overall.mean(axis=0, keepdims=True)])
        out[seen] = means[folds[seen], place[seen]]
        out[known & ~seen] = overall[folds[known & ~seen]]
        return out
