"""Compute the contribution of each feature from the predictions of coalitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb

import numpy as np

from vicinal.explain.boundary import mean_metric
from vicinal.explain.case_samples import CaseSample, adjusted, samples_of, summed
from vicinal.explain.coalitions import baseline as expected_outcome
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.equal_columns import average_equal, equal_columns
from vicinal.explain.orders import Chain, orders, usual_permutations
from vicinal.explain.precision import is_precise
from vicinal.explain.set_regression import FEATURES, SetRegression
from vicinal.explain.space_shares import SpaceGroup, space_groups
from vicinal.fitted import Rows
from vicinal.index.coalitions import Coalition, coalition_of, prefixes
from vicinal.influence.target import Target
from vicinal.prediction.heaviest import MANY, heaviest
from vicinal.prediction.predictor import Predictor
from vicinal.progress import track
from vicinal.typing import Bools, Floats, Ints

#: Maximum numbers of coalition predictions to store and of coalitions to predict at a time, which
#: bound memory.
_MOST_NUMBERS, _MOST_COALITIONS = 1 << 22, 1 << 14
#: By default, all coalitions of up to so many features are evaluated.
_EXACT = 10
#: Unless their number is given, so many orders are sampled at a time, until standard errors are
#: small enough.
STEP = 8
#: Pairs of orders that standard errors are estimated from, at least.
_FEWEST_PAIRS = 2
#: A variance among few pairs is a rough guess. That of all features together counts as so many
#: more pairs.
_POOLED = 4


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
    exact_up_to: int = _EXACT,
    random_state: int = 0,
    baseline: str = "auto",
) -> Explained:
    r"""Compute the contribution of each column to predictions.

    With up to `exact_up_to` columns, all coalitions are evaluated. With more, up to 64,
    contributions are by default a regression on balanced sets of them, more of which are taken
    until a row's standard errors are small enough (`ENOUGH`); see `SetRegression`.

    With `n_permutations`, and in other tables, orders are sampled in pairs of an order and its
    reverse, the same for all rows: so many of them, or `STEP` at a time until errors are small
    enough, and at most `usual_permutations`. Spaces that have a small share in predictions take
    fewer orders by default; see `space_groups`.

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
    samples = samples_of(predictor, baseline) if able else []
    exact = len(able) <= exact_up_to
    how: _Chains | SetRegression = SetRegression(predictor, random_state)
    if n_permutations or exact or not _allow_sets(len(able), samples):
        how = _Chains.planned(predictor, samples, n_permutations, random_state, exact=exact)
    size = max(1, _MOST_NUMBERS // (how.numbers * ((target.n_classes or 1) + 2)))
    nothing, parts = expected_outcome(target), []
    batches = rows.batches(size) if len(rows) else [rows]
    for some in track(batches, total=-(-len(rows) // size), what="explaining features"):
        said = predictor.answer(some)
        whole = said.values[:, None] if said.probabilities is None else said.probabilities
        whole = target.near(whole, nothing)
        parts.append((*how.contributions(some, nothing, whole), whole))
    values, errors, predictions = (np.concatenate(one) for one in zip(*parts, strict=True))
    equal = equal_columns(predictor, able)
    return Explained(
        average_equal(values, rows.values, equal),
        average_equal(errors, rows.values, equal),
        nothing,
        predictions,
    )


def takes_sets(predictor: Predictor) -> bool:
    """Return whether contributions are by default a regression on sets of features."""
    count = len(predictor.players())
    return count > _EXACT and _allow_sets(count, samples_of(predictor))


def _allow_sets(count: int, samples: list[CaseSample]) -> bool:
    return count in FEATURES and not samples


@dataclass(frozen=True, eq=False)
class _Chains:
    """Contributions along sampled orders, or from all subsets."""

    predictor: Predictor
    samples: list[CaseSample]
    exact: bool
    groups: list[SpaceGroup]
    #: By group and stage the blocks of chains, each with the cases that predict.
    plans: list[list[list[tuple[list[Chain], CaseSample | None]]]]
    only: set[Coalition] | None  # the coalitions to predict from, if not all
    weights: Floats | None  # by which columns that are added at once share what they change

    @classmethod
    def planned(
        cls,
        predictor: Predictor,
        samples: list[CaseSample],
        n_permutations: int | None,
        random_state: int,
        *,
        exact: bool,
    ) -> _Chains:
        able = predictor.players()
        most_orders = n_permutations or usual_permutations(len(able))
        chains = _all_subsets(able) if exact else orders(able, most_orders, random_state)
        step = len(chains) if exact or n_permutations else STEP
        groups = space_groups(predictor.ensemble, predictor.target)
        if exact or n_permutations:  # orders that are asked for by number are those of all spaces
            groups = [groups[0].joined(groups[1:])]
        plans = [_planned(chains, able, exact, samples, step, one.part) for one in groups]
        weights, only = None, None
        if not exact and len(able) > MANY:
            weights = mean_metric(predictor).weights
            only = _around(chains, weights, able)
        return cls(predictor, samples, exact, groups, plans, only, weights)

    @property
    def numbers(self) -> int:
        """The greatest number of coalitions that are predicted at a time."""
        return max(1, *(sum(map(len, block)) for games in self.plans[0] for block, _ in games))

    def contributions(self, some: Rows, nothing: Floats, whole: Floats) -> tuple[Floats, Floats]:
        """Return contributions (m, columns, width) and their standard errors."""
        able, target = self.predictor.players(), self.predictor.target
        columns = some.values.shape[1]
        weights = np.ones(columns) if self.weights is None else self.weights
        means = _GroupMeans(len(self.groups), (len(some), columns, len(nothing)), able)
        # What the first group predicts without any feature and with all: the rest of the others.
        ends = [nothing, whole.copy()]
        left, asked = np.arange(len(some)), some
        for at in range(len(self.plans[0])):
            left = left[~means.enough(left, target)] if at else left
            if not len(left):
                break
            if len(left) < len(asked):  # what was worked out for the same rows is kept
                asked = some.take(left)
            for number in reversed(range(len(self.groups))):
                group = self.groups[number]
                low = ends[0] if not number else group.share * nothing
                for turn, (block, sample) in enumerate(self.plans[number][at]):
                    found = coalition_values(
                        self.predictor,
                        block,
                        asked,
                        only=self.only,
                        sample=sample,
                        spaces=group.spaces,
                        background=not number,
                    )
                    game = _Game(*found, low, ends[1][left], able, weights)
                    if number and not at and not turn:
                        ends = [ends[0] - low, ends[1] - game.said(coalition_of(able))]
                    for one in game.contributions(block, columns, exact=self.exact):
                        means.add(number, left, one)
        values = means.means()
        if self.samples:
            values[:, able] = adjusted(values[:, able], whole - nothing)
        known = self.exact and not self.samples
        return values, np.zeros_like(values) if known else means.errors()


def _all_subsets(columns: list[int]) -> list[Chain]:
    return [one for size in range(1, len(columns)) for one in combinations(columns, size)]


def _around(chains: list[Chain], weights: Floats, able: list[int]) -> set[Coalition]:
    """Return the coalitions just before and just after each of the heaviest columns."""
    alone = set(heaviest(able, weights))
    wanted = set()
    for chain in chains:
        before: Coalition = 0
        for column, coalition in zip(chain, prefixes(chain), strict=True):
            if column in alone:
                wanted |= {before, coalition}
            before = coalition
    return (wanted | {coalition_of(able)}) - {0}


def _planned(
    chains: list[Chain],
    able: list[int],
    exact: bool,
    samples: list[CaseSample],
    step: int,
    part: float,
) -> list[list[tuple[list[Chain], CaseSample | None]]]:
    """Divide chains into stages of so many, and a part of these into blocks of few coalitions.

    A stage may have none if those before it had enough. Each block is predicted from a sample or
    all cases; an order and its reverse stay together.
    """
    if exact:
        # Without a sample, the full set is what the model predicts.
        return [[([*chains, tuple(able)], one) for one in samples] or [(chains, None)]]
    size = 2 * max(1, _MOST_COALITIONS // (2 * max(len(chains[0]), 1)))
    if samples:
        size = 2
    stages, turn, taken = [], 0, 0
    for first in range(0, len(chains), step):
        some, games = chains[first : first + step], []
        due = max(_FEWEST_PAIRS, ceil(part * (first + len(some)) / 2)) - taken
        some, taken = some[: 2 * due], taken + min(due, len(some) // 2)
        for start in range(0, len(some), size):
            sample = samples[turn % len(samples)] if samples else None
            games.append((some[start : start + size], sample))
            turn += 1
        stages.append(games)
    return stages


class _Means:
    """The contributions of some rows from pairs of orders, or samples, that come one by one."""

    def __init__(self, shape: tuple[int, int, int], able: list[int]) -> None:
        self._able = able
        self.count = np.zeros((shape[0], 1, 1))
        self._first, self._total, self._squares = (np.zeros(shape) for _ in range(3))

    def add(self, rows: Ints, one: Floats) -> None:
        """Add the contributions of some of the rows, those that go on, from one pair of orders."""
        if not self.count.any():
            self._first[rows] = one
        self.count[rows] += 1
        self._total[rows] += one - self._first[rows]
        self._squares[rows] += (one - self._first[rows]) ** 2

    def means(self) -> Floats:
        """Return the mean contributions."""
        return self._first + self._total / np.maximum(self.count, 1)

    def errors(self) -> Floats:
        """Return their standard errors; NaN if a single pair gives no estimate of the variance.

        A feature that contributes the same in every order has none.
        """
        count = self.count
        spread = np.maximum(self._squares / count - (self._total / count) ** 2, 0.0)
        errors = np.full_like(spread, np.nan)
        several = count[:, 0, 0] > 1
        own, n = spread[several], count[several]
        pooled = summed(own[:, self._able], 1)[:, None] / max(len(self._able), 1)
        mixed = ((n - 1) * own + _POOLED * pooled) / (n - 1 + _POOLED)
        errors[several] = np.sqrt(np.where(own > 0, mixed, 0.0) / (n - 1))
        return errors


class _GroupMeans:
    """The contributions of several groups of spaces, which add up."""

    def __init__(self, count: int, shape: tuple[int, int, int], able: list[int]) -> None:
        self._able = able
        self._groups = [_Means(shape, able) for _ in range(count)]

    def add(self, group: int, rows: Ints, one: Floats) -> None:
        """Add what a group contributes to some of the rows along a pair of orders."""
        self._groups[group].add(rows, one)

    def means(self) -> Floats:
        """Return the contributions of all groups together."""
        first, *others = [group.means() for group in self._groups]
        return sum(others, first)

    def errors(self) -> Floats:
        """Return their standard errors, as if groups varied together where they share orders.

        Along the same order, groups contribute much the same by their shares. Means over n and m
        orders, of which m are the same ones, then have √(m ÷ n) as their correlation.
        """
        first, *others = self._groups
        errors, count = first.errors(), first.count
        for group in others:
            own = group.errors()
            both = 2.0 * np.sqrt(group.count / count) * errors * own
            errors = np.sqrt(errors**2 + own**2 + both)
        return errors

    def enough(self, rows: Ints, target: Target) -> Bools:
        """Say which of the rows have standard errors that are small enough."""
        return is_precise(self.errors()[rows][:, self._able], target)


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
