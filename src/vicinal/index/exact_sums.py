"""Sums that do not depend on the order of what is added, and can be added up from parts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vicinal.index import _native
from vicinal.typing import Floats, Ints


def exact_sums(
    values: Floats, factors: Floats | None = None, groups: Ints | None = None, count: int = 1
) -> Ints:
    """Add up values, or their products with factors, without rounding.

    Parameters
    ----------
    groups : ndarray of int64, optional
        The group of each value, from 0 to count − 1; by default all are in the first.

    Returns
    -------
    ndarray of int64 of shape (count, words)
        The sum of each group, for `combined` and `rounded`.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.exact_sums import combined, exact_sums, rounded
    >>> parts = [exact_sums(np.array([1e100, 1.0])), exact_sums(np.array([-1e100]))]
    >>> rounded(combined(parts))
    array([1.])
    """
    return _native.exact_sums(
        np.ascontiguousarray(values, dtype=np.float64),
        None if factors is None else np.ascontiguousarray(factors, dtype=np.float64),
        None if groups is None else np.ascontiguousarray(groups, dtype=np.int64),
        count,
    )


def combined(sums: Iterable[Ints]) -> Ints:
    """Add up the sums of parts, of a billion at most."""
    return np.sum([*sums], axis=0, dtype=np.int64)


def rounded(sums: Ints) -> Floats:
    """Return the double that is nearest to each sum."""
    return _native.exact_values(np.ascontiguousarray(sums))
