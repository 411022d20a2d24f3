"""Arrays as ``.npy`` members: the supported dtypes, and the bytes before the numbers.

The header of a ``.npy`` is a Python literal. It is never parsed: ``header.json``
has the shape and the dtype too, and the bytes must be exactly those expected for them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError

#: Dtypes that members can have. No objects, and no bools, most of whose bytes are invalid.
DTYPES = {name: np.dtype(name) for name in ("<f8", "<i8", "<u8", "|u1")}

_ALIGNMENT = 64
_MOST_DIMENSIONS = 4


def stored_dtype(array: NDArray[Any]) -> str:
    """Return the name of an array's dtype in files."""
    name = array.dtype.newbyteorder("<").str
    if name not in DTYPES:
        raise FileError(
            f"An array of {array.dtype} cannot be stored; expected one of {', '.join(DTYPES)}."
        )
    return name


def npy_prefix(dtype: str, shape: Sequence[int]) -> bytes:
    r"""Return the bytes of a ``.npy`` file before the numbers; a multiple of 64.

    Examples
    --------
    >>> from vicinal.storage.npy import npy_prefix
    >>> prefix = npy_prefix("<f8", (3, 2))
    >>> len(prefix), prefix[:6], prefix[10:67]
    (128, b'\x93NUMPY', b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}")
    """
    described = {"descr": dtype, "fortran_order": False, "shape": tuple(shape)}
    text = repr(described).encode("latin1")
    start = 10  # magic, version, and the length of the text
    padding = -(start + len(text) + 1) % _ALIGNMENT
    text += b" " * padding + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def data_size(dtype: object, shape: object) -> tuple[str, tuple[int, ...], int]:
    """Check a dtype and a shape that a file claims, and return them with the size in bytes."""
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise FileError(f"a member has the dtype {dtype!r}; expected one of {', '.join(DTYPES)}")
    whole = isinstance(shape, list) and all(type(one) is int and one >= 0 for one in shape)
    if not isinstance(shape, list) or not whole or not 1 <= len(shape) <= _MOST_DIMENSIONS:
        raise FileError(f"a member has the shape {str(shape)[:60]}; expected a few whole numbers")
    # An empty array can claim any other dimensions; no array in memory exceeds this.
    if any(one > 1 << 48 for one in shape):
        raise FileError(f"a member has the shape {shape}, which is too large")
    return dtype, tuple(shape), math.prod(shape) * DTYPES[dtype].itemsize
