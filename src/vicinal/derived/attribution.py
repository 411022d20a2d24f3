"""What each feature adds to a score of which only the values are known.

The features of a row take the place of those of a typical row one after another, in a fixed order
and in its reverse; what a score moves by at a step, in the mean of both, is the part of that
feature. The parts sum to the score less that of the typical row. They are Shapley values exactly
where no more than two features interact, and a feature that a score ignores has no part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Ints

#: Rows that are scored to attribute the scores of all cases, at most; with more cases, features
#: that matter least are replaced together.
MOST_SCORED = 500_000
#: Rows that are scored at once.
_BATCH = 50_000


@dataclass(frozen=True, eq=False)
class Attribution:
    """In which order features are replaced, and how those replaced together share a step.

    Parameters
    ----------
    columns : ndarray of int64
        Encoded columns of the features.
    typical : ndarray of shape (d,)
        The row that the others are compared with.
    step_of : ndarray of int64
        The step in which each of the features is replaced.
    shares : ndarray of float64
        The part of each feature in what the scores move by at its step; they sum to 1 by step.
    """

    columns: Ints
    typical: Floats
    step_of: Ints
    shares: Floats

    @classmethod
    def single(cls, columns: Ints, typical: Floats) -> Attribution:
        """Replace every feature in a step of its own, in the order of the columns."""
        return cls(columns, typical, np.arange(len(columns)), np.ones(len(columns)))

    def within(self, n_rows: int, sizes: Floats) -> Attribution:
        """Bound the effort for so many rows: features of the least size are replaced together.

        Parameters
        ----------
        sizes : ndarray
            How much each feature matters; those that are replaced together share by it.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.attribution import Attribution
        >>> plain = Attribution.single(np.arange(3), np.zeros(3))
        >>> fewer = plain.within(125_000, np.array([1.0, 9.0, 3.0]))
        >>> fewer.step_of.tolist(), fewer.shares.tolist()
        ([1, 0, 1], [0.25, 1.0, 0.75])
        """
        most = max(1, MOST_SCORED // (2 * max(n_rows, 1)))
        if len(self.columns) <= most:
            return self
        step_of = np.full(len(self.columns), most - 1)
        step_of[np.argsort(-sizes, kind="stable")[: most - 1]] = np.arange(most - 1)
        floored = np.maximum(sizes, np.finfo(np.float64).tiny)
        totals = np.bincount(step_of, floored)
        return Attribution(self.columns, self.typical, step_of, floored / totals[step_of])

    def parts(self, score: Callable[[Floats], Floats], rows: Floats) -> Floats:
        """Return what each feature adds to the scores of rows: (m, features, width).

        Parameters
        ----------
        score : callable
            Returns the scores of encoded rows, (m, width).
        """
        steps = int(self.step_of.max()) + 1
        size = max(1, _BATCH // (2 * steps))
        blocks = [
            self._moves(score, rows[start : start + size], steps)
            for start in range(0, max(len(rows), 1), size)
        ]
        return np.concatenate(blocks)[:, self.step_of] * self.shares[None, :, None]

    def _moves(self, score: Callable[[Floats], Floats], rows: Floats, steps: int) -> Floats:
        """Return what the scores move by at each step, in the mean of both orders."""
        m, d = rows.shape
        before = np.arange(1, steps)[:, None] > self.step_of  # whose steps are done, forwards
        masks = np.concatenate([before, ~before])  # after each step but the last, and the reverse
        mixed = np.broadcast_to(self.typical, (m, len(masks), d)).copy()
        mixed[:, :, self.columns] = np.where(
            masks, rows[:, None, self.columns], mixed[:, :, self.columns]
        )
        # All at once, because a call of an estimator takes long.
        found = score(
            np.concatenate([self.typical[None], self._replaced(rows), mixed.reshape(-1, d)])
        )
        width = found.shape[1]
        first, last = np.broadcast_to(found[0], (m, 1, width)), found[1 : m + 1, None]
        between = found[m + 1 :].reshape(m, 2, steps - 1, width)
        forwards = np.diff(np.concatenate([first, between[:, 0], last], axis=1), axis=1)
        # What is left after the reverse order has replaced the later steps belongs to the earlier.
        backwards = -np.diff(np.concatenate([last, between[:, 1], first], axis=1), axis=1)
        return (forwards + backwards) / 2

    def _replaced(self, rows: Floats) -> Floats:
        """Return the typical row with all features replaced."""
        whole = np.tile(self.typical, (len(rows), 1))
        whole[:, self.columns] = rows[:, self.columns]
        return whole
