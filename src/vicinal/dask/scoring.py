"""Predict partitions on the workers: each opens a store once, and reads the shards it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vicinal import estimators
from vicinal.loading import load
from vicinal.stores.dask_shards import worker_answering
from vicinal.stores.manifest import Manifest

#: Estimators that a worker has opened, by the store and what it had in it.
_opened: dict[tuple[str, str], Any] = {}
_MOST_OPENED = 4


@dataclass(frozen=True)
class Stored:
    """An estimator whose cases are in a store: what a worker needs to open it."""

    kind: str  # the name of the estimator of one machine
    parameters: dict[str, Any]
    learned: dict[str, Any]  # its fitted attributes but for the Model
    store: str
    digest: str  # of what was learned, so that a store that is written anew is opened anew

    @classmethod
    def of(cls, kind: str, estimator: Any) -> Stored:
        """Describe an estimator that was fitted into a store."""
        check_is_fitted(estimator)
        parameters = estimator.get_params(deep=False)
        parameters.pop("store")
        left_out = {*parameters, "store", "model_", "_client"}
        learned = {name: one for name, one in vars(estimator).items() if name not in left_out}
        folder = Path(estimator.store).resolve()
        return cls(kind, parameters, learned, str(folder), Manifest.read(folder).model[1])

    def opened(self, on: Any = None, n_jobs: int | None = None) -> Any:
        """Return an estimator of one machine, whose cases stay in the store."""
        made = getattr(estimators, self.kind)(**self.parameters)
        vars(made).update(self.learned)
        made.model_ = load(self.store, on=on)
        if n_jobs is not None:
            made.model_.n_jobs = n_jobs
        return made


def predict_part(part: Any, *, stored: Stored, method: str, like: NDArray[Any]) -> Any:
    """Predict a partition on a worker."""
    if not len(part):
        return like
    key = (stored.store, stored.digest)
    made = _opened.get(key)
    if made is None:
        while len(_opened) >= _MOST_OPENED:
            _opened.pop(next(iter(_opened)))
        made = _opened[key] = stored.opened(on=worker_answering(), n_jobs=1)
    return getattr(made, method)(part)
