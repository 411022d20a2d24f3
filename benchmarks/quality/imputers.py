"""What fills holes in the imputation benchmark: scikit-learn's imputers and ours.

All get the same table: a matrix in which columns of categories hold codes, with the list of these
columns. Numbers are standardised for the peers; categories become indicators for ``knn`` (the
largest wins), and stay codes for ``iterative``, to which indicators of one column would explain
each other (the nearest code wins).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 the import itself matters
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.preprocessing import StandardScaler

from benchmarks.quality import ours

NAMED: dict[str, dict[str, object]] = {"vicinal": {}, "vicinal-low": {"effort": "low"}}


@dataclass(frozen=True)
class Peer:
    package: str
    fill: Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def mean_or_mode(table: np.ndarray, nominal: np.ndarray, seed: int) -> np.ndarray:
    """The mean of numbers, the most frequent category.

    Examples
    --------
    >>> mean_or_mode(np.array([[1.0], [3.0], [np.nan]]), np.array([False]), 0).ravel()
    array([1., 3., 2.])
    """
    filled = table.copy()
    for column, is_nominal in enumerate(nominal):
        known = table[~np.isnan(table[:, column]), column]
        if is_nominal:
            codes, counts = np.unique(known, return_counts=True)
            value = codes[counts.argmax()]
        else:
            value = known.mean()
        filled[np.isnan(table[:, column]), column] = value
    return filled


def nearest(table: np.ndarray, nominal: np.ndarray, seed: int) -> np.ndarray:
    """scikit-learn's ``KNNImputer`` on standardised numbers and indicators."""
    wide, owners, levels = _indicators(table, nominal)
    scaler = StandardScaler().fit(wide)
    imputer = KNNImputer(keep_empty_features=True)
    put = scaler.inverse_transform(imputer.fit_transform(scaler.transform(wide)))
    filled = table.copy()
    for column, is_nominal in enumerate(nominal):
        holes = np.isnan(table[:, column])
        own = np.flatnonzero(owners == column)
        if is_nominal:
            filled[holes, column] = levels[own][put[np.ix_(holes, own)].argmax(axis=1)]
        else:
            filled[holes, column] = put[holes, own[0]]
    return filled


def iterative(table: np.ndarray, nominal: np.ndarray, seed: int) -> np.ndarray:
    """scikit-learn's ``IterativeImputer`` on standardised numbers and codes."""
    scaler = StandardScaler().fit(table)
    imputer = IterativeImputer(random_state=seed, keep_empty_features=True)
    put = scaler.inverse_transform(imputer.fit_transform(scaler.transform(table)))
    filled = table.copy()
    for column, is_nominal in enumerate(nominal):
        holes = np.isnan(table[:, column])
        values = put[holes, column]
        if is_nominal:
            codes = np.unique(table[~holes, column])
            values = codes[np.abs(values[:, None] - codes).argmin(axis=1)]
        filled[holes, column] = values
    return filled


PEERS = {
    "knn": Peer("scikit-learn", nearest),
    "iterative": Peer("scikit-learn", iterative),
    "mean_or_mode": Peer("scikit-learn", mean_or_mode),
}


def fill(
    model: str, table: np.ndarray, nominal: np.ndarray, seed: int, threads: int
) -> np.ndarray:
    """Impute the missing values of a table by a peer or by ours."""
    if not ours.is_ours(model):
        return PEERS[model].fill(table, nominal, seed)
    names = [f"x{column}" for column in range(table.shape[1])]
    imputer = ours.make("VicinalImputer", model, seed, threads, NAMED)
    imputer.set_params(categorical_features=nominal.tolist())
    filled = imputer.fit_transform(pd.DataFrame(table, columns=names))
    return np.asarray(filled, dtype=np.float64)


def _indicators(
    table: np.ndarray, nominal: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns with one indicator for each category, whose they are, and of which category."""
    columns, owners, levels = [], [], []
    for column, is_nominal in enumerate(nominal):
        values = table[:, column]
        holes = np.isnan(values)
        for level in np.unique(values[~holes]) if is_nominal else [np.nan]:
            made = np.where(holes, np.nan, values == level) if is_nominal else values
            columns.append(made.astype(np.float64))
            owners.append(column)
            levels.append(level)
    return np.column_stack(columns), np.array(owners), np.array(levels)
