"""Compute the contribution of each feature from the predictions of coalitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from vicinal.explain.boundary import mean_metric
from vicinal.explain.case_samples import CaseSample, adjusted, samples_of
from vicinal.explain.coalitions import baseline as expected_outcome
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.equal_columns import average_equal, equal_columns
from vicinal.fitted import Rows
from vicinal.index.coalitions import Coalition, coalition_of, prefixes
from vicinal.prediction.predictor import Predictor
from vicinal.progress import track
from vicinal.typing import Floats

Chain = tuple[int, ...]

#: Maximum numbers of coalition predictions to store and of coalitions to predict at a time, which
#: bound memory.
_MOST_NUMBERS, _MOST_COALITIONS = 1 << 22, 1 << 14
#: Number of orders to sample if there are too many features for all orders.
PERMUTATIONS = 32
#: Of thousands of features fewer, with so many features in all orders together.
_MOST_PLACES, _LEAST_PERMUTATIONS = 64_000, 8
#: Of more features than this, so many are explained one by one: those with the greatest weights.
MANY, ONE_BY_ONE = 200, 64


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
    n_permutations: int | None = None,
    exact_up_to: int = 10,
    random_state: int = 0,
    baseline: str = "auto",
) -> Explained:
    r"""Compute the contribution of each column to predictions.

    With up to `exact_up_to` columns, all coalitions are evaluated; with more, `n_permutations`
    orders (by default, `usual_permutations`) are sampled in pairs of an order and its reverse, the
    same for all rows.

    In a large table, each pair of orders (or all coalitions) is predicted from another sample of
    the cases, so that standard errors include what the sampling of cases adds. What the mean over
    the samples lacks to the prediction from all cases is shared by the features; see `adjusted`.

    Of many columns, those with the greatest weights are explained one by one, as if all were.
    Along an order, others that come between two of them are added at once, and share what they
    change in proportion to their weights.

    Notes
    -----
    With v(S) the prediction from the columns S, the contribution of column i is
    :math:`\sum_{S \not\ni i} \frac{|S|!\,(d-|S|-1)!}{d!}\,[v(S \cup i) - v(S)]`, the mean over
    all orders of what i adds to those before it. In each order these differences sum to the
    prediction minus the baseline, so their mean does too, whichever orders are sampled.
    """
    able, target = predictor.players(), predictor.target
    n_permutations = n_permutations or usual_permutations(len(able))
    exact = len(able) <= exact_up_to
    chains = _all_subsets(able) if exact else orders(able, n_permutations, random_state)
    width = target.n_classes or 1
    parts = []
    samples = samples_of(predictor, baseline) if able else []
    games = _planned(chains, able, exact, samples)
    weights, only = np.ones(rows.values.shape[1]), None
    if not exact and len(able) > MANY:
        weights = mean_metric(predictor).weights
        only = _around(chains, weights, able, bool(samples))
    most = max(sum(map(len, block)) for block, _ in games)
    size = max(1, _MOST_NUMBERS // (max(most, 1) * (width + 2)))
    batches = rows.batches(size) if len(rows) else [rows]
    for some in track(batches, total=-(-len(rows) // size), what="explaining features"):
        said = predictor.answer(some)
        whole = said.values[:, None] if said.probabilities is None else said.probabilities
        nothing = expected_outcome(target)
        whole = target.near(whole, nothing)
        columns = rows.values.shape[1]
        found, errors = _mean(
            one
            for block, sample in games
            for one in _Game(
                *coalition_values(predictor, block, some, only=only, sample=sample),
                nothing,
                whole,
                able,
                weights,
            ).contributions(block, columns, exact=exact)
        )
        if games[0][1] is not None:
            found[:, able] = adjusted(found[:, able], whole - nothing)
        elif exact:
            errors = np.zeros_like(errors)
        parts.append((found, errors, whole))
    values, errors, predictions = (np.concatenate(one) for one in zip(*parts, strict=True))
    groups = equal_columns(predictor, able)
    return Explained(
        average_equal(values, rows.values, groups),
        average_equal(errors, rows.values, groups),
        expected_outcome(target),
        predictions,
    )


def usual_permutations(n_features: int) -> int:
    """Return how many orders of so many features are sampled by default.

    Examples
    --------
    >>> from vicinal.explain.shapley import usual_permutations
    >>> usual_permutations(2000), usual_permutations(5000), usual_permutations(100_000)
    (32, 12, 8)
    """
    pairs = _MOST_PLACES // max(2 * n_features, 1)
    return min(PERMUTATIONS, max(_LEAST_PERMUTATIONS, 2 * pairs))


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


def _around(
    chains: list[Chain], weights: Floats, able: list[int], sampled: bool
) -> set[Coalition]:
    """Return the coalitions just before and just after each of the heaviest columns."""
    heaviest = set(sorted(able, key=lambda column: (-weights[column], column))[:ONE_BY_ONE])
    wanted = set()
    for chain in chains:
        before: Coalition = 0
        for column, coalition in zip(chain, prefixes(chain), strict=True):
            if column in heaviest:
                wanted |= {before, coalition}
            before = coalition
    everything = coalition_of(able)
    return wanted | {everything} if sampled else wanted - {0, everything}


def _planned(
    chains: list[Chain], able: list[int], exact: bool, samples: list[CaseSample]
) -> list[tuple[list[Chain], CaseSample | None]]:
    """Divide chains into blocks of few coalitions, each predicted from a sample or all cases.

    An order and its reverse stay together.
    """
    if exact:
        # Without a sample, the full set is what the model predicts.
        return [([*chains, tuple(able)], one) for one in samples] or [(chains, None)]
    step = max(1, _MOST_COALITIONS // (2 * max(len(chains[0]), 1)))
    if samples:
        step = 1
    starts = range(0, len(chains), 2 * step)
    blocks = [chains[start : start + 2 * step] for start in starts]
    turns = [samples[at % len(samples)] if samples else None for at in range(len(blocks))]
    return list(zip(blocks, turns, strict=True))


def _mean(games: Iterator[Floats]) -> tuple[Floats, Floats]:
    """Return the mean contributions over pairs of orders, or samples, and standard errors."""
    first, count = next(games), 1
    total, squares = np.zeros_like(first), np.zeros_like(first)
    for one in games:
        count += 1
        total += one - first
        squares += (one - first) ** 2
    shift = total / count
    spread = np.maximum(squares / count - shift**2, 0.0)
    # A single pair gives no estimate of the variance.
    errors = np.sqrt(spread / (count - 1)) if count > 1 else np.full_like(spread, np.nan)
    return first + shift, errors


@dataclass(frozen=True, eq=False)
class _Game:
    """The predictions of some coalitions, for some rows."""

    places: dict[Coalition, int]
    values: Floats
    nothing: Floats
    whole: Floats
    able: list[int]
    weights: Floats  # (columns,)

    def said(self, coalition: Coalition) -> Floats:
        """The predictions of a coalition (m, width), including the empty and the full one."""
        if not coalition:
            return np.broadcast_to(self.nothing, self.whole.shape)
        place = self.places.get(coalition)
        return self.whole if place is None else self.values[:, place]

    def contributions(self, chains: list[Chain], columns: int, *, exact: bool) -> Iterator[Floats]:
        """Yield exact contributions once, or those of each order and its reverse."""
        return iter([self.exact(columns)]) if exact else self.pairs(chains, columns)

    def exact(self, columns: int) -> Floats:
        """Exact contributions from all coalitions."""
        out = np.zeros((len(self.whole), columns, len(self.nothing)))
        d = len(self.able)
        for size in range(d):
            part = 1.0 / (d * comb(d - 1, size)) if d else 0.0
            for members in combinations(self.able, size):
                before = coalition_of(members)
                value = self.said(before)
                for column in self.able:
                    if column not in members:
                        out[:, column] += part * (self.said(before | 1 << column) - value)
        return out

    def pairs(self, chains: list[Chain], columns: int) -> Iterator[Floats]:
        """Yield the mean contributions along each order and its reverse."""
        for order, reverse in zip(chains[::2], chains[1::2], strict=True):
            yield (self._along(order, columns) + self._along(reverse, columns)) / 2

    def _along(self, order: Chain, columns: int) -> Floats:
        """What each column adds to those before it."""
        out = np.zeros((len(self.whole), columns, len(self.nothing)))
        value = self.said(0)
        together: list[int] = []
        for column, coalition in zip(order, prefixes(order), strict=True):
            together.append(column)
            if coalition not in self.places and len(order) > coalition.bit_count():
                continue
            following = self.said(coalition)
            weights = self.weights[together]
            weights = weights if weights.any() else np.ones(len(weights))
            shares = weights / weights.sum()
            out[:, together] = (following - value)[:, None, :] * shares[:, None]
            value, together = following, []
        return out
