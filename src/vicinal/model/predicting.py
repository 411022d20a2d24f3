"""Prediction: the Model's answers to "what is this, and how sure are you?"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError, TableError
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import NOMINAL
from vicinal.index.sampling import sample_distinct
from vicinal.learning.targets import describe_target, learn_target
from vicinal.learning.tuning import Tuning, known_numbers
from vicinal.model.base import Cases
from vicinal.prediction.answer import Answer, answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.conformal import Calibration, calibrate_classes, calibrate_numbers
from vicinal.prediction.ensemble import Ensemble, find_influences
from vicinal.prediction.target import Target
from vicinal.schema.decode import decode_column
from vicinal.schema.kinds import Kind
from vicinal.typing import Bools, Floats, Ints, Places

#: Cases that nothing was learned from tell how far off predictions are, if there are so many.
_ENOUGH_FRESH = 300


@dataclass(eq=False)
class Learned:
    """A target and what was learned to predict it.

    `described` says of which cases the target is the sum: the index, and its version then.
    """

    target: Target
    tuning: Tuning
    calibration: Calibration | None = None
    described: tuple[ExactIndex, int] | None = None

    def renumbered(self, cases: Ints) -> Learned:
        """Return the same for a model in which case i is what was case ``cases[i]`` here.

        The target is summed up again when it is asked for.
        """
        place = {case: number for number, case in enumerate(cases.tolist())}
        there = np.isin(self.tuning.queries, cases)
        numbers = [place[case] for case in self.tuning.queries[there].tolist()]
        tuning = replace(
            self.tuning,
            queries=np.array(numbers, dtype=np.int64),
            predictions=self.tuning.predictions[there],
        )
        return Learned(self.target, tuning, self.calibration)


class Predicting(Cases):
    """Any feature from any others, with intervals, sets and the cases behind them."""

    def predict(
        self, rows: Any, target: str | Iterable[str], *, context: Iterable[str] | None = None
    ) -> Any:
        """Predict any feature from any others.

        What it takes to predict a target is learned at the first question about it, and kept.

        Parameters
        ----------
        rows : table or None
            Rows to predict for, in any form `fit` takes. The columns of the targets, if there,
            are not looked at. None stands for the stored cases, each without itself.
        target : str or list of str
            The feature asked for, or several; none of them is predicted from another.
        context : list of str, optional
            Features to predict from; by default all columns the rows have, but the targets.

        Returns
        -------
        ndarray or dict of str to ndarray
            Values in the feature's own terms: numbers, or categories. For several targets a dict
            by name.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model().fit(load_penguins())
        >>> model.predict({"bill_length_mm": [50.0], "flipper_length_mm": [230]}, "species")
        array(['Gentoo'], dtype=object)
        """
        if isinstance(target, str):
            learned, answered = self._answer(rows, target, context)
            return self._decoded(answered.values, learned.target.column)
        targets = list(target)
        predictions = {}
        for name in targets:
            learned, answered = self._answer(rows, name, context, targets)
            predictions[name] = self._decoded(answered.values, learned.target.column)
        return predictions

    def predict_proba(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> Floats:
        """Give the probability of each class of a nominal feature.

        Returns
        -------
        ndarray of shape (m, n_classes)
            In the order of ``schema_[target].categories``. Every row sums to 1.
        """
        _, answered = self._answer(rows, target, context)
        if answered.probabilities is None:
            raise ParameterError(
                f"{target!r} is {self.schema_[target].kind}, so it has no class probabilities; "
                "see predict_interval, or declare it in categorical_features."
            )
        return answered.probabilities

    def predict_interval(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give intervals that hold the true value with probability 1 − alpha.

        Their width follows the errors of left-out cases, in units of the spread among the
        influential cases of each row (conformal prediction).

        Returns
        -------
        lower, upper : ndarray
            In the feature's own terms. Where there are too few cases to tell, infinite; of
            ordinal features the first and the last category, of times None. Those of cyclic
            features run from lower to upper round the circle; None for all of it.
        """
        check_alpha(alpha)
        learned, answered = self._answer(rows, target, context)
        if answered.spread is None:
            raise ParameterError(f"{target!r} is nominal; see predict_set, which gives classes.")
        return self._interval(learned, answered, alpha)

    def predict_set(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> Bools:
        """Give sets of classes that hold the true one with probability 1 − alpha.

        Returns
        -------
        ndarray of bool of shape (m, n_classes)
            Whether each class is in the set, in the order of ``schema_[target].categories``. An
            empty set says that no class is sure enough.
        """
        check_alpha(alpha)
        learned, answered = self._answer(rows, target, context)
        if answered.probabilities is None:
            raise ParameterError(f"{target!r} is a number; see predict_interval.")
        return self._label_set(learned, answered, alpha)

    def influences(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> CaseInfluences:
        """Give the cases behind each prediction: Σ influence × outcome is the prediction.

        Returns
        -------
        CaseInfluences
            Case numbers, their influence and outcome, and the background that all cases share.
        """
        queries, columns, exclude = self._context_of(rows, target, context)
        learned = self._learn(target, columns)
        found = find_influences(
            self.index_,
            learned.tuning.ensemble,
            queries,
            target=learned.target,
            exclude=exclude,
            threads=self.n_jobs,
        )
        merged = CaseInfluences.merged(found, learned.target)
        there = merged.indices >= 0
        labels = np.full(there.shape, None, dtype=object)
        labels[there] = self._values(merged.outcomes[there], learned.target.column)
        return replace(merged, labels=labels)

    def tuning(self, target: str, *, context: Iterable[str] | None = None) -> Tuning:
        """Give what was tried to predict a target, what each scored, and what was chosen."""
        self._check_fitted()
        names = self.schema_.names if context is None else list(context)
        return self._learn(target, self._columns_but(names, target)).tuning

    def _forget(self) -> None:
        super()._forget()
        self._learned: dict[tuple[int, ...], Learned] = {}

    def _answer(
        self,
        rows: Any,
        target: str,
        context: Iterable[str] | None,
        without: Iterable[str] = (),
    ) -> tuple[Learned, Answer]:
        queries, columns, exclude = self._context_of(rows, target, context, without)
        learned = self._learn(target, columns)
        return learned, answer(
            self.index_,
            learned.tuning.ensemble,
            learned.target,
            queries,
            exclude=exclude,
            threads=self.n_jobs,
        )

    def _interval(
        self, learned: Learned, answered: Answer, alpha: float
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ends of the intervals of numbers, in the feature's own terms."""
        assert answered.spread is not None
        calibration = self._calibration(learned)
        half = calibration.quantile(alpha) * calibration.scale(answered.spread)
        return self._ends(answered.values, half, learned.target.column)

    def _label_set(self, learned: Learned, answered: Answer, alpha: float) -> Bools:
        """Whether each class is in the set of each row."""
        assert answered.probabilities is not None
        return 1.0 - answered.probabilities <= self._calibration(learned).quantile(alpha)

    def _context_of(
        self,
        rows: Any,
        target: str,
        context: Iterable[str] | None,
        without: Iterable[str] = (),
    ) -> tuple[Floats, Places, Ints | None]:
        """Encoded rows, the columns to predict from, and the case to leave out for each row."""
        self._check_fitted()
        self.schema_.columns([target, *without])  # an unknown name is an error with a suggestion
        hidden = {target, *without}
        queries, given, exclude = self._queries(rows, hidden)
        names = given
        if context is not None:
            wanted = [context] if isinstance(context, str) else list(context)
            names = tuple(self._context(wanted, (*given, *hidden)))
        columns = self._columns_but([name for name in names if name not in hidden], target)
        return queries, columns, exclude

    def _columns_but(self, names: Iterable[str], target: str) -> Places:
        column = self.schema_.column(target)
        columns = self.schema_.columns(names)
        if not len(columns[columns != column]):
            raise TableError(
                f"Nothing is given to predict {target!r} from; name at least one other feature."
            )
        return columns[columns != column]

    def _learn(self, target: str, columns: Places) -> Learned:
        """Everything learned about predicting the target from these columns."""
        column = self.schema_.column(target)
        key = (column, *columns.tolist())
        if key not in self._learned:
            described = self._described(self.index_, column)
            self._check_known(described)
            weights = np.zeros(len(self.schema_))
            weights[columns] = self._settings.weights[columns]
            tuning = learn_target(
                self.index_,
                self.metric_.restricted(columns),
                replace(self._settings, weights=weights),
                described,
                weighting=self.weighting,
                influence=self.influence,
                k=self.n_neighbors,
                max_queries=self.max_queries,
                max_members=self.max_members,
                random_state=self.random_state,
                threads=self.n_jobs,
            )
            self._learned[key] = Learned(described, tuning, described=self._now())
        learned = self._learned[key]
        self._bring_up_to_date(learned)
        self._check_known(learned.target)
        return learned

    def _bring_up_to_date(self, learned: Learned) -> None:
        """Sum up the target again if cases have changed since, or came from a file."""
        if learned.described is None or learned.described != self._now():
            learned.target = self._described(self.index_, learned.target.column)
            learned.described = self._now()

    def _now(self) -> tuple[ExactIndex, int]:
        """The cases as they are; anything that was made of others is out of date."""
        return self.index_, self.index_.version

    def _described(self, index: ExactIndex, column: int) -> Target:
        """Sum up a column of cases as a target."""
        feature = self.schema_.storage[column]
        nominal = self._settings.kinds[column] == NOMINAL
        n_classes = len(feature.categories or ()) if nominal else 0
        return describe_target(index, column, n_classes=n_classes, period=feature.period or 0.0)

    def _check_known(self, target: Target) -> None:
        mass = 1.0 if target.weights is None else target.weights
        if not (~np.isnan(target.outcomes) * mass > 0).any():
            name = self.schema_.storage[target.column].name
            raise TableError(f"No case has a value of {name!r}; it cannot be predicted.")

    def _calibration(self, learned: Learned) -> Calibration:
        """How far off left-out cases were when the target was learned."""
        if learned.calibration is None:
            learned.calibration = self._calibrated(learned.target, learned.tuning)
        return learned.calibration

    def _calibrated(self, target: Target, tuning: Tuning) -> Calibration:
        fresh = self._fresh_cases(target, tuning)
        cases = tuning.queries if fresh is None else fresh
        truth = target.outcomes[cases]
        weights = None if target.weights is None else target.weights[cases]
        if target.n_classes:
            given = np.full((len(cases), target.n_classes), np.nan)
            if fresh is None:
                given = tuning.predictions.copy()
            # Nothing was learned from these, so that all members may answer.
            open_ = np.isnan(given).any(axis=1)
            given[open_] = self._left_out(target, tuning.ensemble, cases[open_]).probabilities
            return calibrate_classes(truth, given, weights)
        again = self._left_out(target, tuning.ensemble, cases)
        assert again.spread is not None
        # Tuning knows no circles: its means are wrong where a cycle ends.
        honest = fresh is None and not target.period
        predicted = tuning.predictions[:, 0] if honest else again.values
        return calibrate_numbers(target.near(truth, predicted), predicted, again.spread, weights)

    def _left_out(self, target: Target, ensemble: Ensemble, cases: Ints) -> Answer:
        """Predict cases from the others, as new rows are."""
        values = self.index_.case_values(cases)
        return answer(self.index_, ensemble, target, values, exclude=cases, threads=self.n_jobs)

    def _fresh_cases(self, target: Target, tuning: Tuning) -> Ints | None:
        """Cases that nothing was learned from; None where they are few.

        They are predicted as new rows are, by all members. Those that were learned from have to
        do with the members learned from others.
        """
        fresh = np.setdiff1d(known_numbers(self.index_, target), tuning.queries)
        if target.mass_of(fresh) < _ENOUGH_FRESH:
            return None
        values = self.index_.case_values(fresh)
        count = self.max_queries
        return fresh[sample_distinct(values, count, random_state=self.random_state)]

    def _ends(
        self, values: Floats, half: Floats, column: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ends of intervals about encoded values of one column, in its own terms."""
        feature = self.schema_.storage[column]
        period = feature.period or 0.0
        half = np.where((period > 0) & (2 * half >= period), np.nan, half)
        lower, upper = values - half, values + half
        if feature.kind is Kind.ORDINAL:
            last = max(len(feature.categories or ()) - 1, 0)
            lower, upper = np.clip(lower, 0.0, last), np.clip(upper, 0.0, last)
        elif feature.family != "number":  # no time is infinitely far away
            lower, upper = (np.where(np.isinf(end), np.nan, end) for end in (lower, upper))
        return self._decoded(lower, column), self._decoded(upper, column)

    def _decoded(self, values: Floats, column: int) -> NDArray[Any]:
        """Encoded predictions of one column in its own terms; not all of ints are whole."""
        feature = self.schema_.storage[column]
        if feature.kind is Kind.CONTINUOUS and feature.dtype in ("float", "int", "bool"):
            return values
        return self._values(values, column)

    def _values(self, values: Floats, column: int) -> NDArray[Any]:
        """Encoded values of one column, of cases, in its own terms."""
        out = np.empty(len(values), dtype=object)
        out[:] = decode_column(values, self.schema_.storage[column])
        return out


def check_alpha(alpha: float) -> None:
    """Refuse a share of failures that is not between 0 and 1."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be between 0 and 1; got {alpha!r}.")
