"""Boosted trees on binned columns, native."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints, Words

#: Number of bins, of which the last one is that of missing values.
ALL_BINS = _native.BOOST_BINS
MISSING_BIN = _native.MISSING_BIN


class Grown(NamedTuple):
    """Trees grown in runs without some cases each, and the losses of these.

    Parameters
    ----------
    nodes : ndarray of int64 of shape (runs, rounds, width, nodes)
        64 times the column that a node splits, plus the first of its two children; −1 for a leaf.
    sets : ndarray of uint64 of the same shape
        Bins that go to the first child, as bits.
    values : ndarray of the same shape
        What a leaf adds to the score.
    losses : ndarray of shape (runs, rounds + 1)
        Sum of the losses of the cases that a run is grown without, before the first round and
        after each.
    """

    nodes: Ints
    sets: Words
    values: Floats
    losses: Floats


def grow_trees(
    bins: NDArray[np.uint8],
    nominal: NDArray[np.bool_],
    truth: Floats,
    weights: Floats,
    held: NDArray[np.bool_],
    own: NDArray[np.uint8] | None = None,
    *,
    n_classes: int,
    rounds: int,
    patience: int,
    patience_together: int,
    leaves: int,
    path_columns: int,
    most_columns: int,
    symmetric: bool,
    rate: float,
    ridge: float,
    nominal_ridge: float,
    least_mass: float,
    faster: float,
    threads: int | None = None,
) -> Grown:
    """Grow boosted trees in several runs; the same for any number of threads.

    Parameters
    ----------
    bins : ndarray of uint8 of shape (n, columns)
        Bins of the cases.
    truth : ndarray of shape (n,)
        Class codes, or numbers of mean 0 and variance 1.
    held : ndarray of bool of shape (runs, n)
        The cases that each run is grown without.
    own : ndarray of uint8 of shape (runs, n, more columns), optional
        Bins of more columns, which each run sees in its own way.
    n_classes : int
        0 for numbers, whose loss is the squared error; otherwise it is the log loss.
    rounds, patience : int
        Rounds, at most; a run ends when its loss has not fallen for `patience` rounds.
    patience_together : int
        All runs end when the sum of their losses has not fallen for so many rounds, or up to two
        more.
    leaves, path_columns : int
        Most leaves of a tree, and most columns that are split on the way to one.
    most_columns : int
        Of more columns, a run looks at those whose first split gains most for its own rows; every
        ten rounds it chooses again.
    symmetric : bool
        Whether all leaves of a level are split alike, as long as there may be twice as many;
        `path_columns` does not limit these trees.
    rate : float
        Share of the best step that every round takes.
    ridge, nominal_ridge : float
        Added to the curvature of leaves; of splits between more than two categories the second.
    least_mass : float
        Least weight of a leaf.
    faster : float
        What each round adds to the rate, as a part of the first one's.
    """
    if own is None:
        own = np.empty((len(held), len(bins), 0), dtype=np.uint8)
    return Grown(
        *_native.boost(
            bins=np.ascontiguousarray(bins.T),
            own=np.ascontiguousarray(own.transpose(0, 2, 1)),
            nominal=nominal.astype(np.uint8),
            weights=np.ascontiguousarray(weights, dtype=np.float64),
            truth=np.ascontiguousarray(truth, dtype=np.float64),
            held=np.ascontiguousarray(held, dtype=np.uint8),
            classes=n_classes,
            rounds=rounds,
            patience=patience,
            patience_together=patience_together,
            leaves=leaves,
            path_columns=path_columns,
            most_columns=most_columns,
            symmetric=symmetric,
            rate=rate,
            ridge=ridge,
            nominal_ridge=nominal_ridge,
            least_mass=least_mass,
            faster=faster,
            threads=thread_count(threads),
        )
    )


class Forest:
    """Grown trees, checked once and ready to score rows.

    Raises
    ------
    ValueError
        If they are not trees.
    """

    def __init__(self, nodes: Ints, sets: Words, values: Floats) -> None:
        self._native = _native.Forest(
            nodes=np.ascontiguousarray(nodes),
            sets=np.ascontiguousarray(sets),
            values=np.ascontiguousarray(values),
        )

    def scores(
        self, bins: NDArray[np.uint8], folds: Ints, *, threads: int | None = None
    ) -> Floats:
        """Return the scores of binned rows, (m, width); the mean over folds for the fold −1."""
        count = thread_count(threads)
        return _native.forest_scores(self._native, bins=bins, folds=folds, threads=count)

    def parts(
        self,
        bins: NDArray[np.uint8],
        reference: NDArray[np.uint8],
        owners: Ints,
        folds: Ints,
        *,
        threads: int | None = None,
    ) -> Floats:
        """Return Shapley values of the scores against a reference row: (m, features, width).

        Parameters
        ----------
        owners : ndarray of int64 of shape (columns,)
            The feature that each column is of.
        """
        return _native.forest_parts(
            self._native,
            bins=bins,
            reference=reference,
            owners=owners,
            features=int(owners.max(initial=-1)) + 1,
            folds=folds,
            threads=thread_count(threads),
        )
