"""Which fold a row is in, by its content, and what is learned without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vicinal.index.cells import range_hashes
from vicinal.typing import Bools, Floats, Ints, Words

#: By the number of folds, those that the first run is without; every further run is without the
#: folds that come one later. Each pair of folds is left out together exactly once, because each
#: distance around the cycle occurs exactly once: these are perfect difference sets. 13 runs that
#: are without 4 of 13 folds each do what takes 78 without 2 each.
LEFT_OUT_TOGETHER = {3: (0, 1), 7: (0, 1, 3), 13: (0, 1, 3, 9)}
#: Numbers are told apart to this part of half their range, and out to so many halves.
_GRAIN = 2.0**20
_FARTHEST = 1e6


@dataclass(frozen=True, eq=False)
class Folds:
    """Assigns each row to a fold by a hash of its values.

    What is learned from outcomes is learned in as many runs as there are folds, each without one
    fold, or without several, so that there is a run without each pair. A stored case gets the mean
    of the runs without its own fold, a new row that of all runs. Only with pairs of folds can
    leave-one-out be trusted: what a neighbor got from a run without its own fold alone has seen
    the outcome that is left out, and tells it the more the fewer cases there are.

    Equal rows are in the same fold, whenever they come; neither the order of rows nor the unit,
    zero point or sign of a column matters (but for the sign of one whose values lie evenly about
    the middle of their range).

    Parameters
    ----------
    columns : ndarray of int64
        Encoded columns that are hashed.
    nominal : ndarray of bool
        Whether each of them is nominal.
    middles, halves : ndarray
        Middle and half width of the range of each, when the folds were made. The half width is
        negative where most distinct values lie below the middle.
    count : int
        Number of folds.
    seed : int
        Random seed.
    pairs : bool
        Whether there is a run without each pair of folds; see `LEFT_OUT_TOGETHER`.
    """

    columns: Ints
    nominal: Bools
    middles: Floats
    halves: Floats
    count: int
    seed: int
    pairs: bool = False

    @classmethod
    def of(
        cls,
        values: Floats,
        columns: Ints,
        nominal: Bools,
        *,
        count: int,
        seed: int,
        pairs: bool = False,
    ) -> Folds:
        """Define folds by the ranges of these rows.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.folds import Folds
        >>> values = np.array([[1.0], [2.0], [1.0], [7.0]])
        >>> folds = Folds.of(values, np.array([0]), np.array([False]), count=2, seed=0)
        >>> found = folds.of_rows(values)
        >>> bool(found[0] == found[2]), set(found.tolist()) <= {0, 1}
        (True, True)
        """
        some = values[:, columns]
        lowest = np.fmin.reduce(some, axis=0, initial=np.inf)
        highest = np.fmax.reduce(some, axis=0, initial=-np.inf)
        known = highest >= lowest
        lowest, highest = np.where(known, lowest, 0.0), np.where(known, highest, 0.0)
        # Halved first, because a sum of huge numbers would overflow.
        middles = lowest / 2 + highest / 2
        halves = np.where(highest > lowest, highest / 2 - lowest / 2, 1.0)
        folds = cls(columns, nominal, middles, halves, count, seed, pairs)
        signs = [1.0 if named else folds._sign(some[:, i], i) for i, named in enumerate(nominal)]
        return replace(folds, halves=halves * np.array(signs))

    @cached_property
    def left_out(self) -> Bools:
        """Which folds each run is without, (runs, folds)."""
        alone = np.eye(self.count, dtype=bool)
        steps = LEFT_OUT_TOGETHER[self.count] if self.pairs else (0,)
        return np.any([np.roll(alone, step, axis=1) for step in steps], axis=0)

    def runs_without(self, *folds: int) -> list[int]:
        """Return the runs that are without all of these folds.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.folds import Folds
        >>> values = np.array([[1.0], [2.0]])
        >>> one, none = np.array([0]), np.array([False])
        >>> folds = Folds.of(values, one, none, count=3, seed=0, pairs=True)
        >>> folds.left_out.astype(int).tolist()
        [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
        >>> folds.runs_without(1), folds.runs_without(1, 2)
        ([0, 1], [1])
        """
        runs: list[int] = np.flatnonzero(self.left_out[:, list(folds)].all(axis=1)).tolist()
        return runs

    def runs_of(self, folds: Ints) -> Ints:
        """Return the runs without each of some folds, (runs without one, m)."""
        return np.ascontiguousarray(self._runs_without_one[folds].T)

    @cached_property
    def _runs_without_one(self) -> Ints:
        return np.array([self.runs_without(fold) for fold in range(self.count)])

    def of_rows(self, values: Floats) -> Ints:
        """Return the fold of each row."""
        return self.of_hashes(self.hashes(values))

    def of_hashes(self, hashes: Words) -> Ints:
        """Return the fold of each row, given its hash."""
        return ((hashes >> np.uint64(11)) % np.uint64(self.count)).astype(np.int64)

    def hashes(self, values: Floats) -> Words:
        """Return a hash of each row; equal rows have equal hashes."""
        return range_hashes(
            values,
            self.columns,
            self.nominal,
            self.middles,
            self.halves,
            steps=_GRAIN,
            farthest=_FARTHEST,
            seed=self.seed % (1 << 63),
        )

    def _places(self, cells: Floats, place: int) -> Floats:
        """Return where numbers lie about the middle, in whole steps."""
        # Halved first, because a difference of huge numbers would overflow.
        far = (cells / 2 - self.middles[place] / 2) / (self.halves[place] / 2)
        return np.round(np.clip(far, -_FARTHEST, _FARTHEST) * _GRAIN)

    def _sign(self, cells: Floats, place: int) -> float:
        """Return −1 where distinct numbers lie below the middle in the mean, by over a step."""
        # Numbers are not folded about the middle: zeros and ones would be alike, and all rows of
        # a table of such columns. Distinct ones alone count, so repeated rows change nothing.
        places = np.unique(self._places(cells[~np.isnan(cells)], place))
        return -1.0 if places.sum() < -len(places) else 1.0
