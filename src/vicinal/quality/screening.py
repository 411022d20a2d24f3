"""Find the columns of a wide table that are most strongly associated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index.kinds import NOMINAL
from vicinal.typing import Floats

#: Maximum number of categories of a nominal column with an indicator: the most frequent.
_MOST_LEVELS = 8

#: Transforms of columns that are compared with all others at a time, which bounds the memory.
_VIEWS_AT_ONCE = 512


def associations(values: Floats, kinds: NDArray[np.uint8]) -> Floats:
    """Return the strength of association of each pair of columns, from 0 to 1.

    Parameters
    ----------
    kinds : ndarray of uint8 of shape (d,)
        As in `Metric`.

    Returns
    -------
    ndarray of shape (d, d)
        The largest absolute correlation between any transforms of the two columns: for numbers,
        ranks and distances from the middle rank, which detect U shapes; for categories,
        indicators. Missing values get the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.screening import associations
    >>> x = np.arange(9.0)
    >>> table = np.column_stack([x, (x - 4) ** 2, np.tile([0.0, 1.0, 2.0], 3)])
    >>> associations(table, np.zeros(3, dtype=np.uint8)).round(2)[0]
    array([1.  , 1.  , 0.32])
    """
    views, owners = [], []
    for column, kind in enumerate(kinds):
        made = _indicators(values[:, column]) if kind == NOMINAL else _ranks(values[:, column])
        views += made
        owners += [column] * len(made)
    size = len(kinds)
    if not views:
        return np.zeros((size, size))
    stack, owner = np.column_stack(views), np.array(owners)
    present, starts = np.unique(owner, return_index=True)
    result = np.zeros((size, size))
    for first in range(0, len(owner), _VIEWS_AT_ONCE):
        some = slice(first, first + _VIEWS_AT_ONCE)
        close = stack[:, some].T @ stack
        strongest = np.maximum.reduceat(np.abs(close, out=close), starts, axis=1)
        for column, one in zip(owners[some], np.minimum(strongest, 1.0), strict=True):
            result[column, present] = np.maximum(result[column, present], one)
    return result


def _ranks(column: Floats) -> list[Floats]:
    from scipy.stats import rankdata  # half a second, which most sessions need not spend

    known = ~np.isnan(column)
    ranks = np.zeros(len(column))
    if known.any():
        ranked = rankdata(column[known])
        ranks[known] = ranked - ranked.mean()
    bent = np.abs(ranks)
    bent[known] -= bent[known].mean() if known.any() else 0.0
    return _unit([ranks, np.where(known, bent, 0.0)])


def _indicators(column: Floats) -> list[Floats]:
    known = ~np.isnan(column)
    levels, counts = np.unique(column[known], return_counts=True)
    frequent = levels[np.argsort(-counts, kind="stable")[:_MOST_LEVELS]]
    made = []
    for level in frequent:
        is_it = (column == level).astype(np.float64)
        made.append(np.where(known, is_it - is_it[known].mean(), 0.0))
    return _unit(made)


def _unit(columns: list[Floats]) -> list[Floats]:
    """Scale columns to length 1, and drop constant ones."""
    lengths = [float(np.sqrt(column @ column)) for column in columns]
    pairs = zip(columns, lengths, strict=True)
    return [column / length for column, length in pairs if length > 1e-9]
