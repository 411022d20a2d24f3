"""Fit the partitions of Dask collections into a store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal import sharded
from vicinal.dask.collections import partitions
from vicinal.estimators.labels import checked_labels, classes_of, typed_labels
from vicinal.estimators.tables import counted_rows, free_name, row_weights, with_targets
from vicinal.exceptions import ParameterError
from vicinal.tables.arrays import column_of_array
from vicinal.tables.table import Table
from vicinal.typing import Floats, Ints


class TrainingRows:
    """The training rows of an estimator, read from collections part by part.

    Parameters
    ----------
    estimator : DaskVicinalClassifier or DaskVicinalRegressor
        Checks and reads every part, as it would a whole table.
    X, y, sample_weight : dataframe, series or array of Dask
        They have the same partitions; weights may be None.

    Raises
    ------
    ParameterError
        If the estimator has no store.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        if estimator.store is None:
            raise ParameterError(
                "store=None; expected a folder for the cases, such as 'm.vicinal.d', which all "
                "workers see under the same path."
            )
        self.estimator, self.client = estimator, estimator.client
        self.X, self.y = X, y
        # As on one machine, weights that are all 1 are none.
        parts = iter(()) if sample_weight is None else partitions(self.client, sample_weight)
        self.weights = sample_weight if any((np.asarray(w) != 1).any() for (w,) in parts) else None

    def classes(self) -> NDArray[Any]:
        """Return the labels of all rows that count, each once, sorted."""
        found = [
            classes_of(checked_labels(y, y), None if w is None else np.asarray(w, dtype=float))
            for y, w in partitions(self.client, self.y, self.weights)
        ]
        return np.unique(np.concatenate(found))

    def first(self) -> tuple[Table, NDArray[Any], Any]:
        """Return the features and outcomes of the first partition, and its y as it came."""
        X, y = next(partitions(self.client, self.X, self.y))
        table, outcomes, _ = self.estimator._read(X, y, None, reset=True)
        return table, outcomes, y

    def fit(self, settings: dict[str, Any]) -> None:
        """Fit the estimator, whose features and targets are named, and save it to its store."""
        estimator, names = self.estimator, self.estimator._names
        mass = free_name("sample_weight", [*names, *estimator._targets])
        rows: list[Ints] = []
        estimator.model_ = sharded.fit(
            self._tables(mass, rows),
            store=estimator.store,
            settings=estimator._new_model(names, **settings),
            sample_weight=None if self.weights is None else mass,
            on=self.client,
        )
        estimator._rows = np.concatenate(rows)
        estimator._n_rows = int(sum(map(len, rows)))
        estimator._learn_targets()
        estimator.model_.save(estimator.store)

    def _tables(self, mass: str, rows: list[Ints]) -> Iterator[Table]:
        """Return the rows that count, with targets and weights as columns; note which they are."""
        start = 0
        for X, y, w in partitions(self.client, self.X, self.y, self.weights):
            table, outcomes, _ = self.estimator._read(X, y, None, reset=False)
            if hasattr(self.estimator, "classes_"):
                outcomes = typed_labels(outcomes, self.estimator.classes_)
            columns = outcomes.reshape(len(outcomes), -1).T
            named = dict(zip(self.estimator._targets, columns, strict=True))
            whole = replace(with_targets(table, self.estimator._names, named), labels=None)
            weights: Floats | None = None
            if w is not None:
                weights = row_weights(w, len(table))
                weights = np.ones(len(table)) if weights is None else weights
                columns_of_all = {**whole.columns, mass: column_of_array(weights, mass)}
                whole = replace(whole, columns=columns_of_all)
            kept, _, chosen = counted_rows(whole, weights)
            rows.append(start + chosen)
            start += len(table)
            yield kept
