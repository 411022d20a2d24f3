"""The regressor of Dask dataframes and arrays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from vicinal.dask.collections import is_collection
from vicinal.dask.fitting import TrainingRows
from vicinal.dask.predictor import DaskPredictor
from vicinal.estimators.regressor import VicinalRegressor
from vicinal.estimators.targets import target_names


class DaskVicinalRegressor(DaskPredictor, VicinalRegressor):
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

    _local = VicinalRegressor

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
        return self._lazily(X, "predict", like, list(self._targets), self._targets[0])
