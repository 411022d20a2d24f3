"""Fit a user's own estimators without each fold, as scores of a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.derived.attribution import Attribution
from vicinal.derived.estimator_input import EstimatorInput, take
from vicinal.derived.estimators import EstimatorScores, explained, limited
from vicinal.exceptions import ParameterError
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.typing import Bools, Floats, Ints, Places

#: Whole weights are repeated rows up to this many rows.
MOST_REPEATED = 20_000
#: Rows from which it is learned how much each feature matters to a score.
SIZED_ROWS = 128
#: Standard errors that the rank correlation of scores and outcomes must exceed.
CHANCE = 2.0
#: Types of labels that estimators receive as they are; others become codes.
_LABELS = (str, int, bool)


def named_estimators(scores: Any) -> list[tuple[str, Any]]:
    """Return the names and the estimators that the parameter ``scores`` holds.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from vicinal.derived.learn_estimators import named_estimators
    >>> named_estimators([Ridge(), ("strong", Ridge(alpha=100.0))])
    [('Ridge', Ridge()), ('strong', Ridge(alpha=100.0))]
    >>> named_estimators(True)
    []
    """
    if isinstance(scores, bool | np.bool_):
        return []
    listed = scores if isinstance(scores, list | tuple) else [scores]
    return [one if isinstance(one, tuple) else (type(one).__name__, one) for one in listed]


def wants_scores(scores: Any) -> bool:
    """Return whether the parameter ``scores`` asks for any; estimators do."""
    return bool(scores) if isinstance(scores, bool | np.bool_) else True


def predicts_classes(estimator: Any) -> bool:
    """Return whether an estimator is a classifier rather than a regressor."""
    from sklearn.base import is_classifier, is_regressor  # takes long, and few need it

    if hasattr(estimator, "__sklearn_tags__"):
        if is_classifier(estimator):
            return True
        if is_regressor(estimator):
            return False
    return hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")


def check_estimators(scores: Any, *, classes: bool) -> None:
    """Raise a `ParameterError` if an estimator does not predict such a target."""
    for name, estimator in named_estimators(scores):
        if predicts_classes(estimator) != classes:
            wanted = ("a regressor", "a classifier")
            raise ParameterError(
                f"scores has {name}, which is {wanted[not classes]}; expected {wanted[classes]}."
            )


@dataclass(frozen=True, eq=False)
class EstimatorTask:
    """What is needed to fit a user's estimators to a target.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Those that predict such a target, with their names.
    schema : Schema
        The features.
    context : ndarray of int
        Encoded columns that the target is predicted from.
    target : Feature
        The target.
    """

    estimators: list[tuple[str, Any]]
    schema: Schema
    context: Places
    target: Feature

    @classmethod
    def of(cls, scores: Any, schema: Schema, context: Places, column: int) -> EstimatorTask | None:
        """Choose the estimators that predict a target of its kind; None if there are none."""
        target = schema.storage[column]
        classes = target.kind is Kind.NOMINAL
        fitting = [one for one in named_estimators(scores) if predicts_classes(one[1]) == classes]
        return cls(fitting, schema, context, target) if fitting else None


class EstimatorLearner:
    """Fits estimators to the cases of a sample.

    Parameters
    ----------
    task : EstimatorTask
        The estimators, and what they are fitted to.
    values, truth, weights : ndarray
        Encoded cases, their outcomes and weights.
    held : ndarray of bool of shape (runs, n)
        The cases that each run is fitted without.
    columns : ndarray of int64
        Encoded columns that vary.
    typical : ndarray
        A typical row.
    """

    def __init__(
        self,
        task: EstimatorTask,
        values: Floats,
        truth: Floats,
        weights: Floats,
        held: Bools,
        *,
        columns: Ints,
        typical: Floats,
        n_classes: int,
        n_cases: int,
        random_state: int,
        threads: int | None = None,
    ) -> None:
        self.task, self.n_classes = task, n_classes
        self.n_cases, self.random_state, self.threads = n_cases, random_state, threads
        self.values, self.truth, self.weights, self.held = values, truth, weights, held
        #: A run that each case is not in.
        self.own = held.argmax(axis=0)
        self.given = EstimatorInput.of(task.schema, task.context, columns, typical)
        self.attribution = Attribution.single(columns, typical)
        self.table = self.given.table(values)
        self.outcomes = self._outcomes()

    def learn(self) -> tuple[EstimatorScores, ...]:
        """Fit all estimators; those that predict nothing out of fold are left out."""
        with limited(self.threads):
            found = [self._learned(*one) for one in self.task.estimators]
        return tuple(one for one in found if one is not None)

    def _learned(self, name: str, estimator: Any) -> EstimatorScores | None:
        models = tuple(self._fitted(name, estimator, run) for run in range(len(self.held)))
        found = EstimatorScores(
            name, models, self.given, self.n_classes, self.attribution, self.threads
        )
        scores = found.values(self.values, self.own)
        if not self._predictive(scores):
            return None
        found.learn_unit(scores)
        some = np.unique(np.linspace(0, len(self.values) - 1, SIZED_ROWS).astype(np.intp))
        found.learn_sizes(self.values[some], self.own[some], self.n_cases)
        return found

    def _predictive(self, scores: Floats) -> bool:
        """Return whether scores rise with the outcomes that they have not seen, beyond chance.

        The score of a neighbor may have seen the outcome of a case that is left out. Beside what a
        good score says that is little, but of one that merely memorizes it would be all.
        """
        outcomes = self.truth[:, None]
        if self.n_classes:
            classes = np.arange(self.n_classes) if self.n_classes > 2 else np.array([1])
            outcomes = (outcomes == classes).astype(np.float64)
        found = [_correlation(*both) for both in zip(scores.T, outcomes.T, strict=True)]
        return max(found) * np.sqrt(len(scores)) > CHANCE

    def _fitted(self, name: str, estimator: Any, run: int) -> tuple[Any, Ints]:
        """Fit a clone without the cases held in a run.

        Its classes are those of the codes in their order.
        """
        # Cases are sorted by content here. Some estimators split rows as they come, and would be
        # misled by the order.
        rows = np.flatnonzero(~self.held[run])
        rows = np.random.default_rng([self.random_state, run]).permutation(rows)
        codes = np.empty(0, dtype=np.int64)
        if self.n_classes:
            _, first = np.unique(self.outcomes[rows], return_index=True)
            codes = self.truth[rows[first]].astype(np.int64)
            if len(codes) < 2:
                return None, codes
        with explained(name, "fitting", self.given):
            made = _seeded_clone(estimator, self.random_state)
            rows, options = self._weighting(name, made, rows)
            made.fit(take(self.table, rows), self.outcomes[rows], **options)
        if self.n_classes and not hasattr(made, "predict_proba"):
            _require_decisions(name, made)
        return made, codes

    def _weighting(self, name: str, estimator: Any, rows: Places) -> tuple[Places, dict[str, Any]]:
        """Repeat rows of whole weights; other weights are passed on."""
        weights = self.weights[rows]
        if (weights == 1).all():
            return rows, {}
        if (weights == np.floor(weights)).all() and weights.sum() <= MOST_REPEATED:
            repeated = np.repeat(rows, weights.astype(np.intp))
            rng = np.random.default_rng([self.random_state, len(repeated)])
            return rng.permutation(repeated), {}
        return rows, {_weight_parameter(name, estimator): weights}

    def _outcomes(self) -> Any:
        """Return the outcomes as the table has them, as far as estimators can take them."""
        if not self.n_classes:
            return self.truth
        codes = self.truth.astype(np.intp)
        labels = self.task.target.categories or ()
        plain = {type(label) for label in labels}
        if len(plain) == 1 and plain <= set(_LABELS) and codes.max(initial=-1) < len(labels):
            return np.array(labels)[codes]
        return codes


def _correlation(first: Floats, second: Floats) -> float:
    """Return the rank correlation; 0 if either does not vary."""
    from scipy.stats import rankdata

    a, b = (one - one.mean() for one in (rankdata(first), rankdata(second)))
    return float(a @ b / np.sqrt(max(float(a @ a) * float(b @ b), np.finfo(np.float64).tiny)))


def _seeded_clone(estimator: Any, random_state: int) -> Any:
    """Return a clone in which everything random has a seed, so that answers can be repeated."""
    from sklearn.base import clone

    made = clone(estimator)
    open_ = {
        name: random_state
        for name, value in sorted(made.get_params(deep=True).items())
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    return made.set_params(**open_) if open_ else made


def _weight_parameter(name: str, estimator: Any) -> str:
    """Return what the parameter of `fit` for the weights of rows is called."""
    from sklearn.utils.validation import has_fit_parameter

    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    steps = getattr(estimator, "steps", None)
    if steps and has_fit_parameter(steps[-1][1], "sample_weight"):
        return f"{steps[-1][0]}__sample_weight"
    raise ParameterError(
        f"scores: {name} has no parameter sample_weight in fit, and the weights are not whole "
        "numbers; leave out sample_weight, or use an estimator that takes it."
    )


def _require_decisions(name: str, estimator: Any) -> None:
    if not hasattr(estimator, "decision_function"):
        raise ParameterError(
            f"scores: {name} has neither predict_proba nor decision_function; expected a "
            "classifier with one of them."
        )
