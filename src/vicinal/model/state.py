"""The state of a Model: its parameters, what was fitted, and its history."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields
from typing import Any, Self

from vicinal.exceptions import NotFittedError, did_you_mean
from vicinal.fitted import Fitted
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.model.changelog import ChangeLog
from vicinal.model.locking import ReadWriteLock
from vicinal.model.staleness import Staleness
from vicinal.model.updates import History
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.tables.case_labels import CaseLabels
from vicinal.typing import Ints

_PARAMETERS = tuple(one.name for one in fields(Settings))


class FittedState(Settings):
    """The parameters, and the attributes that a fit adds."""

    _fitted: Fitted
    _history: History
    _lock: ReadWriteLock

    def __new__(cls, *_args: Any, **parameters: Any) -> Self:
        """Give every model a lock of its own, however it is made."""
        for name in set(parameters).difference(_PARAMETERS):
            raise TypeError(
                f"{cls.__name__} has no parameter {name!r}.{did_you_mean(name, _PARAMETERS)}"
            )
        made = super().__new__(cls)
        made._lock = ReadWriteLock()
        return made

    def __copy__(self) -> Self:
        """Return a model that changes on its own; what neither changes is shared."""
        made = type(self).__new__(type(self))
        with self._lock.reading():
            made.__dict__.update(self.__dict__, _lock=made._lock)
            if hasattr(self, "_fitted"):
                made._fitted, made._history = self._fitted.copied(), deepcopy(self._history)
        return made

    @property
    def labels_(self) -> CaseLabels:
        """The labels of the cases, if they have any."""
        return self._ready().labels

    @property
    def schema_(self) -> Schema:
        """The types of the columns."""
        return self._ready().schema

    @property
    def metric_(self) -> Metric:
        """The distance metric."""
        return self._ready().metric

    @property
    def index_(self) -> Index:
        """The cases."""
        return self._ready().index

    @property
    def residuals_(self) -> dict[str, float]:
        """Expected error in predicting each feature from the others."""
        return self._ready().by_name(self._fitted.residuals)

    @property
    def residual_history_(self) -> list[dict[str, float]]:
        """The residuals of each round."""
        return [self._ready().by_name(values) for values in self._fitted.residual_history]

    @property
    def residuals_converged_(self) -> bool:
        """Whether the residuals changed very little in the last round."""
        return self._ready().residuals_converged

    @property
    def residual_sample_(self) -> tuple[int, int]:
        """Number of cases predicted to learn the residuals, and number of reference cases."""
        return self._ready().residual_sample

    @property
    def targets_(self) -> tuple[str, ...]:
        """Features for which a predictor has been learned so far."""
        schema = self._ready().schema
        learned = {key[0] for key in self._fitted.learned}
        return tuple(name for name in schema.names if schema.column(name) in learned)

    @property
    def log_(self) -> ChangeLog:
        """The log of changes to the cases."""
        self._ready()
        return self._history.log

    @property
    def stale_(self) -> Staleness:
        """How far the data has moved since the last `fit` or `refresh`."""
        with self._lock.reading():
            fitted = self._ready()
            return self._history.movement.staleness(
                fitted.index, fitted.schema.names, fitted.schema.table_order
            )

    @property
    def changed_share(self) -> float:
        """Share of the cases that have changed since the last `fit` or `refresh`; O(1)."""
        return self._history.movement.share(len(self._ready().index))

    def __len__(self) -> int:
        return len(self._ready().index)

    def __repr__(self) -> str:
        if not hasattr(self, "_fitted"):
            return f"Model(p={self.p}, n_neighbors={self.n_neighbors}), not fitted"
        n, d = len(self), len(self._fitted.schema)
        text = f"Model(p={self.p}) of {n} case{'s' * (n != 1)}, {d} feature{'s' * (d != 1)}"
        ignored = [one.name for one in self._fitted.schema.ignored]
        return text + (f"; ignored: {', '.join(ignored)}" if ignored else "")

    def _settings(self) -> Settings:
        return Settings(**{name: getattr(self, name) for name in _PARAMETERS})

    def _ready(self) -> Fitted:
        """Return the fitted state with the current parameters."""
        if not hasattr(self, "_fitted"):
            raise NotFittedError("This Model has no cases yet; call fit(table) first.")
        own, kept = self.__dict__, self._fitted.settings.__dict__
        # Parameters may be set after the fit; to make Settings anew at every question takes long.
        if any(own[name] is not kept[name] for name in _PARAMETERS):
            self._fitted.settings = self._settings()
        return self._fitted

    def _begin(self, fitted: Fitted, log: ChangeLog, action: str, cases: Ints | range) -> Self:
        """Set the fitted state and record the action in the log."""
        history = History(fitted, log)
        with self._lock.writing():
            self._fitted, self._history = fitted, history
            log.record(action, cases)
        return self
