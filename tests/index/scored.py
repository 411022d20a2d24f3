"""Tables with scores: columns that are sums of parts, one of each player."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.naive import explain as naive_explain
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.coalitions import CoalitionTree, players_in, predict_coalitions
from vicinal.index.exact import ExactIndex
from vicinal.index.players import Players

#: In steps whose sums are exact: near zero terms grow with the square, and the twin must know what
#: ties, in whatever order parts are added up.
PARTS = {
    "steps": lambda rng, shape: rng.integers(-3, 4, shape) / 4,
    "gaussian": lambda rng, shape: (1024 * rng.normal(size=shape)).round() / 1024,
    "mostly zero": lambda rng, shape: np.where(rng.random(shape) < 0.8, 0.0, 1.5),
}


class Member(NamedTuple):
    rule: str
    bandwidth: float = 0.8
    ridge: float = 0.3
    share: float = 1.0


class ScoredTable:
    """Four players: a number with its ranks, a category, a number, and one without any column.

    The target is the first column, scores come last. The column of the third player does not
    count, so that it and the fourth player matter to scores only.
    """

    columns = ((1, 2), (3,), (4,), ())

    def __init__(self, n, n_scores, p, seed, missing, weighted, parts="steps"):
        rng = np.random.default_rng(seed)
        number = rng.normal(size=n).round(2)
        category, other = rng.integers(0, 3, n), rng.integers(-2, 3, n)
        ranks = np.argsort(np.argsort(number)) // 2 / n
        raw = np.column_stack([number, ranks, category, other])
        for own in ([0, 1], [2], [3]):
            raw[np.ix_(rng.random(n) < missing, own)] = np.nan
        outcomes = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
        outcomes[:2] = 1.0, 2.0  # someone is left when one case is left out
        self.weights = None
        if weighted:
            self.weights = rng.integers(0, 3, n).astype(float)
            self.weights[:2] = 1.0
        parts, query_parts = (PARTS[parts](rng, (m, 4, n_scores)) for m in (n, 3))
        self.cases = np.column_stack([outcomes, raw, parts.sum(axis=1)])
        self.queries = self.cases[rng.integers(0, n, 3)]
        self.queries[:, 5:] = query_parts.sum(axis=1)
        self.queries[0, 1:3] = np.nan
        # Parts follow from the row, so equal rows have equal ones.
        rows = [one.tobytes() for one in self.queries]
        query_parts = query_parts[[rows.index(one) for one in rows]]
        self.players = Players(self.columns, 5 + np.arange(n_scores), parts, query_parts)
        self.exclude = np.array([-1, 0, int(rng.integers(n))])
        kinds = [NUMERIC, NUMERIC, NUMERIC, NOMINAL, NUMERIC] + [NUMERIC] * n_scores
        weights = np.array([0.0, 1.3, 0.4, 0.7, 0.0, *rng.uniform(0.3, 2.0, n_scores)])
        self.metric = replace(make_metric(self.cases, kinds, 0.6, p=p), weights=weights)
        self.index = ExactIndex(self.cases, self.metric.kinds, self.weights)
        self.able = sorted(self.players.counting(self.metric))

    def sums(self, members, k, *, chains=None, only=None, **options):
        """What each coalition predicts for each query."""
        chains = all_chains(self.able) if chains is None else chains
        tree = CoalitionTree.of_chains(chains, only=only)
        options = {"players": self.players, "exclude": self.exclude, **options}
        found, _ = predict_coalitions(
            options.pop("index", self.index),
            options.pop("metric", self.metric),
            tree,
            options.pop("queries", self.queries),
            lambda values: values[:, None],
            members,
            target=0,
            k=k,
            **options,
        )
        return {
            frozenset(players_in(one)): found[:, slot, 0]
            for slot, one in enumerate(tree.coalitions)
        }

    def naive(self, at, coalition, members, k, metric=None):
        """What the twin says that a coalition predicts for one query."""
        left = np.ones(len(self.cases)) if self.weights is None else self.weights.copy()
        if self.exclude[at] >= 0:
            left[self.exclude[at]] -= 1
        left[np.isnan(self.cases[:, 0])] = 0
        return naive_explain.said_by_players(
            self.queries[at],
            (self.cases, left),
            np.nan_to_num(self.cases[:, 0]),
            self.metric if metric is None else metric,
            self.players,
            self.players.query_parts[at],
            sorted(coalition),
            members,
            k,
        )


def all_chains(players):
    """Every set of players but the empty one, as a chain."""
    return [one for size in range(1, len(players) + 1) for one in combinations(players, size)]


@st.composite
def scored_tables(draw, powers=(1.0,), sizes=(3, 12, 40, 300), scores=(0, 1, 3)):
    return ScoredTable(
        n=draw(st.sampled_from(sizes)),
        n_scores=draw(st.sampled_from(scores)),
        p=draw(st.sampled_from(powers)),
        seed=draw(st.integers(0, 2**32 - 1)),
        missing=draw(st.sampled_from([0.0, 0.2])),
        weighted=draw(st.booleans()),
        parts=draw(st.sampled_from(sorted(PARTS))),
    )


class WideTable(ScoredTable):
    """Nine players: six numbers, the first with its steps, two categories, and no column.

    Numbers are around `shift`, compared with which their differences may be small.
    """

    columns = ((1, 2), (3,), (4,), (5,), (6,), (7,), (8,), (9,), ())

    def __init__(self, n, n_scores, p, seed, digits, shift=0.0):
        rng = np.random.default_rng(seed)
        numbers = rng.normal(size=(n, 6)).round(digits) + shift
        categories = rng.integers(0, 3, (n, 2))
        raw = np.column_stack([numbers[:, 0], numbers[:, 0].round(), numbers[:, 1:], categories])
        raw[:, 2:][rng.random((n, 7)) < 0.05] = np.nan
        self.weights = rng.integers(1, 3, n).astype(float)
        parts, query_parts = (PARTS["gaussian"](rng, (m, 9, n_scores)) for m in (n, 3))
        self.players = Players(self.columns, 10 + np.arange(n_scores), parts, query_parts)
        self.cases = np.column_stack([rng.normal(size=n), raw, parts.sum(axis=1)])
        self.queries = self.cases[rng.integers(0, n, 3)]
        self.queries[:, 10:] = query_parts.sum(axis=1)
        self.exclude = np.array([-1, 0, int(rng.integers(n))])
        kinds = [NUMERIC] * 8 + [NOMINAL] * 2 + [NUMERIC] * n_scores
        weights = np.array([0.0, *10.0 ** rng.uniform(-2, 1, 9 + n_scores)])
        self.metric = replace(make_metric(self.cases, kinds, 0.6, p=p), weights=weights)
        self.index = ExactIndex(self.cases, self.metric.kinds, self.weights)
        self.able = list(range(9))


class ManyColumns(WideTable):
    """A thousand players and more, each one column: numbers, and every ninth a category."""

    def __init__(self, n, p, seed, d=1100, n_scores=0):
        rng = np.random.default_rng(seed)
        raw = rng.normal(size=(n, d)).round(1)
        raw[:, ::9] = rng.integers(0, 3, (n, len(raw[0, ::9])))
        raw[rng.random((n, d)) < 0.02] = np.nan
        self.weights = rng.integers(1, 3, n).astype(float)
        parts, query_parts = (PARTS["gaussian"](rng, (m, d, n_scores)) for m in (n, 3))
        columns = tuple((column,) for column in range(1, d + 1))
        self.players = Players(columns, d + 1 + np.arange(n_scores), parts, query_parts)
        self.cases = np.column_stack([rng.normal(size=n), raw, parts.sum(axis=1)])
        self.queries = self.cases[rng.integers(0, n, 3)]
        self.queries[:, d + 1 :] = query_parts.sum(axis=1)
        self.exclude = np.array([-1, 0, int(rng.integers(n))])
        kinds = [NUMERIC] + [NOMINAL if at % 9 == 0 else NUMERIC for at in range(d)]
        kinds += [NUMERIC] * n_scores
        weights = np.array([0.0, *10.0 ** rng.uniform(-2, 1, d + n_scores)])
        self.metric = replace(make_metric(self.cases, kinds, 0.6, p=p), weights=weights)
        self.index = ExactIndex(self.cases, self.metric.kinds, self.weights)
        self.able = list(range(d))
