"""Sums of influences by outcome, native."""

from __future__ import annotations

import numpy as np

from vicinal.index import _native
from vicinal.typing import Floats


def outcome_sums(shares: Floats, outcomes: Floats, n_classes: int) -> Floats:
    """Return the sum of the shares of each class, or of shares times outcomes.

    Sums go from neighbor to neighbor, so that they do not depend on how many places are empty.

    Parameters
    ----------
    shares, outcomes : ndarray of shape (m, k)
        Influences, and class codes or numbers.
    n_classes : int
        0 for numbers.

    Returns
    -------
    ndarray of shape (m, n_classes) or (m, 1)
        The sums.
    """
    return _native.outcome_sums(
        np.asarray(shares, dtype=np.float64),
        np.ascontiguousarray(outcomes, dtype=np.float64),
        n_classes,
    )
