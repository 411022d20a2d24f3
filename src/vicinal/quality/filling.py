"""Learning to fill every column of a table from the others, at an affordable price."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.sampling import distinct_cases, sample_cases
from vicinal.index.support import Support
from vicinal.learning.paper import tune_paper
from vicinal.learning.targets import describe_target, tune_nothing
from vicinal.learning.tuning import tune
from vicinal.prediction.answer import answer
from vicinal.prediction.target import Target
from vicinal.prediction.tuning import Tuning
from vicinal.progress import track
from vicinal.quality.screening import associations
from vicinal.typing import Floats, Ints, Places

#: Cases that tell which columns have to do with each other.
_MOST_SCREENED = 2048


@dataclass(frozen=True)
class Effort:
    """What may be spent on filling a column.

    Parameters
    ----------
    stages : tuple of {"entropy", "irw"}
        Holes are filled once for each, with the holes of the other columns filled before; the
        columns are weighed for the one to be filled, or by their residuals alone.
    rules : tuple of str
        Influence rules with a ridge to try for numbers, as in `tune`; for classes the last one
        is not tried, which is for numbers.
    halvings : int, optional
        As in `tune`.
    max_queries, max_members : int
        As in `Model`.
    max_context : int
        Columns to fill one from, at most: those that have most to do with it.
    """

    stages: tuple[str, ...]
    rules: tuple[str, ...]
    halvings: int | None
    max_queries: int
    max_members: int
    max_context: int


EFFORTS = {
    "low": Effort(("irw", "irw"), (), 1, 200, 1, 1 << 30),
    "medium": Effort(("irw", "entropy"), ("linear",), 1, 300, 12, 24),
    "high": Effort(("irw", "entropy", "entropy"), ("centred", "linear"), None, 1200, 20, 64),
}


@dataclass(frozen=True, eq=False)
class Stage:
    """The reference cases at one stage.

    Parameters
    ----------
    index : ExactIndex
        Columns twice: as they are filled so far, then as they were, with their holes. The first
        are the context; of the second, the one asked for is what cases found must have.
    weighting : {"entropy", "irw"}
        How the columns of the context are weighed.
    targets : dict of int to (Target, Tuning)
        What was learned so far, by column.
    """

    index: ExactIndex
    weighting: str
    targets: dict[int, tuple[Target, Tuning]]


class Filler:
    """Fills holes in rows from the other columns, by reference cases with holes of their own.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded reference cases.
    weights : ndarray of shape (n,), optional
        Their weights.
    representations : dict of str to Metric
        Ways to read the columns; the first is that of the table.
    n_classes : ndarray of int of shape (d,)
        Number of categories, 0 for numbers.
    effort : Effort
        What may be spent.
    random_state, threads
        As everywhere.

    Notes
    -----
    What a row is filled with depends on the reference cases alone, not on other rows that are
    filled with it. A column is learned when it is first needed.
    """

    def __init__(
        self,
        values: Floats,
        weights: Floats | None,
        representations: dict[str, Metric],
        n_classes: Places,
        effort: Effort,
        *,
        random_state: int = 0,
        threads: int | None = None,
    ) -> None:
        if weights is not None:
            values, weights = values[weights > 0], weights[weights > 0]
        places, _, self._weights = distinct_cases(values, weights)
        self._values = values[places]
        self._metric = next(iter(representations.values()))
        self._readings = {name: _twice(metric) for name, metric in representations.items()}
        self._n_classes = n_classes
        self.effort = effort
        self._random_state = random_state
        self._threads = threads
        self._stages: list[Stage] = []
        self._close: Floats | None = None

    def knows(self, column: int) -> bool:
        """Whether any reference case has a value of the column."""
        return not bool(np.isnan(self._values[:, column]).all())

    def fill(self, rows: Floats) -> Floats:
        """Fill the holes of encoded rows; those of columns without any value stay."""
        return self._filled(self.last, rows, self.context(rows))

    def context(self, rows: Floats) -> Floats:
        """Return rows as the last stage finds them: filled by all stages before it."""
        filled = rows
        for number in range(len(self.effort.stages) - 1):
            filled = self._filled(self._stage(number), rows, filled)
        return filled

    @property
    def last(self) -> Stage:
        """The reference cases that the last stage fills from."""
        return self._stage(len(self.effort.stages) - 1)

    def _stage(self, number: int) -> Stage:
        """Return the reference cases of a stage, filled by the stage before."""
        while len(self._stages) <= number:
            filled = self._values
            if self._stages:
                before = self._stages[-1].index.values[:, : self._values.shape[1]]
                filled = self._filled(self._stages[-1], self._values, before)
            both = np.concatenate([filled, self._values], axis=1)
            kinds = np.tile(self._metric.kinds, 2)
            weighting = self.effort.stages[len(self._stages)]
            index = ExactIndex(both, kinds, self._weights)
            self._stages.append(Stage(index, weighting, {}))
        return self._stages[number]

    def learned(self, stage: Stage, column: int) -> tuple[Target, Tuning]:
        """Return what it takes to fill a column, learned at the first call."""
        if column not in stage.targets:
            stage.targets[column] = self._learn(stage, column)
        return stage.targets[column]

    def _filled(self, stage: Stage, rows: Floats, context: Floats) -> Floats:
        """Fill the holes of rows, whose other holes the context has filled as far as it can."""
        filled = context.copy()
        columns = np.flatnonzero(np.isnan(rows).any(axis=0)).tolist()
        for column in track(columns, total=len(columns), what="filling columns"):
            if not self.knows(column):
                continue
            holes = np.flatnonzero(np.isnan(rows[:, column]))
            target, tuning = self.learned(stage, column)
            asked = self.queries(context[holes])
            answered = answer(stage.index, tuning.ensemble, target, asked, threads=self._threads)
            filled[holes, column] = answered.values
        return filled

    def lacking(self, cases: Ints) -> Floats:
        """Return reference cases with their holes, as the index of a stage takes them."""
        return np.tile(self._values[cases], 2)

    def queries(self, rows: Floats) -> Floats:
        """Return rows as the index of a stage takes them."""
        return np.concatenate([rows, np.full(rows.shape, np.nan)], axis=1)

    def _learn(self, stage: Stage, column: int) -> tuple[Target, Tuning]:
        index, effort = stage.index, self.effort
        width = self._values.shape[1]
        n_classes = int(self._n_classes[column])
        target = describe_target(
            index,
            width + column,
            n_classes=n_classes,
            period=0.0 if n_classes else float(self._metric.periods[column]),
        )
        context = self._context(column)
        queries, seed, threads = effort.max_queries, self._random_state, self._threads
        first = next(iter(self._readings.values())).restricted(context)
        tuning = tune_nothing(index, first, target, max_queries=queries, random_state=seed)
        if tuning is None and stage.weighting == "irw":
            tuning = tune_paper(
                index,
                first,
                target,
                powers=(first.p,),
                max_queries=queries,
                random_state=seed,
                threads=threads,
            )
        if tuning is None:
            tuning = tune(
                index,
                {
                    name: replace(metric.restricted(context), p=1.0)
                    for name, metric in self._readings.items()
                },
                target,
                max_queries=queries,
                max_members=effort.max_members,
                rules=effort.rules[:-1] if n_classes else effort.rules,
                halvings=effort.halvings,
                random_state=seed,
                threads=threads,
            )
        return target, tuning

    def _context(self, column: int) -> Places:
        """Columns to fill one from: all others, or those that have most to do with it."""
        others = self._metric.active[self._metric.active != column]
        if len(others) <= self.effort.max_context:
            return others
        if self._close is None:
            chosen = sample_cases(self._values, _MOST_SCREENED, random_state=self._random_state)
            self._close = associations(self._values[chosen], self._metric.kinds)
        order = np.argsort(-self._close[column, others], kind="stable")
        return np.sort(others[order[: self.effort.max_context]])


def _twice(metric: Metric) -> Metric:
    """The metric over all columns and their second selves, which do not count."""
    none = tuple(Support(np.empty(0), np.empty(0)) for _ in metric.supports)
    return Metric(
        kinds=np.tile(metric.kinds, 2),
        residuals=np.tile(metric.residuals, 2),
        periods=np.tile(metric.periods, 2),
        weights=np.concatenate([metric.weights, np.zeros_like(metric.weights)]),
        p=metric.p,
        supports=metric.supports + none,
        distinct=np.tile(metric.distinct, 2),
    )
