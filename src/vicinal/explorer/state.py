"""The cases of a model between two changes, and everything that is computed from them."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property, partial
from threading import Lock, RLock
from typing import Any, TypeVar

import numpy as np

from vicinal.conviction.measure import Measure
from vicinal.conviction.sampled_baseline import baseline_of
from vicinal.exceptions import ParameterError
from vicinal.explorer.computed import (
    JUDGED_SAMPLE,
    MOST_JUDGED,
    CaseConvictions,
    CasePredictions,
    all_numbers,
    judge_stored,
    predict_stored,
)
from vicinal.explorer.layout import Layout, lay_out
from vicinal.explorer.limits import MOST_CONTEXTS, MOST_LEARNED, Limits
from vicinal.explorer.priority import Priority
from vicinal.explorer.table import CaseTable
from vicinal.explorer.tasks import NotReady, Report, Tasks
from vicinal.fitted import Fitted
from vicinal.model.model import Model
from vicinal.model.questions import ask
from vicinal.prediction.predictor import Predictor, learn
from vicinal.quality.audit import Audit, audit
from vicinal.report.gather_importance import gather_importance
from vicinal.report.gather_performance import gather_performance
from vicinal.report.held_out import HeldOut, hold_out
from vicinal.typing import Places

T = TypeVar("T")

#: Results that are kept for the next request.
_KEPT = 32
#: Cases that an audit checks, at most.
_AUDITED = 5_000
#: Seconds that changes may follow each other before what depends on them is computed again.
_QUIET = 1.0
#: Seconds that a question waits for something that the background learns.
_PATIENCE = 2.0
TARGET_TASKS = ("predictions", "overview", "importance", "audit")


class State:
    """One version of a served model: it never changes, a change makes the next one.

    Parameters
    ----------
    model : Model
        The model, which nobody else changes.
    target : str or None
        The target of requests that name none.
    priority : Priority
        See `Tasks`.
    previous : State, optional
        The version before, whose results stand in until there are new ones.
    """

    def __init__(
        self,
        model: Model,
        target: str | None,
        limits: Limits,
        priority: Priority,
        previous: State | None = None,
    ) -> None:
        self.model, self.target, self.limits = model, target, limits
        self.fitted: Fitted = ask(model, lambda fitted: fitted)
        #: The number of changes ever made to the cases, which files keep.
        self.version = len(model.log_)
        self.tasks = Tasks(priority)
        #: Held while something is learned, so that it is learned once.
        self.learning = RLock()
        self._predictors: dict[tuple[int, ...], Predictor] = {}
        self._contexts: set[tuple[int, ...]] = set()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._keeping = Lock()
        self._before = {} if previous is None else previous.results()
        self._plan()

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return len(self.fitted.index)

    @cached_property
    def table(self) -> CaseTable:
        """The cases as columns."""
        return CaseTable(self.fitted)

    @cached_property
    def reference(self) -> Fitted:
        """All cases, or of many a sample: what is listed of all cases is about these."""
        with self.learning:
            if self.n_cases <= MOST_JUDGED:
                return self.fitted
            seed = self.fitted.settings.random_state
            sampled = self.fitted.index.sample(JUDGED_SAMPLE, random_state=seed)[0]
            others = np.setdiff1d(all_numbers(self.fitted.index), sampled)
            fewer = copy.copy(self.model)
            fewer.remove(others, by="number")
            return ask(fewer, lambda fitted: fitted)

    def start(self, *, changed: bool = False) -> None:
        """Begin to compute in the background."""
        self.tasks.start(_QUIET if changed else 0.0)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made for this key before, or make it."""
        with self._keeping:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: T = self._kept[key]
                return found
        made = make()
        with self._keeping:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def target_of(self, asked: str | None) -> str:
        """Return the target of a request."""
        target = self.target if asked is None else asked
        if target is None:
            raise ParameterError(
                "The request names no target, and the service has none; add target to the request."
            )
        self.fitted.schema.column(target)
        return target

    def predictor(self, target: str, columns: Places | None = None) -> Predictor:
        """Return the predictor of a target, learned and calibrated by the first request.

        Raises
        ------
        NotReady
            If the background learns it, or something else, for long; so that requests that wait
            for it do not keep the service from answering others.
        """
        fitted = self.fitted
        if columns is None:
            columns = fitted.columns_for(fitted.schema.names, target)
        key = (fitted.schema.column(target), *columns.tolist())
        if key in self._predictors:
            return self._predictors[key]
        self._wait_for_learning()
        with self.learning:
            if key not in fitted.learned and len(fitted.learned) >= MOST_LEARNED:
                raise ParameterError(
                    f"{MOST_LEARNED} combinations of target and context were learned already; "
                    "expected fewer. Give all columns, with null for those that are missing."
                )
            predictor = learn(fitted, target, columns)
            predictor.calibration  # noqa: B018 (computed when it is first read)
            self._predictors[key] = predictor
        return predictor

    def _wait_for_learning(self) -> None:
        """Wait a little for what the background learns, or say that it is not ready."""
        if (task := self.tasks.competing()) is not None:
            if not self.learning.acquire(timeout=_PATIENCE):
                raise NotReady(task)
            self.learning.release()

    def judging(self, columns: Places) -> Fitted:
        """Return the fitted state, in which what rows of these columns are compared with is known.

        Of many cases it is a sample.

        Raises
        ------
        NotReady
            If the background compares cases, or learns something else, for long.
        """
        key = tuple(columns.tolist())
        if key in self._contexts:
            return self.fitted
        self._wait_for_learning()
        with self.learning:
            if len(self._contexts) >= MOST_CONTEXTS:
                raise ParameterError(
                    f"Rows were judged by {MOST_CONTEXTS} different sets of features already; "
                    "expected fewer. Give all columns, with null for those that are missing."
                )
            baseline_of(self.fitted, columns, Measure())
            self._contexts.add(key)
            return self.fitted

    def n_compared(self, columns: Places) -> int:
        """Return how many cases rows of these columns are compared with."""
        return len(baseline_of(self.judging(columns), columns, Measure()).numbers)

    def computed(self, name: str, target: str | None = None) -> Any:
        """Return a result of the background, of this version or the one before; or None."""
        found = self.tasks.known(name, target)
        return self._before.get((name, target)) if found is None else found

    def result(self, name: str, target: str | None = None) -> Any:
        """Return a result of the background, which is computed now if nobody asked before.

        Raises
        ------
        NotReady
            If it is still being computed.
        """
        if name in TARGET_TASKS and not self.tasks.has(name, target):
            self._add_target(target)
        return self.tasks.result(name, target)

    def results(self) -> dict[tuple[str, str | None], Any]:
        """Return what was computed from the cases one by one, to stand in for the next version."""
        names = (("predictions", self.target), ("conviction", None), ("map", None))
        found = {key: self.computed(*key) for key in names}
        return {key: one for key, one in found.items() if one is not None}

    def _plan(self) -> None:
        if self.target is not None:
            self.tasks.add("predictions", self.target, partial(self._predictions, self.target))
        self.tasks.add("conviction", None, self._convictions)
        self.tasks.add("map", None, self._map)
        self._add_target(self.target)

    def _add_target(self, target: str | None) -> None:
        if target is not None:
            self.tasks.add("predictions", target, partial(self._predictions, target))
            self.tasks.add("overview", target, partial(self._overview, target))
            self.tasks.add("importance", target, partial(self._importance, target))
        self.tasks.add("audit", target, partial(self._audit, target))

    def _predictions(self, target: str, report: Report) -> CasePredictions:
        report(0.0, f"Learning to predict {target}"[:200])
        predictor = self.predictor(target)
        # Whoever opens a case is also told how unusual it is.
        report(0.0, "Comparing cases with each other")
        self.judging(self.fitted.columns_for(self.fitted.schema.names, target))
        return predict_stored(predictor, report)

    def _convictions(self, report: Report) -> CaseConvictions:
        return judge_stored(self.reference, self.n_cases, report)

    def _map(self, report: Report) -> Layout:
        return lay_out(self.fitted, report)

    def held_out(self, target: str) -> HeldOut:
        """Return held-out cases and their predictions."""
        self.predictor(target)
        return self.kept(("held out", target), lambda: hold_out(self.fitted, target))

    def _overview(self, target: str, report: Report) -> tuple[HeldOut, Any]:
        report(0.1, "Predicting held-out cases")
        held = self.held_out(target)
        report(0.6, "Measuring the quality of predictions")
        return held, gather_performance(held)

    def _importance(self, target: str, report: Report) -> Any:
        report(0.1, "Measuring which features matter")
        return gather_importance(self.held_out(target))

    def _audit(self, target: str | None, report: Report) -> Audit:
        report(0.1, "Looking for likely errors")
        reference = self.reference
        if target is not None and reference is self.fitted:
            self.predictor(target)
        return audit(reference, target, max_cases=_AUDITED)
