"""A target and what was learned to predict it; the Model makes all its predictions here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.learn_estimators import EstimatorTask
from vicinal.exceptions import TableError
from vicinal.fitted import Fitted, Rows
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import sample_cases
from vicinal.influence.answer import BATCH, Answer, answer
from vicinal.influence.ensemble import Ensemble, Influences, find_influences
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.targets import learn_target
from vicinal.prediction.calibration_cases import calibrated, probabilities_without
from vicinal.prediction.conformal import Calibration
from vicinal.prediction.decision import Decision
from vicinal.prediction.extended_cases import ExtendedCases
from vicinal.prediction.left_out import LeftOutAnswers
from vicinal.typing import Bools, Floats, Ints, Places

#: Cases predicted at a time that are left out: derived columns of all would fill memory.
_AT_ONCE = 4 * BATCH


@dataclass(eq=False)
class Predictor:
    """Predicts one column of the cases from others.

    Parameters
    ----------
    fitted : Fitted
        The fitted state, which has the cases.
    column : int
        Encoded column of the target.
    context : ndarray of int
        Encoded columns that it is predicted from.
    tuning : Tuning
        What was learned to predict the target.
    known_calibration : Calibration, optional
        The calibration, if it has already been computed.
    derived : DerivedColumns, optional
        Columns that are derived from others, in which neighbors are searched, too.
    decision : Decision, optional
        How a class is decided from the probabilities of those that have a case, in class order;
        by default the most probable one.
    """

    fitted: Fitted
    column: int
    context: Places
    tuning: Tuning
    known_calibration: Calibration | None = None
    derived: DerivedColumns | None = None
    decision: Decision | None = None

    def __post_init__(self) -> None:
        #: The cases with the derived columns.
        self.cases = ExtendedCases(self.fitted, self.derived, layout=self.ensemble)
        #: Leave-one-out probabilities, by the version of the cases.
        self._left_out: dict[int, tuple[Ints, Floats]] = {}
        self._answers = LeftOutAnswers()
        self._plain: Predictor | None = None  # the same one, without a decision
        self._players: list[int] | None = None

    @property
    def index(self) -> Index:
        """The cases."""
        return self.fitted.index

    @property
    def threads(self) -> int | None:
        """Number of threads that native code may use."""
        return self.fitted.threads

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that predicts the target."""
        return self.tuning.ensemble

    @property
    def metric(self) -> Metric:
        """The metric of the context, with the residuals of its features."""
        return self.fitted.metric_of(self.context)

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.fitted.schema.storage[self.column].name

    @property
    def target(self) -> Target:
        """The target column in its current state."""
        return describe(self.fitted, self.column)

    def players(self) -> list[int]:
        """Return the features that can affect predictions, as encoded columns, ascending."""
        if self._players is None:
            metrics = [self.cases.metric(one.metric) for one in self.ensemble.plan]
            self._players = sorted({column for one in metrics for column in one.active.tolist()})
        return list(self._players)

    def influences(self, rows: Rows) -> Influences:
        """Find the cases behind each prediction and their influences."""
        return find_influences(
            self.cases.index,
            self.ensemble,
            self.cases.rows(rows.values, rows.exclude),
            target=self.target,
            exclude=rows.exclude,
            threads=self.threads,
        )

    def answer(self, rows: Rows) -> Answer:
        """Predict the target of some rows."""
        return self.predict(rows.values, rows.exclude)

    def predict(self, values: Floats, exclude: Ints | None = None) -> Answer:
        """Predict the target of encoded rows, each without the case to exclude for it."""
        return self.decided(self.answered(self.ensemble, values, exclude))

    def answered(self, ensemble: Ensemble, values: Floats, exclude: Ints | None = None) -> Answer:
        """Predict the target of encoded rows by an ensemble of the same spaces."""
        return answer(
            self.cases.index,
            ensemble,
            self.target,
            self.cases.rows(values, exclude),
            exclude=exclude,
            threads=self.threads,
        )

    def decided(self, answered: Answer) -> Answer:
        """Decide on classes; ties between equally probable ones go by their declared order."""
        if self.decision is None and self.fitted.schema.storage[self.column].classes is None:
            return answered
        assert answered.probabilities is not None
        codes = self.fitted.class_codes(self.column)
        codes = codes[codes >= 0]
        given = answered.probabilities[:, codes]
        best = given.argmax(axis=1) if self.decision is None else self.decision.choose(given)
        return replace(answered, values=codes[best].astype(np.float64))

    def scored(self, answered: Answer) -> Answer:
        """Return predictions with the scores that decide in place of the probabilities."""
        if self.decision is None or answered.probabilities is None:
            return answered
        codes = self.fitted.class_codes(self.column)
        codes = codes[codes >= 0]
        scores = np.empty_like(answered.probabilities)
        scores[:, codes] = self.decision.scores(answered.probabilities[:, codes])
        return replace(answered, probabilities=scores)

    def deciding(self, decision: Decision) -> Predictor:
        """Return the same predictor with another rule to decide on classes."""
        made = replace(self, decision=decision)
        # These do not depend on the decision, so they need not be computed again.
        made.cases, made._left_out = self.cases, self._left_out
        made._answers, made._plain = self._answers, self._plain or self
        return made

    def left_out(self, cases: Ints) -> Answer:
        """Predict cases from the others (leave-one-out), in the same way as new rows."""
        found = self._answers.of(np.asarray(cases), self.index.version, self._without_themselves)
        return self.decided(found)

    def _without_themselves(self, cases: Ints) -> Answer:
        starts = range(0, max(len(cases), 1), _AT_ONCE)
        parts = [cases[start : start + _AT_ONCE] for start in starts]
        return Answer.joined(
            [self.answered(self.ensemble, self.index.rows(some), some) for some in parts]
        )

    def left_out_cases(self, most: int, *, among: str, seed: int) -> Ints:
        """Choose cases for leave-one-out prediction; all callers share this method.

        Parameters
        ----------
        most : int
            Maximum number of cases.
        among : {"fresh", "known", "learned"}
            Cases that the target was not learned from, if there are enough; all cases with a
            known target; or cases that it was learned from.
        seed : int
            Random seed.
        """
        key = ("left-out cases", self.ensemble, most, among, seed)
        return self.fitted.cached(key, lambda: self._sampled(most, among, seed))

    def _sampled(self, most: int, among: str, seed: int) -> Ints:
        learned = self.still_known(self.tuning.queries)
        if among == "learned":
            return learned[sample_cases(self.index.rows(learned), most, random_state=seed)]
        known = int(self.index.reduce("mass", required=self.column)["count"])
        fresh = among == "fresh" and known - len(learned) >= most
        return self.index.sample(
            most,
            random_state=seed,
            required=self.column,
            without=learned if fresh else None,
        )[0]

    def still_known(self, cases: Ints) -> Ints:
        """Return the cases that still exist with a positive weight and a known target."""
        cases = cases[self.index.contains(cases)]
        cases = cases[~np.isnan(self.index.cells(cases, self.column))]
        weights = self.index.weights_of(cases)
        return cases if weights is None else cases[weights > 0]

    @property
    def calibration(self) -> Calibration:
        """The errors of left-out cases when the target was learned."""
        plain = self._plain or self  # kept there, since the next question decides anew
        if plain.known_calibration is None:
            plain.known_calibration = calibrated(plain)
        return plain.known_calibration

    def left_out_probabilities(self) -> tuple[Ints, Floats]:
        """Return cases with a known class, and their leave-one-out probabilities by code.

        Tuned decisions are based on them.
        """
        version = self.index.version
        known = self._left_out.get(version)
        if known is None:
            known = probabilities_without(self)
            self._left_out.clear()
            self._left_out[version] = known
        return known

    def half_widths(self, answered: Answer, alpha: float) -> Floats:
        """Return the half-widths of the prediction intervals of numbers."""
        assert answered.spread is not None
        return self.calibration.quantile(alpha) * self.calibration.scale(answered.spread)

    def prediction_set(self, answered: Answer, alpha: float, *, coverage: str = "class") -> Bools:
        """Return whether each class is in the prediction set of each row.

        The most probable class always is, and a class without any case never.
        """
        assert answered.probabilities is not None
        calibration, given = self.calibration, answered.probabilities
        limits: Floats | float = calibration.quantile(alpha)
        if coverage == "class":
            limits = calibration.limits(alpha, given.shape[1])
        within = (1.0 - given <= limits) & (self.target.shares > 0)
        within[np.arange(len(given)), given.argmax(axis=1)] = True
        return within

    def learned_again(self, fitted: Fitted) -> Predictor:
        """Return what predicts the same target from the same columns, learned from other cases."""
        return learn(fitted, self.name, self.context)

    def renumbered(self, fitted: Fitted, cases: Ints) -> Predictor:
        """Return the same predictor for a table whose case i is case ``cases[i]`` here."""
        place = {case: number for number, case in enumerate(cases.tolist())}
        there = np.isin(self.tuning.queries, cases)
        numbers = [place[case] for case in self.tuning.queries[there].tolist()]
        tuning = replace(
            self.tuning,
            queries=np.array(numbers, dtype=np.int64),
            predictions=self.tuning.predictions[there],
        )
        return replace(self, fitted=fitted, tuning=tuning, known_calibration=self.calibration)


def describe(fitted: Fitted, column: int) -> Target:
    """Summarize an encoded column as a target; the result is cached until the cases change.

    Raises
    ------
    TableError
        If all its values are missing.
    """

    def make() -> Target:
        feature = fitted.schema.storage[column]
        if not float(fitted.index.reduce("mass", required=column)["mass"]) > 0:
            raise TableError(f"No case has a value of {feature.name!r}; it cannot be predicted.")
        return Target.of(
            fitted.index,
            column,
            n_classes=fitted.n_classes(column),
            period=feature.period or 0.0,
        )

    return fitted.cached(("target", column), make)


def learn(fitted: Fitted, target: str, context: Places) -> Predictor:
    """Return the predictor of a target from encoded columns, which the first call learns.

    Raises
    ------
    TableError
        If all values of the target are missing.
    """
    column = fitted.schema.column(target)
    described = describe(fitted, column)
    key = (column, *context.tolist())
    if key not in fitted.learned:
        weights = np.zeros(len(fitted.schema))
        weights[context] = fitted.terms.weights[context]
        tuning, derived = learn_target(
            fitted.index,
            fitted.metric_of(context),
            replace(fitted.terms, weights=weights),
            described,
            fitted.settings,
            EstimatorTask.of(fitted.settings.scores, fitted.schema, context, column),
        )
        fitted.learned[key] = Predictor(fitted, column, context, tuning, derived=derived)
    predictor: Predictor = fitted.learned[key]
    return predictor
