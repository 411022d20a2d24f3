"""Predictions for changed rows, as the search for counterfactuals needs them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from vicinal.counterfactual.goal import Goal
from vicinal.counterfactual.observed import values_between
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.terms import case_terms
from vicinal.influence.answer import Answer
from vicinal.influence.ensemble import Ensemble, Member
from vicinal.prediction.heaviest import mean_weights
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Bools, Floats, Ints

#: Number of spaces used for quick estimates: those with the largest shares.
_QUICK_SPACES = 2
#: Number of cases whose effort is computed at a time, which bounds memory for their terms.
_BLOCK = 65_536


@dataclass(eq=False)
class Oracle:
    """The model's predictions for one goal: each row once, and without a case if one is given."""

    predictor: Predictor
    goal: Goal
    case: int = -1
    _known: dict[bytes, tuple[bool, float]] = field(default_factory=dict)
    _metrics: list[tuple[Metric, float]] | None = None

    def __post_init__(self) -> None:
        self.index, self.ensemble = self.predictor.index, self.predictor.ensemble
        self.target, self.threads = self.predictor.target, self.predictor.threads
        self._quick = quick_ensemble(self.ensemble)

    def ask(self, rows: Floats) -> tuple[Bools, Floats]:
        """Return whether each row meets the goal, and its score: higher is closer."""
        keys = [row.tobytes() for row in rows]
        new = {key: at for at, key in enumerate(keys) if key not in self._known}
        if new:
            asked = rows[list(new.values())]
            met, score = self.goal.judge(self._answered(self.ensemble, asked))
            told = zip(met.tolist(), score.tolist(), strict=True)
            self._known.update(zip(new, told, strict=True))
        pairs = [self._known[key] for key in keys]
        return np.array([met for met, _ in pairs], dtype=bool), np.array([s for _, s in pairs])

    def guess(self, rows: Floats) -> Floats:
        """Estimate how close rows are to the goal, in a fraction of the time."""
        return self.goal.judge(self._answered(self._quick, rows))[1]

    def _answered(self, ensemble: Ensemble, rows: Floats) -> Answer:
        exclude = None if self.case < 0 else np.full(len(rows), self.case, dtype=np.int64)
        return self.predictor.scored(self.predictor.answered(ensemble, rows, exclude))

    def observed(self, column: int, lower: float = -np.inf, upper: float = np.inf) -> Floats:
        """Return the distinct observed values of a column within bounds, ascending."""
        return values_between(self.predictor.fitted, column, lower, upper)["values"]

    def depends_on(self, column: int) -> bool:
        """Return whether any prediction depends on a column."""
        return bool(self.weights[column] > 0)

    @cached_property
    def weights(self) -> Floats:
        """How much predictions depend on each column: its share of all weights, in the mean."""
        return mean_weights(self._spaces(), len(self.index.kinds))

    def effort(self, row: Floats, values: Floats) -> Floats:
        """Return the effort of changing a row into others (m, d), by feature.

        It is the surprisal of the differences in excess of that of equal values, weighted as in
        the spaces that the target is predicted in.
        """
        if not self.ensemble.members:
            return np.zeros(values.shape)
        small = ExactIndex(values, self.index.kinds)
        return self._effort(small, row, np.arange(len(values)))

    def effort_to_cases(self, row: Floats, cases: Ints) -> Floats:
        """Return the same for stored cases, summed over the features."""
        parts = [
            self._effort(self.index, row, cases[start : start + _BLOCK]).sum(axis=1)
            for start in range(0, len(cases), _BLOCK)
        ]
        return np.concatenate([np.empty(0), *parts])

    def _effort(self, index: Index, row: Floats, numbers: Ints) -> Floats:
        total = np.zeros((len(numbers), len(row)))
        for metric, share in self._spaces():
            terms = case_terms(index, row[None], numbers[None], metric, threads=self.threads)[0]
            excess = np.maximum(np.nan_to_num(terms, nan=SAME) - SAME, 0.0)
            total += share * metric.weights * excess
        return total

    def _spaces(self) -> list[tuple[Metric, float]]:
        """The metrics of encoded rows, and the share of the prediction that each has."""
        if self._metrics is None:
            shares, spaces = _space_shares(self.ensemble), self.ensemble.spaces
            self._metrics = [
                (self.predictor.cases.metric(spaces[number].metric), share)
                for number, share in shares.items()
            ]
        return self._metrics


def quick_ensemble(ensemble: Ensemble) -> Ensemble:
    """Return an ensemble of the spaces with the largest shares, with simple influences.

    Examples
    --------
    >>> from vicinal.counterfactual.oracle import quick_ensemble
    >>> from vicinal.influence.ensemble import Ensemble, Member
    >>> members = (Member(0, "linear", 1.0, 0.3, 0.5), Member(0, "centered", 1.0, 3.0, 0.5))
    >>> quick_ensemble(Ensemble(0, (), members, 60, 0.0)).members
    (Member(space=0, rule='probability', bandwidth=1.0, ridge=inf, share=1.0),)
    """
    shares = _space_shares(ensemble)
    kept = sorted(shares, key=lambda number: (-shares[number], number))[:_QUICK_SPACES]
    together: dict[tuple[int, str, float], float] = {}
    for one in ensemble.members:
        if one.space in kept:
            rule = "inverse" if one.rule == "inverse" else "probability"
            key = (one.space, rule, one.bandwidth)
            together[key] = together.get(key, 0.0) + one.share
    if not together:  # no feature has information about the target
        return ensemble
    whole = sum(together.values()) / (1.0 - ensemble.background)
    members = tuple(
        Member(space, rule, bandwidth, np.inf, share / whole)
        for (space, rule, bandwidth), share in together.items()
    )
    return replace(ensemble, members=members)


def _space_shares(ensemble: Ensemble) -> dict[int, float]:
    shares: dict[int, float] = {}
    for member in ensemble.members:
        shares[member.space] = shares.get(member.space, 0.0) + abs(member.share)
    return shares
