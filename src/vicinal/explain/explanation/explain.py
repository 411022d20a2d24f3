"""Explain predictions: gather everything behind them into explanations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.conviction.anomalies import responsible
from vicinal.conviction.breakdown import explain_surprise
from vicinal.conviction.measure import Measure
from vicinal.conviction.results import convictions_of
from vicinal.counterfactual.find import Question, find_counterfactuals
from vicinal.counterfactual.result import Counterfactuals
from vicinal.explain.boundary import find_boundary, mean_metric
from vicinal.explain.contributions import Contributions, contributions
from vicinal.explain.difficulty import errors_around, expected_errors
from vicinal.explain.explanation.amounts import ROUNDING
from vicinal.explain.explanation.changes import with_counterfactuals
from vicinal.explain.explanation.parts import (
    FeatureShares,
    NearCases,
    ResidualConviction,
    RowConviction,
)
from vicinal.explain.explanation.result import Explanation, Explanations
from vicinal.explain.near_cases import near_cases
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.values import plain_value
from vicinal.index.metric import Metric
from vicinal.influence.losses import errors_of
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.interval import interval
from vicinal.prediction.predictor import Predictor, learn
from vicinal.prediction.rule import deciding
from vicinal.progress import track
from vicinal.schema.decode import turn_into_cycle
from vicinal.side_by_side import given_values
from vicinal.typing import Bools, Floats, Ints
from vicinal.validation import check_parameters

#: Number of rows explained at a time, which bounds memory.
_BATCH = 256


def explain(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    context: Iterable[str] | None = None,
    alpha: float = 0.1,
    features: bool | Mapping[str, Any] = True,
    counterfactuals: bool | Mapping[str, Any] = False,
    n_boundary: int = 2,
    decision: Any = None,
    class_weight: Any = None,
) -> Explanations:
    """Explain predictions: their cases, features and uncertainty, and what would change them.

    Parameters
    ----------
    rows : table or None
        Rows to predict, in any form `fit` takes. If they have the target, it is compared
        with the prediction but not used for it. None explains the training cases, each
        predicted from the others (leave-one-out).
    target : str
        The feature to predict.
    context : list of str, optional
        Features to predict from; by default all columns of the rows except the target.
    alpha : float, default 0.1
        Error rate of prediction intervals and prediction sets.
    features : bool or dict, default True
        Whether to compute the contribution of each feature, which is the slowest part. A dict
        is passed to `contributions` as arguments: ``{"n_permutations": 100}``.
    counterfactuals : bool or dict, default False
        Whether to search for changes of the row that would change the prediction; the goal
        for classes is the next most probable class. A dict is passed to `counterfactual` as
        arguments; for a number it must have ``wanted``.
    n_boundary : int, default 2
        Number of nearest cases with another outcome to show.
    decision, class_weight
        How a class is decided from the probabilities, as in `predict`.

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
    check_parameters({"alpha": alpha, "n_boundary": n_boundary})
    asked = fitted.rows(rows, target, context)
    predictor = deciding(learn(fitted, target, asked.columns), decision, class_weight)
    shares = None
    if features is not False:
        options = {} if features is True else dict(features)
        shares = contributions(fitted, asked, target, **options)
    explained: list[Explanation] = []
    batches = asked.batches(_BATCH)
    for some in track(batches, total=-(-len(asked) // _BATCH), what="explaining rows"):
        start = len(explained)
        batch = _Batch(predictor, some, alpha, n_boundary, start, shares, asked.stored)
        explained += batch.explanations()

    def change(at: int, wanted: Any, options: dict[str, Any]) -> Counterfactuals:
        case = -1 if asked.exclude is None else int(asked.exclude[at])
        given, values = explained[at].given, asked.values[at]
        question = Question(fitted, target, given, values, asked.columns, case)
        return find_counterfactuals(question, predictor, wanted, **options)

    return with_counterfactuals(Explanations(explained), counterfactuals, change)


@dataclass(eq=False)
class _Batch:
    """A batch of rows that are explained together, and the shared intermediate results."""

    predictor: Predictor
    rows: Rows
    alpha: float
    n_boundary: int
    start: int
    shares: Contributions | None
    all_stored: bool

    def explanations(self) -> Iterator[Explanation]:
        """Explain the rows one by one."""
        self._find()
        rows = self.rows
        given = given_values(self.fitted.schema, self.names, rows.values, rows.table)
        for at in range(len(self.rows)):
            yield self._explanation(at, given[at])

    @cached_property
    def fitted(self) -> Fitted:
        return self.predictor.fitted

    @cached_property
    def names(self) -> tuple[str, ...]:
        schema, context = self.fitted.schema, self.predictor.context
        return tuple(name for name in schema.names if schema.column(name) in context)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The decoded classes, by code."""
        categories = self.fitted.schema.storage[self.predictor.column].categories
        return tuple(map(plain_value, categories or ()))

    @cached_property
    def weighed(self) -> Metric:
        """The terms of the context, with the weights of the target."""
        return mean_metric(self.predictor)

    def _find(self) -> None:
        """Compute everything behind the predictions, for all rows at once."""
        predictor, rows = self.predictor, self.rows
        found = predictor.influences(rows)
        # Not from these influences: their sums are rounded otherwise where many cases tie.
        self.answered = predictor.answer(rows)
        self.influences = CaseInfluences.merged(found, predictor.target)
        self.boundary = find_boundary(
            predictor, self.weighed, rows, self.answered.values, count=self.n_boundary
        )
        self.known = self._convictions()
        self.expected = expected_errors(predictor, self.influences, self.answered)
        self.around = errors_around(predictor, self.influences, self.fitted.settings.n_neighbors)
        truth = self.fitted.truth(rows, predictor.name)
        if rows.changed:
            truth[:] = np.nan  # nobody knows what the outcome would have been
        self.errors = errors_of(self.answered, predictor.target, truth)

    @cached_property
    def ends(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ends of the intervals of numbers."""
        return interval(self.predictor, self.answered, self.alpha)

    @cached_property
    def sets(self) -> Bools:
        """The prediction sets of classes."""
        return self.predictor.prediction_set(self.answered, self.alpha)

    def _convictions(self) -> list[RowConviction]:
        """Convictions of the rows, with the features that make them outliers."""
        rows = self.rows
        judged = convictions_of(self.fitted, rows)
        direction = judged.direction
        strange = np.flatnonzero(direction == "outlier")
        broken = explain_surprise(self.fitted, rows.take(strange), Measure())
        schema = self.fitted.schema
        reasons = responsible(broken, schema.table_order, schema.names)
        why = dict(zip(strange.tolist(), reasons, strict=True))
        assert judged.familiarity is not None
        return [
            RowConviction(
                float(judged.similarity[at]),
                float(judged.familiarity[at]),
                float(judged.p_value[at]),
                str(direction[at]),
                why.get(at, ()),
            )
            for at in range(len(judged))
        ]

    def _explanation(self, at: int, given: dict[str, Any]) -> Explanation:
        predictor, answered, found = self.predictor, self.answered, self.influences
        there = found.indices[at] >= 0
        cases, shares = found.indices[at][there], found.shares[at][there]
        edge = self.boundary[at][self.boundary[at] >= 0]
        influence_of = dict(zip(cases.tolist(), shares.tolist(), strict=True))
        at_edge = np.array([influence_of.get(case, 0.0) for case in edge.tolist()])
        case = -1 if self.rows.exclude is None else int(self.rows.exclude[at])
        return Explanation(
            row=case if self.all_stored else self.start + at,
            stored=case >= 0,
            label=None if case < 0 else self.fitted.labels.label_of(case),
            target=predictor.name,
            given=given,
            prediction=self._outcomes(answered.values[[at]])[0],
            alpha=self.alpha,
            **self._limits(at),
            cases=self._near(at, cases, shares, found.background, self._background()),
            boundary=self._near(at, edge, at_edge),
            conviction=self.known[at],
            residual_conviction=self._difficulty(at),
            features=self._feature_shares(at),
            library=self.fitted.library,
        )

    def _difficulty(self, at: int) -> ResidualConviction:
        usual = self.predictor.calibration.error
        errors = [self.expected[at], usual, self.around[at], self.errors[at]]
        if self.answered.probabilities is not None:
            # Probabilities sum to 1 but for rounding, which is no error, least of all below 0.
            errors = [0.0 if abs(one) < ROUNDING else one for one in errors]
        expected, usual, around, error = map(float, errors)
        return ResidualConviction(expected, usual, around, None if np.isnan(error) else error)

    def _near(
        self,
        at: int,
        cases: Ints,
        influences: Floats,
        background: float = 0.0,
        expected: Any = None,
    ) -> NearCases:
        codes = self.predictor.target.outcomes_of(cases)
        return near_cases(
            self.predictor,
            self.weighed,
            self.names,
            self.rows.values[at],
            cases,
            influences=influences,
            outcomes=self._outcomes(codes, stored=True),
            codes=codes,
            background=background,
            expected=expected,
        )

    def _limits(self, at: int) -> dict[str, Any]:
        """The interval of a number; or the probabilities and the prediction set of classes."""
        predictor, answered = self.predictor, self.answered
        if answered.probabilities is None:
            ends = tuple(plain_value(end[at]) for end in self.ends)
            return {"interval": ends, "probabilities": None, "labels": None}
        within = self.sets[at]
        own = answered.probabilities[at]
        codes = self.fitted.class_codes(predictor.column)
        codes = codes[codes >= 0]
        ranked = codes[np.argsort(-own[codes], kind="stable")]
        return {
            "interval": None,
            "probabilities": {self.labels[code]: float(own[code]) for code in ranked},
            "labels": tuple(self.labels[code] for code in codes if within[code]),
        }

    def _background(self) -> Any:
        """What the baseline, shared equally by all cases, predicts."""
        expected = self.influences.expected
        if self.answered.probabilities is None:
            return self._outcomes(expected)[0]
        return dict(zip(self.labels, expected.tolist(), strict=True))

    def _outcomes(self, codes: Floats, *, stored: bool = False) -> tuple[Any, ...]:
        """Decode predictions, or outcomes of stored cases."""
        if self.labels and self.predictor.target.n_classes:
            return tuple(self.labels[int(code)] for code in codes)
        decode = self.fitted.decoded if stored else self.fitted.predicted
        return tuple(map(plain_value, decode(codes, self.predictor.column)))

    def _feature_shares(self, at: int) -> FeatureShares | None:
        """The contributions to a prediction; for classes, to that of the predicted class."""
        found, row = self.shares, self.start + at
        if found is None:
            return None
        values, errors = found.values[row], found.standard_errors[row]
        if not found.classes:
            baseline, prediction = float(np.asarray(found.baseline)), float(found.predictions[row])
            in_seconds = found.times is not None
            # As the prediction is told, though it be on the other side of midnight.
            turn = turn_into_cycle(prediction, self.fitted.schema.storage[self.predictor.column])
            baseline, prediction = baseline + turn, prediction + turn
            return FeatureShares(
                found.names, values, errors, baseline, prediction, in_seconds=in_seconds
            )
        # Ordered by code again, like the other parts of an explanation.
        places = self.fitted.class_places(self.predictor.column)
        code = int(self.answered.values[at])
        place = places[code]
        return FeatureShares(
            found.names,
            values[:, place],
            errors[:, place],
            float(np.asarray(found.baseline)[place]),
            float(found.predictions[row, place]),
            self.labels[code],
            self.labels,
            values.take(places, axis=-1),
        )
