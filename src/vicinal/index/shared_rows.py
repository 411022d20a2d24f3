"""Rows whose first columns lie in the rows of another storage, so that memory has them once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.layout import reordered
from vicinal.index.mapped import column_at, rows_at
from vicinal.typing import Floats, Places

#: Rows that are copied at a time.
_BLOCK = 16_384


@dataclass(frozen=True, eq=False)
class SharedRows:
    """Rows in two parts, the first of which others may have, too.

    Parameters
    ----------
    own : ndarray of shape (n, d − d')
        The last columns.
    shared : ndarray of shape (n', d')
        The first columns, in rows of another order.
    places : ndarray of int32 of shape (n,)
        Where each row is among those.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.shared_rows import SharedRows
    >>> places = np.array([1, 0], dtype=np.int32)
    >>> rows = SharedRows(np.array([[5.0], [6.0]]), np.array([[1.0], [2.0]]), places)
    >>> rows.at(np.array([0, 1])).tolist()
    [[2.0, 5.0], [1.0, 6.0]]
    """

    own: Floats
    shared: Floats
    places: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.own)

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.shared.shape[1] + self.own.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes held for these rows alone."""
        return self.own.nbytes + self.places.nbytes

    def first(self, count: int) -> SharedRows:
        """Return the first rows."""
        return SharedRows(self.own[:count], self.shared, self.places[:count])

    def at(self, rows: Places) -> Floats:
        """Return some rows, which may have any shape."""
        found = np.empty((*rows.shape, self.width))
        split = self.shared.shape[1]
        found[..., :split], found[..., split:] = self.shared[self.places[rows]], self.own[rows]
        return found


#: Values as a storage may have them.
StoredValues = Floats | SharedRows


def first_rows(values: StoredValues, count: int) -> StoredValues:
    """Return the first rows."""
    return values.first(count) if isinstance(values, SharedRows) else values[:count]


def whole_rows(values: StoredValues) -> Floats:
    """Return rows in one part, which are a copy only of those in two."""
    if not isinstance(values, SharedRows):
        return values
    whole = np.zeros((len(values), values.width))
    for start in range(0, len(whole), _BLOCK):  # so that little is there twice
        rows = np.arange(start, min(start + _BLOCK, len(whole)))
        whole[rows[0] : rows[-1] + 1] = values.at(rows)
    return whole


def values_at(values: StoredValues, rows: Places) -> Floats:
    """Return some rows."""
    return values.at(rows) if isinstance(values, SharedRows) else rows_at(values, rows)


def column_of(values: StoredValues, column: int) -> Floats:
    """Return one column of all rows."""
    if not isinstance(values, SharedRows):
        return column_at(values, column)
    split = values.shared.shape[1]
    if column < split:
        return column_at(values.shared, column)[values.places]
    return column_at(values.own, column - split)


def in_order(values: StoredValues, order: Places) -> StoredValues:
    """Bring the first rows into an order, in place; those of others stay where they are."""
    if not isinstance(values, SharedRows):
        return reordered(values, order)
    values.places[: len(order)] = values.places[order]
    return SharedRows(reordered(values.own, order), values.shared, values.places)


def native_rows(values: StoredValues) -> _native.Rows:
    """Return rows as the kernels take them."""
    if isinstance(values, SharedRows):
        return _native.Rows(values.own, values.shared, values.places)
    return _native.Rows(values)
