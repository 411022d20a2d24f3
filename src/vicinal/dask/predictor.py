"""What the classifier and the regressor of Dask collections have in common."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar

from numpy.typing import NDArray

from vicinal.dask.collections import current_client, is_collection, mapped
from vicinal.dask.scoring import Stored, predict_part
from vicinal.estimators.predictor import VicinalPredictor


class DaskPredictor(VicinalPredictor):
    """Base of the estimators whose cases are in a store that the workers of a cluster search."""

    #: The estimator of one machine.
    _local: ClassVar[type[VicinalPredictor]]

    def __init__(
        self,
        *,
        store: str | os.PathLike[str] | None = None,
        client: Any = None,
        **parameters: Any,
    ) -> None:
        super().__init__(**parameters)
        self.store = store
        self._client = client

    @property
    def client(self) -> Any:
        """The client of the cluster."""
        return current_client(self._client)

    @client.setter
    def client(self, client: Any) -> None:
        self._client = client

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters: those of the estimator of one machine, and the store."""
        names = self._local().get_params(deep=False)
        return {**{name: getattr(self, name) for name in names}, "store": self.store}

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score as on one machine; of collections, all but the rows of X is computed here."""
        truth, weights = (
            one.compute() if is_collection(one) else one for one in (y, sample_weight)
        )
        return float(super().score(X, truth, weights))

    def to_local(self) -> Any:
        """Return the estimator of one machine; its cases stay in the store."""
        return Stored.of(self._local.__name__, self).opened()

    def _lazily(
        self, X: Any, method: str, like: NDArray[Any], columns: list[Any], name: str
    ) -> Any:
        """Return what a method makes of a collection when it is computed; see `mapped`."""
        stored = Stored.of(self._local.__name__, self)
        predict = partial(predict_part, stored=stored, method=method, like=like)
        return mapped(X, predict, like, columns, name)
