"""The regressor of Dask dataframes and arrays."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, Self

import numpy as np

from vicinal.dask.collections import current_client, is_collection, mapped
from vicinal.dask.fitting import TrainingRows
from vicinal.dask.scoring import Stored, predict_part
from vicinal.estimators.regressor import VicinalRegressor
from vicinal.estimators.targets import target_names


class DaskVicinalRegressor(VicinalRegressor):
    """Regression of Dask dataframes and arrays, with cases in a store that workers search.

    It learns, to the last bit, what `VicinalRegressor` learns from the same rows on one machine.

    Parameters
    ----------
    store : path
        The folder for the cases, by convention ending in ``.vicinal.d``; all workers see it under
        the same path.
    client : dask.distributed.Client, optional
        The cluster; by default that of the client which was made last. As in `xgboost.dask`, it is
        an attribute rather than a parameter, so copies by ``clone`` do without it.
    **parameters
        Those of `VicinalRegressor`.

    Attributes
    ----------
    model_ : Model
        The fitted Model, whose shards the workers search.

    See Also
    --------
    VicinalRegressor : All other methods; they take tables in memory.

    Notes
    -----
    `fit` computes one partition at a time, and keeps no rows in the memory of the cluster.
    """

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
        """Return the parameters: those of `VicinalRegressor`, and the store."""
        names = VicinalRegressor().get_params(deep=False)
        return {**{name: getattr(self, name) for name in names}, "store": self.store}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its outcomes.

        Parameters
        ----------
        X : dataframe or array of Dask
            Any types; NaN and None are missing values.
        y : series, dataframe or array of Dask
            Numbers, one or several columns, in the same partitions as X.
        sample_weight : series or array of Dask, optional
            Nonnegative weights, in the same partitions.

        Returns
        -------
        DaskVicinalRegressor
            The fitted estimator.
        """
        rows = TrainingRows(self, X, y, sample_weight)
        table, outcomes, given = rows.first()
        self._single = outcomes.ndim == 1
        self._names = table.names
        names = target_names(given, None if self._single else outcomes.shape[1])
        rows.fit(self._target_settings(names, table.names, "continuous"))
        return self

    def predict(self, X: Any) -> Any:
        """Predict the expected outcome of each row.

        Parameters
        ----------
        X : dataframe or array of Dask, or a table in memory
            Columns as in `fit`.

        Returns
        -------
        series, dataframe or array of Dask, or ndarray
            The outcomes. Those of Dask are predicted on the workers when they are computed.
        """
        if not is_collection(X):
            return super().predict(X)
        like = np.empty(0) if self._single else np.empty((0, len(self._targets)))
        stored = Stored.of("VicinalRegressor", self)
        predict = partial(predict_part, stored=stored, method="predict", like=like)
        return mapped(X, predict, like, list(self._targets), self._targets[0])

    def to_local(self) -> VicinalRegressor:
        """Return the estimator of one machine; its cases stay in the store."""
        made: VicinalRegressor = Stored.of("VicinalRegressor", self).opened()
        return made
