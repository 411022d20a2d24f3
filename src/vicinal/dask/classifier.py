"""The classifier of Dask dataframes and arrays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from vicinal.dask.collections import is_collection
from vicinal.dask.fitting import TrainingRows
from vicinal.dask.predictor import DaskPredictor
from vicinal.estimators.classifier import VicinalClassifier
from vicinal.estimators.labels import plain_labels
from vicinal.estimators.targets import target_names
from vicinal.prediction.rule import check_rule


class DaskVicinalClassifier(DaskPredictor, VicinalClassifier):
    """Classification of Dask dataframes and arrays, with cases in a store that workers search.

    It learns, to the last bit, what `VicinalClassifier` learns from the same rows on one machine.

    Parameters
    ----------
    store : path
        The folder for the cases, by convention ending in ``.vicinal.d``; all workers see it under
        the same path.
    client : dask.distributed.Client, optional
        The cluster; by default that of the client which was made last. As in `xgboost.dask`, it is
        an attribute rather than a parameter, so copies by ``clone`` do without it.
    **parameters
        Those of `VicinalClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    model_ : Model
        The fitted Model, whose shards the workers search.

    See Also
    --------
    VicinalClassifier : All other methods; they take tables in memory.

    Notes
    -----
    `fit` computes one partition at a time, and keeps no rows in the memory of the cluster.
    """

    _local = VicinalClassifier

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : dataframe or array of Dask
            Any types; NaN and None are missing values.
        y : series or array of Dask
            Labels of any one type, in the same partitions as X.
        sample_weight : series or array of Dask, optional
            Nonnegative weights, in the same partitions.

        Returns
        -------
        DaskVicinalClassifier
            The fitted estimator.
        """
        rows = TrainingRows(self, X, y, sample_weight)
        self.classes_ = rows.classes()
        labels = plain_labels(self.classes_)
        check_rule(labels, **self._rule())
        table, _, given = rows.first()
        self._names = table.names
        rows.fit(self._target_settings(target_names(given), table.names, "nominal", labels))
        return self

    def predict(self, X: Any) -> Any:
        """Predict the label of each row.

        Parameters
        ----------
        X : dataframe or array of Dask, or a table in memory
            Columns as in `fit`.

        Returns
        -------
        series or array of Dask, or ndarray
            The labels. Those of Dask are predicted on the workers when they are computed.
        """
        if not is_collection(X):
            return super().predict(X)
        like = np.empty(0, dtype=self.classes_.dtype)
        return self._lazily(X, "predict", like, [], self._only_target)

    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        X : dataframe or array of Dask, or a table in memory
            Columns as in `fit`.

        Returns
        -------
        dataframe or array of Dask, or ndarray, of shape (n_queries, n_classes)
            In the order of `classes_`; each row sums to 1.
        """
        if not is_collection(X):
            return super().predict_proba(X)
        like, labels = np.empty((0, len(self.classes_))), plain_labels(self.classes_)
        return self._lazily(X, "predict_proba", like, labels, self._only_target)
