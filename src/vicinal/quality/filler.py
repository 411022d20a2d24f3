"""Learn to impute every column of a table from the others at reasonable cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.fitted import Fitted
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.sampling import distinct_cases, sample_cases
from vicinal.index.support import Support
from vicinal.influence.answer import Answer, answer
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.paper import tune_paper
from vicinal.learning.representations import representations
from vicinal.learning.targets import tune_nothing
from vicinal.learning.tuning import tune
from vicinal.progress import track
from vicinal.quality.effort import Effort
from vicinal.quality.screening import associations
from vicinal.typing import Floats, Ints, Places

#: The most cases that values are imputed from: they are in memory several times, imputed or not.
MOST_CASES = 250_000
#: Number of cases used to find which columns are associated.
_MOST_SCREENED = 2048
#: Reference cases to calibrate a column with: as many as the effort allows, but at most so many
#: cells in columns with missing values, unless they are fewer than the second number of cases.
#: Those that the column was not learned from will do if there are as many as the third.
_MOST_CELLS, _FEWEST_LEFT_OUT, _ENOUGH_LEFT_OUT = 4000, 60, 200


@dataclass(frozen=True, eq=False)
class ColumnFiller:
    """Imputes one column at one stage."""

    target: Target  # the column, as it was before anything was imputed
    tuning: Tuning  # what was learned
    columns: Places | None  # those of a stage's index that the target's index has, if not all
    threads: int | None

    def answer(self, rows: Floats, exclude: Ints | None = None) -> Answer:
        """Impute rows in the form of a stage's index, each without its excluded case."""
        return answer(
            self.target.index,
            self.tuning.ensemble,
            self.target,
            rows if self.columns is None else rows[:, self.columns],
            exclude=exclude,
            threads=self.threads,
        )


@dataclass(frozen=True, eq=False)
class _Stage:
    """The reference cases at one stage."""

    #: All columns twice: imputed so far, then the originals with missing values. The first half is
    #: the context; in the second half, neighbors must have a value of the column to impute.
    index: ExactIndex
    weighting: str  # {"entropy", "irw"}: how the columns of the context are weighted
    columns: dict[int, ColumnFiller]  # what was learned so far


class Filler:
    """Imputes missing values from the other columns, using cases that may be incomplete too.

    The imputed values of a row depend only on the reference cases, not on other rows imputed at
    the same time. A column is learned when it is first needed.
    """

    def __init__(self, fitted: Fitted, effort: Effort) -> None:
        index, settings = fitted.index, fitted.settings
        numbers, values = index.sample(min(index.at_once, MOST_CASES))
        self.n_cases = len(numbers)
        places, _, self._weights = distinct_cases(values, index.weights_of(numbers))
        self._values = values[places]
        self._fitted, self._effort = fitted, effort
        found = {"as given": fitted.metric}
        if "entropy" in effort.stages:
            found = representations(
                index,
                fitted.terms,
                fitted.metric,
                k=settings.n_neighbors,
                random_state=settings.random_state,
                threads=fitted.threads,
            )
        self._representations = {name: _doubled(metric) for name, metric in found.items()}
        self._stages: list[_Stage] = []
        self._associations: Floats | None = None

    def knows(self, column: int) -> bool:
        """Whether any reference case has a value of the column."""
        return not bool(np.isnan(self._values[:, column]).all())

    def context(self, rows: Floats) -> Floats:
        """Return rows as the last stage gets them: imputed by all earlier stages."""
        imputed = rows
        for number in range(len(self._effort.stages) - 1):
            imputed = self._imputed(self._stage(number), rows, imputed)
        return imputed

    def column(self, column: int) -> ColumnFiller:
        """Return what imputes a column in the last stage."""
        return self._learned(self._stage(len(self._effort.stages) - 1), column)

    def cases(self, numbers: Ints) -> Floats:
        """Return the original reference cases."""
        return self._values[numbers]

    def left_out(self, column: int) -> tuple[Ints, Floats | None]:
        """Choose reference cases to calibrate a column with, not those it was learned from.

        If there are too few of these, it is the others, with their predictions while tuning.
        """
        learned = self.column(column)
        # Every one of them is imputed in all columns that have missing values.
        holes = int(np.isnan(self._values).any(axis=0).sum())
        most = min(self._effort.max_queries, max(_FEWEST_LEFT_OUT, _MOST_CELLS // max(holes, 1)))
        target, tuning, seed = learned.target, learned.tuning, self._fitted.settings.random_state
        fresh, _ = target.index.sample(
            most, random_state=seed, required=target.column, without=tuning.queries
        )
        if len(fresh) >= min(most, _ENOUGH_LEFT_OUT):
            return fresh, None
        chosen = sample_cases(self._values[tuning.queries], most, random_state=seed)
        return tuning.queries[chosen], tuning.predictions[chosen]

    def queries(self, rows: Floats) -> Floats:
        """Return rows in the form of a stage's index."""
        return np.concatenate([rows, np.full(rows.shape, np.nan)], axis=1)

    def _stage(self, number: int) -> _Stage:
        """Return the reference cases of a stage, imputed by the stage before."""
        while len(self._stages) <= number:
            imputed = self._values
            if self._stages:
                last = self._stages[-1]
                before = last.index.rows(np.arange(len(imputed)))[:, : imputed.shape[1]]
                imputed = self._imputed(last, self._values, before)
            both = np.concatenate([imputed, self._values], axis=1)
            index = ExactIndex(both, np.tile(self._fitted.metric.kinds, 2), self._weights)
            weighting = self._effort.stages[len(self._stages)]
            self._stages.append(_Stage(index, weighting, {}))
        return self._stages[number]

    def _imputed(self, stage: _Stage, rows: Floats, context: Floats) -> Floats:
        """Impute rows, given a context whose missing values are imputed as far as possible."""
        imputed = context.copy()
        columns = np.flatnonzero(np.isnan(rows).any(axis=0)).tolist()
        for column in track(columns, total=len(columns), what="imputing columns"):
            if not self.knows(column):
                continue
            missing = np.flatnonzero(np.isnan(rows[:, column]))
            answered = self._learned(stage, column).answer(self.queries(context[missing]))
            imputed[missing, column] = answered.values
        return imputed

    def _learned(self, stage: _Stage, column: int) -> ColumnFiller:
        """Return what imputes a column, learned at the first call."""
        if column not in stage.columns:
            context, place = self._context(column), len(self._fitted.schema) + column
            found = {
                name: metric.restricted(context) for name, metric in self._representations.items()
            }
            columns, index = None, stage.index
            if len(self._fitted.schema) > len(index):
                # Metrics of all columns, kept for each of them, would need too much memory.
                columns = np.append(context, place)
                found = {name: metric.taken(columns) for name, metric in found.items()}
                values = index.rows(np.arange(len(index)))[:, columns]
                index = ExactIndex(values, index.kinds[columns], self._weights)
                place = len(context)
            target = Target.of(
                index,
                place,
                n_classes=self._fitted.n_classes(column),
                period=float(self._fitted.metric.periods[column]),
            )
            tuning = self._tuned(target, found, stage.weighting)
            stage.columns[column] = ColumnFiller(target, tuning, columns, self._fitted.threads)
        return stage.columns[column]

    def _tuned(self, target: Target, found: dict[str, Metric], weighting: str) -> Tuning:
        index, effort = target.index, self._effort
        queries, seed = effort.max_queries, self._fitted.settings.random_state
        threads, first = self._fitted.threads, found["as given"]
        nothing = tune_nothing(index, first, target, max_queries=queries, random_state=seed)
        if nothing is not None:
            return nothing
        if weighting == "irw":
            return tune_paper(
                index,
                first,
                target,
                powers=(first.p,),
                max_queries=queries,
                random_state=seed,
                threads=threads,
            )
        return tune(
            index,
            {name: replace(metric, p=1.0) for name, metric in found.items()},
            target,
            max_queries=queries,
            max_members=effort.max_members,
            rules=effort.rules[:-1] if target.n_classes else effort.rules,
            halvings=effort.halvings,
            random_state=seed,
            threads=threads,
        )

    def _context(self, column: int) -> Places:
        """Return the context of a column: all others, or the most strongly associated ones."""
        active, kinds = self._fitted.metric.active, self._fitted.metric.kinds
        others = active[active != column]
        if len(others) <= self._effort.max_context:
            return others
        if self._associations is None:
            seed = self._fitted.settings.random_state
            chosen = sample_cases(self._values, _MOST_SCREENED, random_state=seed)
            self._associations = associations(self._values[chosen], kinds)
        order = np.argsort(-self._associations[column, others], kind="stable")
        return np.sort(others[order[: self._effort.max_context]])


def _doubled(metric: Metric) -> Metric:
    """Return the metric over all columns and their copies, which have weight 0."""
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
