"""What becomes of the cells of rows, one by one: bins, interpolated values, and hashes of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.typing import Bools, Floats, Ints, Words


def bin_codes(
    rows: Floats, columns: Ints, nominal: Bools, starts: Ints, edges: Floats, *, others: int
) -> NDArray[np.uint8]:
    """Return the bin of each cell of some columns, of shape (m, columns).

    Parameters
    ----------
    columns : ndarray of int64
        Columns of the rows.
    nominal : ndarray of bool
        Whether each of them is nominal.
    starts : ndarray of int64
        Where the edges of each begin; one more than there are columns.
    edges : ndarray
        Numbers: ascending cuts. Categories: the codes with a bin of their own, ascending.
    others : int
        The bin of other categories.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.cells import bin_codes
    >>> rows, one = np.array([[1.0], [2.0], [np.nan]]), np.array([0])
    >>> cuts = np.array([0, 1]), np.array([1.5])
    >>> bin_codes(rows, one, np.array([False]), *cuts, others=62).ravel().tolist()
    [0, 1, 63]
    """
    return _native.bin_codes(
        rows=np.ascontiguousarray(rows),
        columns=columns,
        nominal=nominal.view(np.uint8),
        starts=starts,
        edges=edges,
        others=others,
    )


def interpolate(
    rows: Floats, columns: Ints, starts: Ints, points: Floats, heights: Floats
) -> Floats:
    """Return a function of each cell of some columns that is linear between points.

    It is constant beyond them, and NaN for missing values and where there are no points. The bits
    are those of `numpy.interp`.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.cells import interpolate
    >>> rows, one = np.array([[0.0], [1.5], [9.0]]), np.array([0])
    >>> points, heights = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    >>> interpolate(rows, one, np.array([0, 2]), points, heights).ravel().tolist()
    [10.0, 15.0, 20.0]
    """
    return _native.interpolate(
        rows=np.ascontiguousarray(rows),
        columns=columns,
        starts=starts,
        points=points,
        heights=heights,
    )


def range_hashes(
    rows: Floats,
    columns: Ints,
    nominal: Bools,
    middles: Floats,
    halves: Floats,
    *,
    steps: float,
    farthest: float,
    seed: int,
) -> Words:
    """Return a hash of each row; rows that lie alike in the ranges of all columns have the same.

    Parameters
    ----------
    middles, halves : ndarray
        Middle and half width of the range of each column; not used for categories.
    steps, farthest : float
        How many steps of a half width are distinguished, and how many half widths count.
    """
    return _native.range_hashes(
        rows=np.ascontiguousarray(rows),
        columns=columns,
        nominal=nominal.view(np.uint8),
        middles=middles,
        halves=halves,
        steps=steps,
        farthest=farthest,
        seed=seed,
    )
