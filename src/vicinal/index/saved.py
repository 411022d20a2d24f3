"""Check the index arrays of a file before the kernels use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.bins import EDGES
from vicinal.index.checks import MOST_CATEGORIES
from vicinal.index.kinds import NOMINAL
from vicinal.typing import Floats, Ints


def check_saved(arrays: Mapping[str, NDArray[Any]], *, thorough: bool) -> None:
    """Reject arrays that are not those of a valid index.

    Memory safety depends on shapes, dtypes and the rows of the cases, which are always checked, in
    O(n). Values and codes may be mapped from a file, and no kernel trusts their *content*: damaged
    numbers can only give wrong results. With `thorough` the values are checked too, in O(n·d).
    """
    d = len(_fitting(arrays, "kinds", np.uint8, (None,)))
    n = len(_fitting(arrays, "values", np.float64, (None, d)))
    blocks = -(-n // _native.BLOCK)
    _fitting(arrays, "codes", np.uint8, (blocks, d, _native.BLOCK_BYTES))
    summaries = -(-blocks // _native.BLOCK)
    _fitting(arrays, "summary", np.uint8, (summaries, 2 * d, _native.BLOCK_BYTES))
    bins = _fitting(arrays, "bins", np.float64, (d, _native.BINS, 2))
    edges = _fitting(arrays, "edges", np.float64, (d, EDGES))
    _fitting(arrays, "lacking", np.uint8, (d,))
    scales = _fitting(arrays, "scales", np.float64, (d,))
    if not d or (arrays["kinds"] > NOMINAL).any():
        raise ParameterError("the kinds of the columns are unknown")
    if np.isnan(bins).any() or np.isnan(edges).any() or not np.isfinite(scales).all():
        raise ParameterError("bins, edges and scales must be numbers")
    if "weights" in arrays:
        weights = _fitting(arrays, "weights", np.float64, (n,))
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ParameterError("case weights must be finite and not negative")
    row_of = _fitting(arrays, "row_of", np.int64, (None,))
    _check_rows(row_of, n)
    if "cases" in arrays:
        held = np.flatnonzero(row_of >= 0)
        if (_fitting(arrays, "cases", np.int64, (n,))[row_of[held]] != held).any():
            raise ParameterError("a row belongs to another case than the one that refers to it")
    if thorough:
        _check_values(arrays["values"], arrays["kinds"])


def _fitting(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: type, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    if name not in arrays:
        raise ParameterError(f"the {name} of the cases are missing")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        wanted in (None, extent) for wanted, extent in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != dtype or not array.flags.c_contiguous:
        raise ParameterError(
            f"the {name} of the cases are {array.dtype} of shape {array.shape}; expected "
            f"{np.dtype(dtype)} of shape {shape}".replace("None", "any")
        )
    return array


def _check_rows(row_of: Ints, n: int) -> None:
    """Check that every case has a separate row."""
    if (row_of < -1).any() or (row_of >= n).any():
        raise ParameterError("a case refers to a row that does not exist")
    rows = row_of[row_of >= 0]
    taken = np.zeros(n, dtype=bool)
    taken[rows] = True
    if np.count_nonzero(taken) < len(rows):
        raise ParameterError("two cases refer to the same row")


def _check_values(values: Floats, kinds: NDArray[np.uint8]) -> None:
    if np.isinf(values).any():
        raise ParameterError("an encoded value is infinite")
    codes = values[:, kinds == NOMINAL]
    wrong = (codes < 0) | (codes >= MOST_CATEGORIES) | (codes != np.floor(codes))
    if (wrong & ~np.isnan(codes)).any():
        raise ParameterError("a category code is out of range")
