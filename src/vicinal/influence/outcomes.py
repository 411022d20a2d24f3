"""Influences and outcomes → predictions."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Floats


def class_probabilities(shares: Floats, codes: Floats, n_classes: int) -> Floats:
    """Return the total influence of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.outcomes import class_probabilities
    >>> class_probabilities(np.array([[0.5, 0.3, 0.2]]), np.array([[1.0, 0.0, 1.0]]), 2)
    array([[0.3, 0.7]])
    """
    m = len(shares)
    cells = (np.arange(m)[:, None] * n_classes + codes.astype(np.intp)).ravel()
    sums = np.bincount(cells, weights=shares.ravel(), minlength=m * n_classes)
    return sums.astype(np.float64, copy=False).reshape(m, n_classes)


def mean_outcomes(shares: Floats, outcomes: Floats, n_classes: int) -> Floats:
    """Return class probabilities; without classes expected values, in a single column."""
    if n_classes:
        return class_probabilities(shares, outcomes, n_classes)
    return expected_values(shares, outcomes)[:, None]


def expected_values(shares: Floats, outcomes: Floats) -> Floats:
    """Return the influence-weighted outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.outcomes import expected_values
    >>> expected_values(np.array([[0.75, 0.25]]), np.array([[2.0, 6.0]]))
    array([3.])
    """
    return (shares * outcomes).sum(axis=1)
