"""Shares whose weighted mean offset vanishes, by the native solver."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from vicinal.index import _native
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases
from vicinal.index.terms import prepared_cases
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints, Places

#: The numbers by which the kernels know the rules.
RULES = {"inverse": 0.0, "probability": 1.0, "centered": 2.0, "linear": 3.0}


def centered_shares(
    logits: Floats,
    offsets: Floats,
    ridge: float,
    *,
    linear: bool = False,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    r"""Return the shares closest to a kernel that balance the offsets.

    Parameters
    ----------
    logits : ndarray of shape (m, k)
        Logarithm of the kernel; −∞ for a place without a neighbor.
    offsets : ndarray of shape (m, k, d)
        Offset of each neighbor from the query.
    ridge : float
        How dear balance is: small values balance almost exactly, large ones leave the kernel.
    linear : bool
        Whether to take the first-order solution, which is ridge local linear regression; its
        shares may be negative. They differ from the kernel's by 4 in all, at most.

    Returns
    -------
    ndarray of shape (m, k)
        Every row sums to 1.

    Notes
    -----
    With kernel :math:`k_j` and offsets :math:`z_j`, the shares are
    :math:`a_j \propto k_j e^{\lambda \cdot z_j}` where :math:`\lambda` minimizes
    :math:`\log \sum_j k_j e^{\lambda \cdot z_j} + \tfrac{\rho}{2} |\lambda|^2`. Newton's method
    takes twelve steps at most; that is enough unless the query lies far outside its neighbors
    and the ridge is tiny, where the shares stop short of the minimum.

    Examples
    --------
    Two neighbors on one side and one on the other: the lone one gets more.

    >>> import numpy as np
    >>> from vicinal.index.shares import centered_shares
    >>> centered_shares(np.zeros((1, 3)), np.array([[[1.0], [1.0], [-1.0]]]), 1e-6).round(3)
    array([[0.25, 0.25, 0.5 ]])
    """
    return _native.influences(
        logits=np.ascontiguousarray(logits, dtype=np.float64),
        offsets=np.ascontiguousarray(offsets, dtype=np.float64),
        ridge=ridge,
        linear=linear,
        threads=thread_count(threads),
        path=path,
    )


def path_means(
    logits: Floats,
    offsets: Floats,
    ridges: Sequence[float],
    outcomes: Floats,
    n_classes: int,
    *,
    scale: float = 1.0,
    linear: bool = False,
    rough: bool = False,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    """Return mean outcomes by `centered_shares` for several ridges.

    All offsets are multiplied by a scale first. The ridges go from the largest to the smallest;
    several cost little more than one.

    Parameters
    ----------
    outcomes : ndarray of shape (m, k)
        Class codes or numbers.
    n_classes : int
        0 for numbers.
    rough : bool
        Whether shares need not be exact: Newton's method then ends sooner, in about two thirds of
        the time. Means of few ridges are compared by it just as well.

    Returns
    -------
    ndarray of shape (len(ridges), m, n_classes) or (len(ridges), m, 1)
        Class shares, or means.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.shares import path_means
    >>> offsets, codes = np.array([[[1.0], [1.0], [-1.0]]]), np.array([[0.0, 0.0, 1.0]])
    >>> path_means(np.zeros((1, 3)), offsets, (1e6, 1e-6), codes, 2).round(3)
    array([[[0.667, 0.333]],
    <BLANKLINE>
           [[0.5  , 0.5  ]]])
    """
    return _native.path_means(
        logits=np.ascontiguousarray(logits, dtype=np.float64),
        offsets=np.ascontiguousarray(offsets, dtype=np.float64),
        outcomes=np.ascontiguousarray(outcomes, dtype=np.float64),
        classes=n_classes,
        scale=scale,
        ridges=np.array(ridges, dtype=np.float64),
        linear=linear,
        rough=rough,
        threads=thread_count(threads),
        path=path,
    )


def balanced_shares(
    index: Cases,
    queries: Floats,
    indices: Ints,
    metric: Metric,
    excess: Floats,
    counts: Floats | None,
    rules: Sequence[tuple[str, float, float]],
    *,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    """Return `centered_shares` of neighbors found, for several rules, bandwidths and ridges.

    Offsets are worked out on the way, query by query, so that they never fill memory; and what
    rules have in common is done once.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, k)
        Case numbers, −1 for none.
    excess : ndarray of shape (m, k)
        Total excess of each neighbor; infinite where there is none.
    counts : ndarray of shape (m, k), optional
        What each neighbor counts; None if it is always 1.
    rules : sequence of (rule, bandwidth, ridge)
        Each of the rules "centered" or "linear".

    Returns
    -------
    ndarray of shape (len(rules), m, k)
        Every row sums to 1.
    """
    table, metric, given = prepared_cases(index, queries, indices, metric)
    columns, factors = metric.directions
    influences, places = arranged(tuple(rules))
    logs = None
    if counts is not None:
        with np.errstate(divide="ignore"):
            logs = np.log(counts)
    shares = _native.balanced_shares(
        table,
        metric.native,
        **given,
        columns=columns,
        factors=factors,
        excess=np.ascontiguousarray(excess),
        logs=logs,
        influences=influences,
        threads=thread_count(threads),
        path=path,
    )
    return shares if places is None else shares[places]


@lru_cache(maxsize=1024)
def arranged(rules: tuple[tuple[str, float, float], ...]) -> tuple[Floats, Places | None]:
    """Return rules as the kernels take them, and the place of each, if they are not in order.

    What they have in common is shared by those beside each other, with falling ridges.
    """
    order = sorted(range(len(rules)), key=lambda at: (rules[at][1], rules[at][0], -rules[at][2]))
    influences = [(RULES[rules[at][0]], *rules[at][1:], 1.0) for at in order]
    return np.array(influences), None if order == sorted(order) else np.argsort(order)
