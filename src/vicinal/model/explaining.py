"""Explanations: the Model's answer to "why, how sure, and what would change it?"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.conviction.anomalies import responsible
from vicinal.conviction.breakdown import break_down
from vicinal.conviction.measure import Measure
from vicinal.conviction.results import Convictions, convictions_of_rows, convictions_of_stored
from vicinal.counterfactual.result import Counterfactuals
from vicinal.exceptions import VicinalError
from vicinal.explain.boundary import find_boundary, mean_metric
from vicinal.explain.contributions import Contributions
from vicinal.explain.difficulty import errors_around, errors_of, expected_errors
from vicinal.explain.explanation.changes import with_counterfactuals
from vicinal.explain.explanation.parts import FeatureShares, ResidualConviction, RowConviction
from vicinal.explain.explanation.result import Explanation, Explanations
from vicinal.explain.near_cases import CaseView
from vicinal.formatting.values import plain_value
from vicinal.index.metric import Metric
from vicinal.model.changing import Changing
from vicinal.model.contributing import Contributing
from vicinal.model.predicting import Learned, check_alpha
from vicinal.prediction.answer import Answer, combine
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.ensemble import find_influences
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.tables.table import Table, read_table
from vicinal.typing import Bools, Floats, Ints, Places
from vicinal.validation import check_whole

#: Rows explained at a time, so that memory stays bounded.
_BATCH = 256


@dataclass(frozen=True, eq=False)
class Naming:
    """How an estimator calls what the Model knows by other names.

    Parameters
    ----------
    labels : tuple, optional
        The label of each class code.
    order : ndarray of int, optional
        Class codes in the order in which ties are broken.
    cases : ndarray of int64, optional
        The number to show for each case.
    """

    labels: tuple[Any, ...] | None = None
    order: Places | None = None
    cases: Ints | None = None

    @property
    def codes(self) -> Places:
        """All class codes, in the order in which ties are broken."""
        return np.arange(len(self.labels or ())) if self.order is None else self.order

    def decided(self, answered: Answer) -> Answer:
        """Choose among classes that are equally probable in this order."""
        if answered.probabilities is None or self.order is None:
            return answered
        best = self.order[answered.probabilities[:, self.order].argmax(axis=1)]
        return replace(answered, values=best.astype(np.float64))


class Explaining(Contributing, Changing):
    """Every answer with its cases, its features, its limits, and what would change it."""

    def explain(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        alpha: float = 0.1,
        features: bool | Mapping[str, Any] = True,
        counterfactuals: bool | Mapping[str, Any] = False,
        n_boundary: int = 2,
    ) -> Explanations:
        """Explain predictions: their cases, features and limits, and what would change them.

        Parameters
        ----------
        rows : table or None
            Rows to predict for, in any form `fit` takes. If they have the target, it is compared
            with the prediction, which does not depend on it. None stands for the stored cases,
            each without itself.
        target : str
            The feature asked for.
        context : list of str, optional
            Features to predict from; by default all columns the rows have, but the target.
        alpha : float, default 0.1
            How often intervals and label sets may fail.
        features : bool or dict, default True
            Whether to find the contribution of each feature, which takes longest. A dict has
            arguments of `contributions`: ``{"n_permutations": 100}``.
        counterfactuals : bool or dict, default False
            Whether to look for changes that would change the answer: of a class to the next
            most probable one. A dict has arguments of `counterfactual`; for a number it must
            have ``wanted``.
        n_boundary : int, default 2
            How many of the nearest cases with another outcome to show.

        Returns
        -------
        Explanations
            One `Explanation` for each row.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model().fit(load_penguins())
        >>> bird = {"bill_length_mm": [50.0], "flipper_length_mm": [230]}
        >>> why = model.explain(bird, target="species")[0]
        >>> why.prediction, why.labels, why.features.order.tolist()
        ('Gentoo', ('Gentoo',), [1, 0])
        """
        found = self._explain(
            rows, target, context, alpha=alpha, n_boundary=n_boundary, features=features
        )

        def ask(at: int, wanted: Any, options: dict[str, Any]) -> Counterfactuals:
            row = {name: [value] for name, value in found[at].given.items()}
            return self.counterfactual(row, target, wanted, context=list(row), **options)

        return with_counterfactuals(found, counterfactuals, ask)

    def _explain(
        self,
        rows: Any,
        target: str,
        context: Iterable[str] | None = None,
        *,
        alpha: float = 0.1,
        n_boundary: int = 2,
        features: bool | Mapping[str, Any] = True,
        naming: Naming | None = None,
        cases: Ints | None = None,
    ) -> Explanations:
        """Explain rows, or the stored cases of some numbers instead of all."""
        check_alpha(alpha)
        check_whole("n_boundary", n_boundary, 0)
        self._check_fitted()
        read = None if rows is None else read_table(rows)
        queries, columns, exclude = self._context_of(read, target, context)
        truth = self._truth(read, self.schema_.column(target), len(queries))
        if cases is not None:
            some = np.searchsorted(self.index_.numbers, cases)
            queries, truth, exclude = queries[some], truth[some], cases
        learned = self._learn(target, columns)
        names = [name for name in self.schema_.names if self.schema_.column(name) in columns]
        question = _Question(
            target,
            learned,
            self.metric_.restricted(columns),
            tuple(names),
            self._named(naming or Naming(), target),
            alpha,
            n_boundary,
            exclude is not None,
        )
        shares = self._shares(read, question, features, cases)
        explained: list[Explanation] = []
        for start in range(0, len(queries), _BATCH):
            part = slice(start, start + _BATCH)
            left_out = None if exclude is None else exclude[part]
            answers = self._answers(question, queries[part], left_out, truth[part])
            given = self._given(read, question.names, queries[part], start)
            for at, values in enumerate(given):
                place = start + at if left_out is None else int(left_out[at])
                one = self._explanation(question, answers, at, place, values)
                if shares is not None:
                    code = int(answers.answered.values[at]) if shares.classes else None
                    one = replace(one, features=_one_share(shares, start + at, code))
                explained.append(one)
        return Explanations(explained)

    def _answers(
        self, question: _Question, queries: Floats, exclude: Ints | None, truth: Floats
    ) -> _Answers:
        """Everything that is found for many rows at once."""
        learned = question.learned
        found = find_influences(
            self.index_,
            learned.tuning.ensemble,
            queries,
            target=learned.target,
            exclude=exclude,
            threads=self.n_jobs,
        )
        answered = question.naming.decided(combine(found, learned.target))
        influences = CaseInfluences.merged(found, learned.target)
        return _Answers(
            queries,
            answered,
            influences,
            self._boundary(question, queries, answered, exclude),
            self._known(question, queries, exclude),
            expected_errors(influences, answered, learned.target),
            errors_around(
                self.index_,
                learned.tuning.ensemble,
                learned.target,
                influences,
                self.n_neighbors,
                threads=self.n_jobs,
            ),
            errors_of(answered, learned.target, truth),
            self._interval(learned, answered, question.alpha)
            if answered.probabilities is None
            else self._label_set(learned, answered, question.alpha),
        )

    def _boundary(
        self, question: _Question, queries: Floats, answered: Answer, exclude: Ints | None
    ) -> Ints:
        learned = question.learned
        return find_boundary(
            self.index_,
            mean_metric(question.metric, learned.tuning.ensemble),
            learned.target,
            queries,
            answered.values,
            count=question.n_boundary,
            tolerance=self._calibration(learned).error,
            exclude=exclude,
            threads=self.n_jobs,
        )

    def _known(
        self, question: _Question, queries: Floats, exclude: Ints | None
    ) -> list[RowConviction]:
        """Convictions of rows, with the features that make outliers of them."""
        measure = Measure()
        stored = self._survey(question.metric, measure)
        if exclude is None:
            judged = convictions_of_rows(
                self.index_, question.metric, stored, queries, threads=self.n_jobs
            )
            places = np.arange(len(queries))
        else:
            judged = convictions_of_stored(stored)
            places = np.searchsorted(judged.cases, exclude)
        strange = np.flatnonzero(judged.direction[places] == "outlier")
        broken = break_down(
            self.index_,
            question.metric,
            queries[strange],
            measure.width,
            exclude=None if exclude is None else exclude[strange],
            threads=self.n_jobs,
        )
        reasons = responsible(broken, self.schema_.table_order, self.schema_.names)
        why = dict(zip(strange.tolist(), reasons, strict=True))
        return [
            _one_conviction(judged, at, why.get(row, ())) for row, at in enumerate(places.tolist())
        ]

    def _explanation(
        self, question: _Question, answers: _Answers, at: int, place: int, given: dict[str, Any]
    ) -> Explanation:
        learned, naming = question.learned, question.naming
        answered, found = answers.answered, answers.influences
        view = CaseView(
            self.index_,
            self.schema_,
            question.metric,
            mean_metric(question.metric, learned.tuning.ensemble),
            question.names,
            lambda codes: self._outcomes(naming, codes, learned.target.column, stored=True),
            naming.cases,
            self.n_jobs,
        )
        there = found.indices[at] >= 0
        cases, shares = found.indices[at][there], found.shares[at][there]
        edge = answers.boundary[at][answers.boundary[at] >= 0]
        influence_of = dict(zip(cases.tolist(), shares.tolist(), strict=True))
        query = answers.queries[at]
        limits = answers.limits
        probabilities = labels = interval = None
        expected: Any
        if answered.probabilities is not None:
            assert naming.labels is not None
            assert isinstance(limits, np.ndarray)
            expected = dict(zip(naming.labels, found.expected.tolist(), strict=True))
            probabilities = _ranked(naming, answered.probabilities[at])
            labels = tuple(naming.labels[code] for code in naming.codes if limits[at, code])
        else:
            interval = plain_value(limits[0][at]), plain_value(limits[1][at])
            [expected] = self._outcomes(naming, found.expected, learned.target.column)
        error = float(answers.errors[at])
        return Explanation(
            row=place,
            stored=question.stored,
            target=question.target,
            given=given,
            prediction=self._outcomes(naming, answered.values[[at]], learned.target.column)[0],
            alpha=question.alpha,
            interval=interval,
            probabilities=probabilities,
            labels=labels,
            cases=view.near(
                query,
                cases,
                shares,
                learned.target.outcomes_of(cases),
                found.background,
                expected,
            ),
            boundary=view.near(
                query,
                edge,
                np.array([influence_of.get(case, 0.0) for case in edge.tolist()]),
                learned.target.outcomes_of(edge),
            ),
            conviction=answers.known[at],
            residual_conviction=ResidualConviction(
                float(answers.expected[at]),
                self._calibration(learned).error,
                float(answers.around[at]),
                None if np.isnan(error) else error,
            ),
        )

    def _shares(
        self,
        read: Table | None,
        question: _Question,
        features: bool | Mapping[str, Any],
        cases: Ints | None,
    ) -> Contributions | None:
        """Contributions to all answers, classes called as in the explanation."""
        if features is False:
            return None
        options = {} if features is True else dict(features)
        if cases is None:
            found = self.contributions(read, question.target, context=question.names, **options)
        else:
            columns = self.schema_.columns(question.names)
            queries = self.index_.case_values(cases)
            found = self._divided(question.target, queries, columns, cases)
        return replace(found, classes=question.naming.labels)

    def _named(self, naming: Naming, target: str) -> Naming:
        """The naming of the Model itself, where an estimator has no other."""
        categories = self.schema_[target].categories
        if naming.labels is not None or self.schema_[target].kind is not Kind.NOMINAL:
            return naming
        return replace(naming, labels=tuple(map(plain_value, categories or ())))

    def _outcomes(
        self, naming: Naming, codes: Floats, column: int, *, stored: bool = False
    ) -> tuple[Any, ...]:
        """Encoded predictions, or outcomes of stored cases, in the target's own terms."""
        if naming.labels is not None:
            return tuple(naming.labels[int(code)] for code in codes)
        told = self._values(codes, column) if stored else self._decoded(codes, column)
        return tuple(map(plain_value, told))

    def _truth(self, read: Table | None, column: int, count: int) -> Floats:
        """What the rows themselves say of the target; NaN where they do not."""
        unknown = np.full(count, np.nan)
        if read is None:
            return self.index_.column(column)
        name = self.schema_.storage[column].name
        columns = dict(zip(table_names(read, self.schema_), read.columns.values(), strict=True))
        if name not in columns:
            return unknown
        try:
            return encode(Table({name: columns[name]}), self.schema_, require=False)[:, column]
        except VicinalError:  # the column of a target need not be one that can be read
            return unknown

    def _given(
        self, read: Table | None, names: tuple[str, ...], queries: Floats, start: int
    ) -> list[dict[str, Any]]:
        """Values of rows in their own terms, categories that were never seen among them."""
        values = decode(queries, self.schema_)
        if read is not None:
            there = table_names(read, self.schema_)
            columns = dict(zip(there, read.columns.values(), strict=True))
            for name in names:
                known = ~np.isnan(queries[:, self.schema_.column(name)])
                for at in np.flatnonzero(known).tolist():
                    if values[name][at] is None:
                        values[name][at] = columns[name].value(start + at)
        return [{name: values[name][at] for name in names} for at in range(len(queries))]


@dataclass(frozen=True, eq=False)
class _Question:
    target: str
    learned: Learned
    metric: Metric
    names: tuple[str, ...]
    naming: Naming
    alpha: float
    n_boundary: int
    stored: bool


@dataclass(frozen=True, eq=False)
class _Answers:
    queries: Floats
    answered: Answer
    influences: CaseInfluences
    boundary: Ints
    known: list[RowConviction]
    expected: Floats
    around: Floats
    errors: Floats
    limits: tuple[NDArray[Any], NDArray[Any]] | Bools


def _one_conviction(
    judged: Convictions, at: int, why: tuple[tuple[str, float], ...]
) -> RowConviction:
    assert judged.familiarity is not None
    return RowConviction(
        float(judged.similarity[at]),
        float(judged.familiarity[at]),
        float(judged.p_value[at]),
        str(judged.direction[at]),
        why,
    )


def _one_share(found: Contributions, row: int, code: int | None) -> FeatureShares:
    """The contributions to one answer; of classes those to the probability of the predicted."""
    values, errors = found.values[row], found.standard_errors[row]
    if code is None:
        baseline, prediction = float(np.asarray(found.baseline)), float(found.predictions[row])
        return FeatureShares(found.names, values, errors, baseline, prediction)
    classes = found.classes or ()
    return FeatureShares(
        found.names,
        values[:, code],
        errors[:, code],
        float(np.asarray(found.baseline)[code]),
        float(found.predictions[row, code]),
        classes[code],
        classes,
        values,
    )


def _ranked(naming: Naming, probabilities: Floats) -> dict[Any, float]:
    """Probability of each class, the most probable first."""
    assert naming.labels is not None
    codes = naming.codes[np.argsort(-probabilities[naming.codes], kind="stable")]
    return {naming.labels[code]: float(probabilities[code]) for code in codes}
