"""Reading many rows of values that may be mapped from a file, in large pieces.

Searches jump from row to row, so the system is told not to read what lies beside them. Whoever
goes through most rows says so first; otherwise every page would be a request of its own.
"""

from __future__ import annotations

import numpy as np

from vicinal.storage import read_ahead
from vicinal.typing import Floats, Places

#: Rows that are read together.
_BLOCK = 1 << 16
#: At least so many rows are read ahead, if they are at least this share of those in between.
_MANY, _DENSE = 1 << 12, 1 / 32


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
    if rows.size >= _MANY:
        first, last = int(rows.min()), int(rows.max())
        if rows.size >= _DENSE * (last - first):
            read_ahead(values[first : last + 1])
    return values[rows]


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
