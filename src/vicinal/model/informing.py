"""Information: the Model's answers to "what does each feature tell, and what is a case worth?"."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from vicinal.exceptions import TableError
from vicinal.explain.data_values import DataValues, value_cases
from vicinal.explain.information import Information, Measured, measure_features
from vicinal.explain.information_matrix import InformationMatrix, feature_information
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import sample_cases
from vicinal.learning.tuning import known_numbers
from vicinal.model.predicting import Learned, Predicting
from vicinal.typing import Ints
from vicinal.validation import check_whole

#: Cases that pairs of features are compared on, and those among them that are left out.
_REFERENCE, _LEFT_OUT = 4096, 400


class Informing(Predicting):
    """What features tell about a target, and what cases are worth to it."""

    def information(self, target: str, *, context: Iterable[str] | None = None) -> Information:
        """Measure what features tell about a target, by cases left out and predicted.

        Parameters
        ----------
        target : str
            The feature that is predicted.
        context : list of str, optional
            Features to predict it from; by default all others. What adding one of the rest
            would tell is measured by learning the target anew with it.

        Returns
        -------
        Information
            Mean absolute error, accuracy and conditional entropy with the context, and what
            each feature does to them. At most `max_queries` cases are left out; where there are
            enough, none that the target was learned from.
        """
        self._check_fitted()
        names = tuple(name for name in self.schema_.names if name != target)
        wanted = [context] if isinstance(context, str) else context
        columns = self._columns_but(names if wanted is None else list(wanted), target)
        learned = self._learn(target, columns)
        cases = self._cases_to_leave_out(learned)
        found = self._measured(learned, cases)
        table: dict[str, list[float]] = {
            one: [] for one in ("alone", "gained", "lost", "mda", "mae_without")
        }
        for name in names:
            column = self.schema_.column(name)
            inside = column in columns
            measured = found
            if not inside:
                more = self._learn(target, np.sort(np.append(columns, column)))
                measured = self._measured(more, cases)
            alone = measured.alone.get(column, found.nothing)
            without = found.without.get(column, found.whole)
            rise = without.mae - found.whole.mae
            fall = found.whole.accuracy - without.accuracy
            gain = found.whole.entropy - measured.whole.entropy
            table["alone"].append(found.nothing.entropy - alone.entropy)
            table["gained"].append(np.nan if inside else gain)
            table["lost"].append(without.entropy - found.whole.entropy if inside else np.nan)
            table["mda"].append((fall if learned.target.n_classes else rise) if inside else np.nan)
            table["mae_without"].append(without.mae if inside else np.nan)
        return Information(
            target=target,
            names=names,
            context=tuple(n for n in names if self.schema_.column(n) in columns),
            n_cases=len(cases),
            mae=found.whole.mae,
            accuracy=found.whole.accuracy,
            entropy=found.whole.entropy,
            entropy_before=found.nothing.entropy,
            **{name: np.array(values) for name, values in table.items()},
        )

    def information_matrix(self) -> InformationMatrix:
        """Measure how well each feature is predicted from each other one alone.

        Of large tables 4096 cases are compared, chosen by what they hold and `random_state`, and
        400 of them left out and predicted from their nearest in the one feature.
        """
        self._check_fitted()
        index, metric = self.index_, self.metric_
        if len(index) > _REFERENCE:
            some = sample_cases(index.values, _REFERENCE, random_state=self.random_state)
            weights = None if index.weights is None else index.weights[some]
            index = ExactIndex(index.values[some], self._settings.kinds, weights)
        cases = index.numbers
        if index.weights is not None:
            cases = cases[index.weights > 0]
        chosen = sample_cases(
            index.case_values(cases), _LEFT_OUT, random_state=self.random_state + 1
        )
        values, explained, entropies = feature_information(
            index,
            metric,
            [self._described(index, column) for column in range(len(self.schema_))],
            cases[chosen],
            threads=self.n_jobs,
        )
        order = self.schema_.table_order
        return InformationMatrix(
            self.schema_.names,
            values[np.ix_(order, order)],
            explained[np.ix_(order, order)],
            entropies[order],
            len(chosen),
        )

    def data_values(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        k: int | None = None,
    ) -> DataValues:
        """Say what each stored case is worth to the predictions of some rows.

        Parameters
        ----------
        rows : table or None
            Rows with the true values of the target. None stands for the stored cases, each
            predicted without itself.
        target : str
            The feature that is predicted. Rows that lack it do not count.
        context : list of str, optional
            Features to predict from; by default all columns the rows have, but the target.
        k : int, optional
            Neighbours of the unweighted k-NN that Shapley values are about; `n_neighbors` by
            default.

        Returns
        -------
        DataValues
            Influence, share in the errors, and Shapley value of every case.
        """
        k = self.n_neighbors if k is None else k
        check_whole("k", k, 1)
        _, columns, _ = self._context_of(rows, target, context)
        queries, given, exclude = self._queries(rows)
        if target not in given:
            raise TableError(
                f"The rows lack {target!r}; what a case is worth is measured against its true "
                "values, so the rows must hold them."
            )
        learned = self._learn(target, columns)
        truth = queries[:, learned.target.column]
        known = ~np.isnan(truth)
        return value_cases(
            self.index_,
            learned.tuning.ensemble,
            learned.target,
            queries[known],
            truth[known],
            k=int(k),
            exclude=None if exclude is None else exclude[known],
            threads=self.n_jobs,
        )

    def _measured(
        self, learned: Learned, cases: Ints, columns: Container[int] | None = None
    ) -> Measured:
        return measure_features(
            self.index_,
            learned.tuning.ensemble,
            learned.target,
            cases,
            columns=columns,
            threads=self.n_jobs,
        )

    def _cases_to_leave_out(self, learned: Learned) -> Ints:
        """Cases that have the target; rather those that it was not learned from."""
        numbers = known_numbers(self.index_, learned.target)
        fresh = np.setdiff1d(numbers, learned.tuning.queries)
        if len(fresh) >= self.max_queries:
            numbers = fresh
        values = self.index_.case_values(numbers)
        return numbers[sample_cases(values, self.max_queries, random_state=self.random_state + 1)]
