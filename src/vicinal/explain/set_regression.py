"""Contributions of features from the predictions of balanced sets of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vicinal.explain.balanced_sets import FEWEST, MOST, BalancedSets, balanced_sets
from vicinal.explain.case_samples import summed
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.precision import is_precise
from vicinal.explain.space_shares import additive_shares
from vicinal.fitted import Rows
from vicinal.index.coalitions import coalition_of
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats, Ints

#: Numbers of features that are explained by sets; of fewer and of more, orders are sampled.
FEATURES = range(5, 65)


@dataclass(frozen=True)
class SetRegression:
    """Estimates contributions by a regression of predictions on sets of features.

    A prediction is a mean over spaces, so the mean over sets that are each predicted by one space,
    in proportion to their shares, is that of all. Spaces then add little to the time.

    Parameters
    ----------
    predictor : Predictor
        What predicts from sets of its players.
    random_state : int
        Random seed for sampling sets.
    """

    predictor: Predictor
    random_state: int

    @property
    def numbers(self) -> int:
        """How many numbers there are for each row, at most."""
        return MOST * len(self.predictor.players()) ** 2

    def contributions(self, rows: Rows, nothing: Floats, whole: Floats) -> tuple[Floats, Floats]:
        """Return contributions (m, columns, width) and their standard errors.

        They sum to the whole prediction without that of nothing. Rows take more sets until they
        are precise.
        """
        able, wanted = self.predictor.players(), whole - nothing
        values = np.zeros((*rows.values.shape, wanted.shape[1]))
        errors = np.zeros_like(values)
        left = np.arange(len(rows))
        queries = self.predictor.cases.rows(rows.values, rows.exclude)
        gaps, known = np.empty((len(rows), 0, wanted.shape[1])), 0
        for rounds in range(FEWEST, MOST + 1):
            design = balanced_sets(len(able), rounds, self.random_state)
            more = self._gaps(design, known, rows, queries, left)
            gaps, known = np.concatenate([gaps, more], axis=1), len(design.sets)
            found, spread = _regressed(design, gaps, wanted[left])
            places = np.ix_(left, np.array(able))
            values[places], errors[places] = found, spread
            lacking = ~is_precise(spread, self.predictor.target)
            if not lacking.any():
                break
            left, gaps = left[lacking], gaps[lacking]
        return values, errors

    def _gaps(
        self, design: BalancedSets, first: int, rows: Rows, queries: Floats, left: Ints
    ) -> Floats:
        """Half of what each set from the first on predicts above all others, for rows left."""
        able, width = self.predictor.players(), self.predictor.target.n_classes or 1
        out = np.empty((len(left), len(design.sets) - first, width))
        for spaces, factor, places in self._divided(design.turns[first:]):
            if not len(places):
                continue
            chains = [
                tuple(able[at] for at in np.flatnonzero(one))
                for which in design.sets[first:][places]
                for one in (which, ~which)
            ]
            sets = [coalition_of(chain) for chain in chains]
            found, values = coalition_values(
                self.predictor,
                chains,
                rows,
                only=set(sets),
                spaces=spaces,
                background=spaces is None,
                places=left,
                queries=queries,
            )
            slots = np.array([found[one] for one in sets])
            out[:, places] = factor / 2 * (values[:, slots[::2]] - values[:, slots[1::2]])
        return out

    def _divided(self, turns: Floats) -> Iterator[tuple[list[int] | None, float, Ints]]:
        """Yield spaces, what their predictions are multiplied by, and the places of their sets."""
        shares = additive_shares(self.predictor.ensemble, self.predictor.target)
        shares = {space: share for space, share in shares.items() if share > 0}
        if len(shares) < 2:
            yield None, 1.0, np.arange(len(turns))
            return
        total = sum(shares.values())
        bounds = np.cumsum(list(shares.values())) / total
        turn = np.minimum(np.searchsorted(bounds, turns, side="right"), len(bounds) - 1)
        for at, (space, share) in enumerate(shares.items()):
            yield [space], total / share, np.flatnonzero(turn == at)


def _regressed(design: BalancedSets, gaps: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Return contributions (m, d, width) and their standard errors from the gaps of all sets.

    The regression takes a part of each residual, its leverage h, so squares are divided by 1 − h
    (HC2). From few sets they are a rough guess; features err much alike, so they share their mean.
    Sets that are as different as possible may err in opposite directions: then contributions are
    closer than their standard errors say.
    """
    sets, d = design.sets, design.sets.shape[1]
    sizes = sets.sum(axis=1)
    own = gaps - (sizes / d - 0.5)[:, None] * wanted[:, None]
    found = _product(own, design.matrix)
    residuals = own - _product(found, (sets - sizes[:, None] / d).T)
    factors = (design.matrix**2).sum(axis=1) / (1.0 - design.leverages) / d
    spread = np.sqrt(summed(residuals**2 * factors[:, None], 1))
    return found + wanted[:, None] / d, np.broadcast_to(spread[:, None], found.shape)


def _product(values: Floats, matrix: Floats) -> Floats:
    """Multiply (m, n, width) by (n, d), the same bits for any number of rows."""
    return summed(values[:, :, None, :] * matrix[:, :, None], 1)
