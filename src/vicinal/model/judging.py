"""Convictions and anomalies: the Model's answers to "is this ordinary?"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vicinal.conviction.anomalies import Anomalies, flagged, nearest_ordinary, responsible
from vicinal.conviction.baseline import Baseline, measure_baseline
from vicinal.conviction.breakdown import break_down
from vicinal.conviction.measure import Measure
from vicinal.conviction.residual import residual_conviction
from vicinal.conviction.results import Convictions, convictions_of_rows, convictions_of_stored
from vicinal.exceptions import ParameterError
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.model.base import Cases
from vicinal.schema.align import table_names


class Judging(Cases):
    """Convictions of stored and new cases."""

    def conviction(
        self,
        rows: Any = None,
        *,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
        familiarity: bool = True,
    ) -> Convictions:
        """Say how surprising rows are, against what is expected of them.

        Parameters
        ----------
        rows : table, optional
            Rows to judge, each as if it alone were added. By default the stored cases, each
            without itself.
        context : list of str, optional
            Features that count; by default all columns the rows have.
        measure : Measure, optional
            How to measure, if not by the defaults; `Measure.of_paper` is the paper's way.
        familiarity : bool, default True
            Whether to give familiarity conviction as well, which takes new rows a second search.

        Returns
        -------
        Convictions
            Similarity and familiarity conviction (1 is ordinary, low surprising), distance
            contributions and p-values.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.3, 1.5]})
        >>> model.conviction({"height": [1.15, 4.0]})
        Convictions of 2 rows
          row 1: similarity 0.0484, familiarity 0.377, p = 0.167, outlier
          row 0: similarity 1.22, familiarity 1.47, p = 1, ordinary
        """
        queries, metric, _ = self._asked(rows, context)
        stored = self._survey(metric, measure or Measure())
        if rows is None:
            return convictions_of_stored(stored)
        return convictions_of_rows(
            self.index_,
            metric,
            stored,
            queries,
            with_familiarity=familiarity,
            threads=self.n_jobs,
        )

    def anomalies(
        self,
        rows: Any = None,
        *,
        threshold: float = 0.7,
        alpha: float | None = None,
        false_discovery_rate: float | None = None,
        inliers: bool = False,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
    ) -> Anomalies:
        """List the rows that are surprising, with the features responsible.

        Parameters
        ----------
        rows : table, optional
            Rows to judge, each as if it alone were added. By default the stored cases, each
            without itself.
        threshold : float, default 0.7
            Conviction below which a row is an anomaly, as in the paper.
        alpha : float, optional
            Instead of the threshold: the p-value up to which a row is an anomaly. Of ordinary
            rows about this share is called one.
        false_discovery_rate : float, optional
            Instead of both: the share of false alarms among the anomalies, at most.
        inliers : bool, default False
            With the threshold: whether rows that are too close to others count too.
        context : list of str, optional
            Features that count; by default all columns the rows have.
        measure : Measure, optional
            How to measure; `Measure.robust` for tables that already contain groups of anomalies.

        Returns
        -------
        Anomalies
            The most surprising first.
        """
        for name, share in (("alpha", alpha), ("false_discovery_rate", false_discovery_rate)):
            if share is not None and not 0 < share < 1:
                raise ParameterError(f"{name} must be between 0 and 1; got {share!r}.")
        measure = measure or Measure()
        queries, metric, exclude = self._asked(rows, context)
        stored = convictions_of_stored(self._survey(metric, measure))
        judged = stored
        if rows is not None:
            judged = self.conviction(rows, context=context, measure=measure, familiarity=False)
        found = flagged(
            judged, threshold=threshold, alpha=alpha, rate=false_discovery_rate, inliers=inliers
        )
        broken = break_down(
            self.index_,
            metric,
            queries[found],
            measure.width,
            exclude=None if exclude is None else exclude[found],
            threads=self.n_jobs,
        )
        return Anomalies(
            cases=judged.cases[found],
            conviction=judged.similarity[found],
            p_value=judged.p_value[found],
            direction=np.where(judged.similarity[found] > 1, "inlier", "outlier"),
            features=responsible(broken, self.schema_.table_order, self.schema_.names),
            ordinary=nearest_ordinary(broken.neighbors, stored, 5),
            n_judged=len(judged),
            stored=rows is None,
        )

    def residual_conviction(self, rows: Any = None, features: Iterable[str] | None = None) -> Any:
        """Say how far off features of rows are, against how far those of their neighbours are.

        Parameters
        ----------
        rows : table, optional
            Rows to judge; by default the stored cases, each without itself.
        features : list of str, optional
            Features to predict from the others; by default all that the rows have.

        Returns
        -------
        dict of str to ndarray
            Residual conviction of each feature: 1 for errors like the neighbours', near 0 for
            values that the data do not explain; NaN where a row lacks the feature.
        """
        queries, metric, exclude = self._asked(rows, None)
        names = list(self.schema_.names if rows is None else table_names(rows, self.schema_))
        wanted = names if features is None else self._context(features, tuple(names))
        columns = np.array([self.schema_.column(name) for name in wanted], dtype=np.intp)
        judged = residual_conviction(
            self.index_,
            metric,
            queries,
            columns,
            self.n_neighbors,
            exclude=exclude,
            threads=self.n_jobs,
        )
        return dict(zip(wanted, judged.conviction.T, strict=True))

    def _forget(self) -> None:
        super()._forget()
        self._surveys: dict[Any, tuple[ExactIndex, int, Baseline]] = {}

    def _survey(self, metric: Metric, measure: Measure) -> Baseline:
        """The stored cases judged by this metric; made once for as long as they stay the same."""
        key = (tuple(metric.active), measure)
        index, version, stored = self._surveys.get(key, (None, -1, None))
        if stored is None or index is not self.index_ or version != index.version:
            stored = measure_baseline(self.index_, metric, measure, threads=self.n_jobs)
            self._surveys[key] = (self.index_, self.index_.version, stored)
        return stored
