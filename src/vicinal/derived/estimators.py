"""Scores of a user's own scikit-learn estimators, fitted out of fold."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from vicinal.derived.attribution import Attribution
from vicinal.derived.estimator_input import EstimatorInput
from vicinal.exceptions import ParameterError
from vicinal.typing import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Added to a probability and to its complement, so that the logarithm of their ratio is finite.
SMALLEST = 1e-3
#: Scores are rounded to this part of the largest, because an estimator may round the same row
#: differently among others.
GRAIN = 2.0**-30


class EstimatorScores:
    """Scores of one estimator: a clone of it for each run, fitted out of fold; see `Folds`.

    Of classes, a score is the logarithm of the odds, or what `decision_function` returns if there
    is no `predict_proba`; of numbers, the prediction. The class is no dataclass, because model
    files, which hold no code, cannot hold it.

    Parameters
    ----------
    name : str
        What messages call the estimator.
    models : tuple of (estimator, ndarray)
        For each run, the fitted clone and the codes of its classes; None in place of the clone if
        there was a single class.
    given : EstimatorInput
        What the estimators receive.
    n_classes : int
        Number of classes; 0 for numbers.
    attribution : Attribution
        How scores are attributed to features.
    threads : int, optional
        Number of threads that OpenMP may use; all by default.
    """

    def __init__(
        self,
        name: str,
        models: tuple[tuple[Any, Ints], ...],
        given: EstimatorInput,
        n_classes: int,
        attribution: Attribution,
        threads: int | None = None,
    ) -> None:
        self.name, self.models, self.given = name, models, given
        self.n_classes, self.attribution, self.threads = n_classes, attribution, threads
        #: How much each feature matters to each score, (width, features), and the unit to which
        #: the scores are rounded; both are learned.
        self.sizes = np.empty((self.width, 0))
        self.unit = 0.0

    @property
    def width(self) -> int:
        """Number of scores."""
        return self.n_classes if self.n_classes > 2 else 1

    def values(self, rows: Floats, runs: Ints) -> Floats:
        """Return the scores of encoded rows, (m, width); the mean over runs for the run −1."""
        return self._by_run(rows, runs, self._scores, (self.width,))

    def parts(self, rows: Floats, runs: Ints) -> Floats:
        """Return what each feature adds to the scores: (m, features, width).

        They sum to the score less that of the typical row; see `Attribution`.
        """
        shape = (len(self.attribution.columns), self.width)
        return self._by_run(rows, runs, self._parts, shape)

    def _parts(self, rows: Floats, run: int) -> Floats:
        return self.attribution.parts(lambda some: self._scores(some, run), rows)

    def _by_run(
        self,
        rows: Floats,
        runs: Ints,
        compute: Callable[[Floats, int], Floats],
        shape: tuple[int, ...],
    ) -> Floats:
        out = np.empty((len(rows), *shape))
        with limited(self.threads):
            for run in np.unique(runs).tolist():
                at = np.flatnonzero(runs == run)
                if run >= 0:
                    out[at] = compute(rows[at], run)
                else:
                    each = [compute(rows[at], one) for one in range(len(self.models))]
                    out[at] = np.mean(each, axis=0)
        return out

    def _scores(self, rows: Floats, run: int) -> Floats:
        """Return the scores of the clone of one run."""
        model, codes = self.models[run]
        if model is None or not len(rows):
            return np.zeros((len(rows), self.width))
        with explained(self.name, "predicting", self.given):
            found = _link(model, self.given.table(rows), codes, self.n_classes)
        if found.shape != (len(rows), self.width) or not np.isfinite(found).all():
            raise ParameterError(
                f"scores: {self.name} predicted an array of the shape {found.shape}, or values "
                f"that are missing or infinite; expected {len(rows)} finite predictions."
            )
        return found if not self.unit else np.round(found / self.unit) * self.unit

    def learn_unit(self, values: Floats) -> None:
        """Round scores to a part of the largest of these."""
        largest = float(np.abs(values).max(initial=0.0))
        self.unit = float(np.ldexp(GRAIN, int(np.frexp(largest)[1]))) if largest else 0.0

    def learn_sizes(self, rows: Floats, runs: Ints, n_cases: int) -> None:
        """Learn how much each feature matters from some rows, and bound the effort for all."""
        parts = self.parts(rows, runs)
        sizes = np.abs(parts - parts.mean(axis=0)).mean(axis=0).T
        # None is exactly 0: some feature may matter to rows that are not among these.
        least = 1e-6 * np.maximum(sizes.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        self.sizes = sizes + least
        self.attribution = self.attribution.within(n_cases, self.sizes.sum(axis=0))


def _link(model: Any, table: Any, codes: Ints, n_classes: int) -> Floats:
    """Return the scores of a fitted estimator, (m, width)."""
    if not n_classes:
        return np.asarray(model.predict(table), dtype=np.float64).reshape(len(table), -1)
    if hasattr(model, "predict_proba"):
        given = np.asarray(model.predict_proba(table), dtype=np.float64)
        lowest = np.zeros((len(table), 1))
    else:
        given = np.asarray(model.decision_function(table), dtype=np.float64)
        if given.ndim == 1:
            given = np.column_stack([-given, given])
        lowest = given.min(axis=1, keepdims=True)
    found = np.tile(lowest, (1, n_classes))
    found[:, codes] = given
    if hasattr(model, "predict_proba"):
        found = np.log((found + SMALLEST) / (1.0 - found + SMALLEST))
    return found[:, 1:] if n_classes == 2 else found


def limited(threads: int | None) -> Any:
    """Let linear algebra use one thread, because sums of several would depend on their number.

    OpenMP may use so many, or all.
    """
    limits = {"blas": 1} | ({} if threads is None or threads < 1 else {"openmp": threads})
    return threadpool_limits(limits=limits)


@contextmanager
def explained(name: str, doing: str, given: EstimatorInput) -> Iterator[None]:
    """Say which estimator failed, on which columns, and what to do about it."""
    try:
        yield
    except ParameterError:
        raise
    except Exception as error:
        raise ParameterError(
            f"scores: {name} failed when {doing}, with {type(error).__name__}: {error}\n"
            f"It received a table of {given.described()}. If it cannot handle categories or "
            "missing values, put it into a pipeline with an encoder and an imputer, such as "
            "make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), "
            "make_column_selector(dtype_include='category')), remainder=SimpleImputer()), "
            "estimator)."
        ) from error
