"""Sums of influences by outcome, and means by kernels of several widths, native."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vicinal.index import _native
from vicinal.index.threads import thread_count
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


def kernel_means(
    excess: Floats,
    counts: Floats | None,
    outcomes: Floats,
    n_classes: int,
    bandwidths: Sequence[float],
    *,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    """Return the mean outcome of neighbors with influences ∝ count · exp(−bandwidth · excess).

    Parameters
    ----------
    excess : ndarray of shape (m, k)
        Infinite where there is no neighbor; every row has one.
    counts : ndarray of shape (m, k), optional
        What each neighbor counts; None if it is always 1.
    outcomes : ndarray of shape (m, k)
        Class codes or numbers.
    n_classes : int
        0 for numbers.

    Returns
    -------
    ndarray of shape (len(bandwidths), m, n_classes) or (len(bandwidths), m, 1)
        Class shares, or means.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.outcome_sums import kernel_means
    >>> excess, outcomes = np.array([[0.0, np.log(3.0)]]), np.array([[4.0, 8.0]])
    >>> kernel_means(excess, None, outcomes, 0, (1.0, 0.0)).round(6)
    array([[[5.]],
    <BLANKLINE>
           [[6.]]])
    """
    return _native.kernel_means(
        np.ascontiguousarray(excess, dtype=np.float64),
        None if counts is None else np.ascontiguousarray(counts),
        np.ascontiguousarray(outcomes, dtype=np.float64),
        n_classes,
        np.array(bandwidths, dtype=np.float64),
        thread_count(threads),
        path,
    )
