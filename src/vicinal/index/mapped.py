"""Reading many rows of values that may be mapped from a file, in large pieces.

Searches jump from row to row, so the system is told not to read what lies beside them. Whoever
goes through most rows says so first; otherwise every page would be a request of its own.
"""

from __future__ import annotations

import numpy as np

from vicinal.storage import is_mapped, read_ahead
from vicinal.typing import Floats, Places

#: Rows that are read together.
_BLOCK = 1 << 16
#: Bytes that disks of any kind read in less than the time of one jump.
_JUMP = 1 << 15
#: About how many rows a query looks at in a shard, beyond those that codes rule out.
_LOOKED_AT = 64


def rows_at(values: Floats, rows: Places) -> Floats:
    """Return some rows.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.mapped import rows_at
    >>> rows_at(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0]))
    array([[3.],
           [1.]])
    """
    if rows.size > 1 and is_mapped(values):
        read_if_dense(values[int(rows.min()) : int(rows.max()) + 1], rows.size)
    return values[rows]


def read_if_dense(values: Floats, count: float) -> None:
    """Read all rows ahead if so many of them are needed that jumps to each would take longer."""
    if count * _JUMP >= values.nbytes:
        read_ahead(values)


def prepare_search(values: Floats, count: int) -> None:
    """Read all rows ahead if so many queries will look at most of the pages anyway."""
    if is_mapped(values):
        read_if_dense(values, count * _LOOKED_AT)


def column_at(values: Floats, column: int) -> Floats:
    """Return one column of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.mapped import column_at
    >>> column_at(np.array([[1.0, 2.0], [3.0, 4.0]]), 1)
    array([2., 4.])
    """
    found = np.empty(len(values))
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        read_ahead(block)
        found[start : start + _BLOCK] = block[:, column]
    return found
