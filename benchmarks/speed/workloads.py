"""Frozen, seeded tables and queries for the speed benchmarks.

Every table comes from one factor model: a few latent factors shared by all
features plus noise of each feature's own, so that the features are correlated
and the intrinsic dimension is moderate, as in real tables. The kinds differ in
how the latent values become cells. A table of n rows is the first n rows of
every longer table of its kind and width; queries come from the same
distribution by a stream of their own, so they are not rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

SEED = 20240817
_CHUNK = 65_536  # rows drawn at a time, so that the latent values never fill memory
_NOISE = 0.5  # share of a feature's variance that is its own


@dataclass(frozen=True)
class Workload:
    """A table, queries from the same distribution, and what they are called.

    Examples
    --------
    >>> workload = make("integer", 100, 10, n_queries=5)
    >>> workload.table.shape, workload.queries.shape
    ((100, 10), (5, 10))
    """

    kind: str
    table: Matrix
    queries: Matrix

    @property
    def n(self) -> int:
        """Number of rows of the table."""
        return self.table.shape[0]

    @property
    def d(self) -> int:
        """Number of features."""
        return self.table.shape[1]

    @property
    def name(self) -> str:
        """The workload in a word, for instance ``gaussian 100000x20``."""
        return f"{self.kind} {self.n}x{self.d}"


def make(kind: str, n: int, d: int, n_queries: int) -> Workload:
    """Return the workload of this kind and size, always the same one.

    Parameters
    ----------
    kind : {"gaussian", "skewed", "integer"}
    n, d : int
        Rows and features of the table.
    n_queries : int
        Rows drawn as queries.

    Examples
    --------
    >>> short, long = make("skewed", 50, 4, 1), make("skewed", 60, 4, 1)
    >>> bool((short.table == long.table[:50]).all())
    True
    """
    return Workload(kind, _rows(kind, n, d, stream=0), _rows(kind, n_queries, d, stream=1))


def plausible_residuals(table: Matrix) -> Matrix:
    """Half of each feature's mean absolute deviation: residuals without an analysis.

    Examples
    --------
    >>> plausible_residuals(np.array([[0.0, 5.0], [4.0, 5.0]]))
    array([1., 1.])
    """
    deviation = np.empty(table.shape[1])
    for i in range(table.shape[1]):  # by column: no second copy of the table
        column = table[:, i]
        deviation[i] = np.abs(column - column.mean()).mean()
    return np.where(deviation > 0, 0.5 * deviation, 1.0)


def _rows(kind: str, n: int, d: int, stream: int) -> Matrix:
    cells = KINDS[kind]
    loadings, shapes = _model(kind, d)
    rng = np.random.default_rng([SEED, _number(kind), d, 1 + stream])
    rows = np.empty((n, d))
    for start in range(0, n, _CHUNK):
        stop = min(start + _CHUNK, n)
        drawn = rng.standard_normal((stop - start, loadings.shape[0] + d))
        factors, noise = drawn[:, :-d], drawn[:, -d:]
        latent = factors @ loadings + np.sqrt(_NOISE) * noise
        rows[start:stop] = cells(latent, shapes)
    return rows


def _model(kind: str, d: int) -> tuple[Matrix, Matrix]:
    """Loadings (features of latent variance 1) and one uniform number per feature."""
    rng = np.random.default_rng([SEED, _number(kind), d, 0])
    loadings = rng.standard_normal((2 + d // 5, d))
    loadings *= np.sqrt(1 - _NOISE) / np.linalg.norm(loadings, axis=0)
    return loadings, rng.uniform(size=d)


def _number(kind: str) -> int:
    return list(KINDS).index(kind)


def _gaussian(latent: Matrix, shapes: Matrix) -> Matrix:
    return latent


def _skewed(latent: Matrix, shapes: Matrix) -> Matrix:
    """Spambase-like: two thirds of the features are mostly zero, all have long tails."""
    threshold = np.where(shapes < 2 / 3, 0.3 + 1.5 * shapes, -np.inf)
    spread = 0.8 + 0.8 * shapes
    values = np.round(np.exp(spread * latent), 2)
    return np.where(latent > threshold, values, 0.0)


def _integer(latent: Matrix, shapes: Matrix) -> Matrix:
    """Codes 0 … m, m from 1 to 16 by feature: many ties, many equal rows in few columns."""
    top = np.floor(1 + 16 * shapes)
    return np.clip(np.round((latent + 2) / 4 * top), 0, top)


KINDS: dict[str, Callable[[Matrix, Matrix], Matrix]] = {
    "gaussian": _gaussian,
    "skewed": _skewed,
    "integer": _integer,
}
