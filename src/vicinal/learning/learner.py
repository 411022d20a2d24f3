"""Metrics of one representation, learned on some cases, and the neighbors of others in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.pairs import Pairs
from vicinal.index.protocol import Cases
from vicinal.index.ties import search_ties
from vicinal.influence.nearby import Nearby, nearby_of
from vicinal.influence.target import Target
from vicinal.learning.entropy import all_pairs, entropy_weights, plain_weights
from vicinal.learning.neighborhoods import Group, Neighborhoods
from vicinal.learning.scoring import Scorer
from vicinal.learning.views import Views
from vicinal.typing import Floats, Ints, Places

#: With at least so many cases, the metrics of two halves differ little, and predictions use their
#: mean.
FEWEST_TO_MERGE = 150
#: With fewer, so many neighbors are tried, too: the rule may be one of the nearest few alone.
PLACES_OF_FEW = (13,)
#: How often weights are learned from the first part of the cases, each time with neighbors by the
#: weights learned before; then once more from all. For classes once is enough. Few cases have no
#: first part, and weights are learned from all of them so often.
FIRST_ROUNDS = 2
FIRST_ROUNDS_OF_CLASSES = 1
ROUNDS_OF_FEW = 2
#: Steps of each descent; more of them fit numbers better but predict them no better.
STEPS_OF_NUMBERS, STEPS_OF_CLASSES = 12, 20
#: Where the cases have more cells than this, so many columns stay once weights were learned, those
#: of most weight: otherwise nearly all of the time goes into columns that hardly count.
MOST_CELLS = 1_000_000
MOST_COLUMNS = 256


class Learner:
    """Learns metrics of one representation; their common starting point is computed once.

    Parameters
    ----------
    cases : ndarray of int64
        The cases to learn from; `begun_with` are those to begin with.
    k : int
        Number of neighbors.
    attacked : Views, optional
        Some of the cases where an attacker would move them, to be judged there, too.
    """

    def __init__(
        self,
        views: Views,
        metric: Metric,
        target: Target,
        cases: Ints,
        begun_with: Ints,
        k: int,
        threads: int | None,
        attacked: Views | None = None,
    ) -> None:
        self.views, self.metric, self.target = views, metric, target
        self.attacked = attacked
        self.cases, self.begun_with = np.sort(cases), begun_with
        self.k, self.threads = k, threads
        self.first_rounds = FIRST_ROUNDS_OF_CLASSES if target.n_classes else FIRST_ROUNDS
        self.pairs = all_pairs(views, metric, target, cases)
        # Pairs are of all columns, and so few that it takes no time to look at these.
        self.wide = self.pairs is None and len(views.index) * len(metric.active) > MOST_CELLS

    @cached_property
    def equal(self) -> Metric:
        """The metric with the initial weights."""
        return self.metric.with_weights(plain_weights(self.metric))

    @property
    def places_of_equal(self) -> list[int]:
        """How many neighbors are tried with equal weights, the usual number first."""
        fewer = PLACES_OF_FEW if len(self.cases) < FEWEST_TO_MERGE else ()
        return [self.k, *(k for k in fewer if k < self.k)]

    @cached_property
    def begin(self) -> Neighborhoods:
        """The neighbors of all cases by the initial weights."""
        return self.near(self.equal, self.k)

    def near(self, metric: Metric, k: int) -> Neighborhoods:
        """Return the k nearest neighbors of all cases."""
        return self._near(metric, self.cases, k)

    def learn_first(self, half: Ints, other: Ints) -> tuple[Metric, Neighborhoods]:
        """Learn a metric on the first part of one half, and find neighbors of that of the other.

        This takes a third of the time, and shows which metrics are worth learning.
        """
        metric = self._learned(other[np.isin(other, self.begun_with)], self.first_rounds)
        return metric, self._near(metric, half[np.isin(half, self.begun_with)], self.k)

    def learn(
        self, half: Ints, other: Ints, begun: Metric | None = None
    ) -> tuple[Metric, Neighborhoods]:
        """Learn a metric on one half, and find the neighbors of the other half in it.

        It begins with a metric learned on the first part, if there is one.
        """
        first = other[np.isin(other, self.begun_with)]
        if begun is None and 0 < len(first) < len(other):
            begun = self._learned(first, self.first_rounds)
        metric = self._learned(other, ROUNDS_OF_FEW if begun is None else 1, begun)
        return metric, self._near(metric, half, self.k)

    def _learned(self, cases: Ints, rounds: int, begin: Metric | None = None) -> Metric:
        metric = self.metric if begin is None else begin
        weights = entropy_weights(
            self.views,
            metric,
            self.target,
            cases,
            begin=None if begin is None else begin.weights,
            pairs=self.pairs,
            rounds=rounds,
            iterations=STEPS_OF_CLASSES if self.target.n_classes else STEPS_OF_NUMBERS,
            threads=self.threads,
        )
        learned = metric.with_weights(weights)
        return learned.heaviest(MOST_COLUMNS) if self.wide else learned

    def scorer(
        self, name: str, spaces: tuple[int, ...], near: list[tuple[Metric, Neighborhoods]], k: int
    ) -> Scorer:
        """Return what judges the neighbors in some metrics, and predicts cases where they are."""
        given, unmoved = (self.target, self.threads), None
        if self.views.moved is not None:
            there = replace(self.views, moved=None)
            found = [self._near(metric, one.cases, k, there) for metric, one in near]
            unmoved = Scorer(name, spaces, found, *given)
        attacked = None
        if self.attacked is not None:
            some, there = self.attacked.judged, self.attacked
            parts = [(metric, one.cases[np.isin(one.cases, some)]) for metric, one in near]
            found = [self._near(metric, cases, k, there) for metric, cases in parts if len(cases)]
            attacked = Scorer(name, spaces, found, *given)
        return Scorer(name, spaces, [one for _, one in near], *given, unmoved, attacked)

    def _near(
        self, metric: Metric, cases: Ints, k: int, views: Views | None = None
    ) -> Neighborhoods:
        views = views or self.views
        if self.pairs is not None and views.moved is None:
            near = self._near_in_pairs(self.pairs, metric, cases, k)
            return Neighborhoods([Group(cases, near)], self.target)
        groups = [
            Group(cases[at], self._seen(views, index, metric, cases[at], k))
            for index, at in views.split(cases)
        ]
        return Neighborhoods(groups, self.target)

    def _seen(self, views: Views, index: Cases, metric: Metric, cases: Ints, k: int) -> Nearby:
        column = self.target.column

        def queries_at(places: Places) -> Floats:
            # Read anew: held by all spaces, the cases of a wide table would fill the memory.
            return views.rows(index, cases[places])

        rows, threads = views.rows(index, cases), self.threads
        found = search_ties(
            index, rows, metric, k, exclude=cases, required=column, threads=threads
        )
        return nearby_of(index, metric, k, queries_at, found, threads=self.threads)

    def _near_in_pairs(self, pairs: Pairs, metric: Metric, cases: Ints, k: int) -> Nearby:
        """Find the neighbors of all cases at once, whatever index each of them sees."""
        threads = self.threads  # not the learner itself, which keeps what this returns

        def find_offsets(places: Places, indices: Ints) -> Floats:
            return pairs.offsets(cases[places], indices, metric, threads=threads)

        column, index = self.target.column, pairs.index
        found = pairs.search_ties(cases, metric, k, exclude=cases, outcome=column, threads=threads)
        near = nearby_of(index, metric, k, lambda at: index.rows(cases[at]), found)
        return replace(near, find_offsets=find_offsets)
