"""Categories by the outcomes of other cases that have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Bools, Floats, Ints

#: A category's mean counts as if so many cases of the overall mean were added to it.
SHRINKAGE = 10.0


@dataclass(frozen=True, eq=False)
class CategoryMeans:
    """The mean outcome of each category of a column, learned in several runs; see `Folds`.

    Parameters
    ----------
    column : int
        Encoded column.
    means : ndarray of shape (runs, categories, width)
        By code; a column for each outcome.
    overall : ndarray of shape (runs, width)
        The mean of all, for unseen categories.
    """

    column: int
    means: Floats
    overall: Floats

    @classmethod
    def learn(
        cls, column: int, codes: Floats, outcomes: Floats, weights: Floats, held: Bools
    ) -> CategoryMeans:
        """Learn the means of a column.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            Categories of the cases, NaN for none.
        outcomes : ndarray of shape (n, width)
            What is averaged.
        held : ndarray of bool of shape (runs, n)
            The cases that each run is learned without.
        """
        known = ~np.isnan(codes)
        size = int(codes[known].max(initial=-1)) + 1
        masses = np.empty((len(held), size))
        sums = np.empty((len(held), size, outcomes.shape[1]))
        for run, given in enumerate(~held & known):
            cells, mass = codes[given].astype(np.int64), weights[given]
            masses[run] = np.bincount(cells, mass, size)
            for place, one in enumerate(outcomes[given].T):
                sums[run, :, place] = np.bincount(cells, mass * one, size)
        totals = np.maximum(masses.sum(axis=1), 1e-300)
        overall = sums.sum(axis=1) / totals[:, None]
        means = (sums + SHRINKAGE * overall[:, None]) / (masses + SHRINKAGE)[:, :, None]
        return cls(column, means, overall)

    @property
    def width(self) -> int:
        """Number of derived columns."""
        return self.means.shape[2]

    def values(self, rows: Floats, runs: Ints) -> Floats:
        """Return the means of encoded rows, (m, width), by the run of each.

        The run −1 stands for the mean over all runs. NaN where the category is missing.
        """
        codes = rows[:, self.column]
        known = ~np.isnan(codes)
        seen = known & (codes < self.means.shape[1])
        place = np.where(seen, codes, 0).astype(np.intp)
        out = np.full((len(rows), self.width), np.nan)
        means = np.concatenate([self.means, self.means.mean(axis=0, keepdims=True)])
        overall = np.concatenate([self.overall, self.overall.mean(axis=0, keepdims=True)])
        out[seen] = means[runs[seen], place[seen]]
        out[known & ~seen] = overall[runs[known & ~seen]]
        return out
