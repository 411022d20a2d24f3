"""Compute the contribution of each feature from the predictions of coalitions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from vicinal.explain.coalitions import Coalition, baseline, coalition_values
from vicinal.explain.equal_columns import average_equal, equal_columns
from vicinal.fitted import Rows
from vicinal.prediction.predictor import Predictor
from vicinal.progress import track
from vicinal.typing import Floats

Chain = tuple[int, ...]

#: Maximum number of coalition predictions to store at a time, which bounds memory.
_MOST_NUMBERS = 1 << 22
#: Number of orders to sample if there are too many features for all orders.
PERMUTATIONS = 32


@dataclass(frozen=True, eq=False)
class Explained:
    """Contributions of all columns to the predictions of some rows."""

    #: (m, d, width): by encoded column; 0 for columns without any effect.
    values: Floats
    standard_errors: Floats
    baseline: Floats  # (width,): the prediction without any columns
    predictions: Floats  # (m, width): the predictions with all columns


def explain_features(
    predictor: Predictor,
    rows: Rows,
    *,
    n_permutations: int = PERMUTATIONS,
    exact_up_to: int = 10,
    random_state: int = 0,
) -> Explained:
    r"""Compute the contribution of each column to predictions.

    With up to `exact_up_to` columns, all coalitions are evaluated; with more, `n_permutations`
    orders are sampled in pairs of an order and its reverse, the same for all rows.

    Notes
    -----
    With v(S) the prediction from the columns S, the contribution of column i is
    :math:`\sum_{S \not\ni i} \frac{|S|!\,(d-|S|-1)!}{d!}\,[v(S \cup i) - v(S)]`, the mean over
    all orders of what i adds to those before it. In each order these differences sum to the
    prediction minus the baseline, so their mean does too, whichever orders are sampled.
    """
    able, target = predictor.players(), predictor.target
    exact = len(able) <= exact_up_to
    chains = _all_subsets(able) if exact else orders(able, n_permutations, random_state)
    width = target.n_classes or 1
    parts = []
    size = max(1, _MOST_NUMBERS // (max(sum(map(len, chains)), 1) * (width + 2)))
    batches = rows.batches(size) if len(rows) else [rows]
    for some in track(batches, total=-(-len(rows) // size), what="explaining features"):
        said = predictor.answer(some)
        whole = said.values[:, None] if said.probabilities is None else said.probabilities
        nothing = baseline(target)
        whole = target.near(whole, nothing)
        places, values = coalition_values(predictor, chains, some)
        game = _Game(places, values, nothing, whole, able, rows.values.shape[1])
        found, errors = game.exact() if exact else game.sampled(chains)
        parts.append((found, errors, whole))
    values, errors, predictions = (np.concatenate(one) for one in zip(*parts, strict=True))
    groups = equal_columns(predictor, able)
    return Explained(
        average_equal(values, rows.values, groups),
        average_equal(errors, rows.values, groups),
        baseline(target),
        predictions,
    )


def _all_subsets(columns: list[int]) -> list[Chain]:
    return [one for size in range(1, len(columns)) for one in combinations(columns, size)]


def orders(columns: list[int], count: int, random_state: int) -> list[Chain]:
    """Sample orders, each followed by its reverse: early columns in one are late in the other."""
    rng = np.random.default_rng(random_state)
    drawn = []
    for _ in range((count + 1) // 2):
        order = tuple(rng.permutation(columns).tolist())
        drawn += [order, order[::-1]]
    return drawn


@dataclass(frozen=True, eq=False)
class _Game:
    """The predictions of every coalition, for some rows."""

    places: dict[Coalition, int]
    values: Floats
    nothing: Floats
    whole: Floats
    able: list[int]
    columns: int

    def said(self, coalition: Coalition) -> Floats:
        """The predictions of a coalition (m, width), including the empty and the full one."""
        if len(coalition) == len(self.able):
            return self.whole
        if not coalition:
            return np.broadcast_to(self.nothing, self.whole.shape)
        return self.values[:, self.places[coalition]]

    def exact(self) -> tuple[Floats, Floats]:
        """Exact contributions from all coalitions, and their standard errors of 0."""
        out = np.zeros((len(self.whole), self.columns, len(self.nothing)))
        d = len(self.able)
        for size in range(d):
            part = 1.0 / (d * comb(d - 1, size)) if d else 0.0
            for members in combinations(self.able, size):
                before = frozenset(members)
                value = self.said(before)
                for column in self.able:
                    if column not in before:
                        out[:, column] += part * (self.said(before | {column}) - value)
        return out, np.zeros_like(out)

    def sampled(self, chains: list[Chain]) -> tuple[Floats, Floats]:
        """Mean contributions over the sampled orders, and their standard errors."""
        pairs = len(chains) // 2
        total = np.zeros((len(self.whole), self.columns, len(self.nothing)))
        squares = np.zeros_like(total)
        first = None
        for order, reverse in zip(chains[::2], chains[1::2], strict=True):
            mean = (self._along(order) + self._along(reverse)) / 2
            first = mean if first is None else first
            total += mean - first
            squares += (mean - first) ** 2
        assert first is not None
        shift = total / pairs
        spread = np.maximum(squares / pairs - shift**2, 0.0)
        # A single pair gives no estimate of the variance.
        errors = np.sqrt(spread / (pairs - 1)) if pairs > 1 else np.full_like(spread, np.nan)
        return first + shift, errors

    def _along(self, order: Chain) -> Floats:
        """What each column adds to those before it."""
        out = np.zeros((len(self.whole), self.columns, len(self.nothing)))
        value = self.said(frozenset())
        for place, column in enumerate(order):
            following = self.said(frozenset(order[: place + 1]))
            out[:, column] = following - value
            value = following
        return out
