"""Influences and outcomes → predictions."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.index.outcome_sums import outcome_sums
from vicinal.typing import Floats

Number = TypeVar("Number", np.float64, np.complex128)


def class_probabilities(shares: Floats, codes: Floats, n_classes: int) -> Floats:
    """Return the total influence of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.outcomes import class_probabilities
    >>> class_probabilities(np.array([[0.5, 0.3, 0.2]]), np.array([[1.0, 0.0, 1.0]]), 2)
    array([[0.3, 0.7]])
    """
    return outcome_sums(shares, codes, n_classes)


def mean_outcomes(shares: Floats, outcomes: Floats, n_classes: int) -> Floats:
    """Return class probabilities; without classes expected values, in a single column."""
    if n_classes:
        return class_probabilities(shares, outcomes, n_classes)
    return expected_values(shares, outcomes)[:, None]


def expected_values(shares: Floats, outcomes: Floats) -> Floats:
    """Return the influence-weighted outcome.

    Sums go from neighbor to neighbor, so that they do not depend on how many places are empty.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.outcomes import expected_values
    >>> expected_values(np.array([[0.75, 0.25]]), np.array([[2.0, 6.0]]))
    array([3.])
    """
    return outcome_sums(shares, outcomes, 0)[:, 0]


def power_of_two(sizes: ArrayLike) -> Floats:
    """Return a unit of about the same size, in which squares do not overflow; 1 for 0.

    Division by a power of two is exact, so that a change of unit changes no bit of a result.

    Examples
    --------
    >>> from vicinal.influence.outcomes import power_of_two
    >>> power_of_two([0.0, 5.0, 1e200]).tolist()
    [1.0, 8.0, 1.5309010345804195e+200]
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    # Not beyond 2^1000, whose inverse and square root are floats, too.
    exponents = np.minimum(np.maximum(np.frexp(sizes)[1], -1000), 1000)
    return np.where(sizes > 0, np.ldexp(1.0, exponents), 1.0)


def sequential_sums(values: NDArray[Number]) -> NDArray[Number]:
    """Add up each row from left to right; zeros change no bit."""
    if not values.shape[1]:
        return np.zeros(len(values), dtype=values.dtype)
    return np.cumsum(values, axis=1)[:, -1]
