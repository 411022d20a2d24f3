"""Exact Shapley values of cases in an unweighted k-NN, by the recursion of Jia et al. (2019)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.explain.knn_shapley_tail import Unranked, joins, leaves, rank_factors, rank_sums
from vicinal.typing import Bools, Floats

_NONE = Unranked()


def knn_shapley_classes(
    hits: Bools, distances: Floats, k: int, others: Unranked = _NONE
) -> Floats:
    r"""Return what each case adds to the share of correct classes among the k nearest.

    Parameters
    ----------
    hits : ndarray of bool of shape (n,)
        Whether each case has the true class; nearest case first.
    distances : ndarray of shape (n,)
        Ascending. Ties are averaged over the orders with hits first and hits last.
    k : int
        Number of neighbors.
    others : Unranked, optional
        Cases that are farther, and count as equally far.

    Returns
    -------
    ndarray of shape (n,)
        Shapley values, which sum to the share of hits among the k nearest.

    Notes
    -----
    The utility of a set of cases is :math:`\frac{1}{k} \sum_{j \le \min(k, |S|)} h_j` over its
    nearest. With the cases sorted, :math:`s_n = h_n \min(k, n) / (n k)` and
    :math:`s_i = s_{i+1} + \frac{h_i - h_{i+1}}{k} \frac{\min(k, i)}{i}`.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.knn_shapley import knn_shapley_classes
    >>> knn_shapley_classes(np.array([True, False]), np.array([1.0, 2.0]), 1)
    array([1., 0.])
    """

    def of_order(ordered: Floats, most: int) -> Floats:
        return _classes(ordered, most, others)

    return _both_orders(of_order, hits.astype(np.float64), distances, k)


def knn_shapley_numbers(
    outcomes: Floats, distances: Floats, truth: float, k: int, others: Unranked = _NONE
) -> Floats:
    r"""Return how much each case reduces the squared error of the k nearest.

    Parameters
    ----------
    outcomes : ndarray of shape (n,)
        Outcomes minus the expected outcome, nearest case first.
    distances : ndarray of shape (n,)
        Ascending. Ties are averaged over the orders with large outcomes first and last.
    truth : float
        The true outcome minus the expected outcome.
    k : int
        Number of neighbors.
    others : Unranked, optional
        Cases that are farther, and count as equally far.

    Returns
    -------
    ndarray of shape (n,)
        Shapley values, which sum to the reduction of the squared error below truth².

    Notes
    -----
    The utility of a set of cases is :math:`-(\frac{1}{k} \sum_{j \le \min(k, |S|)} y_j - y)^2`
    over its nearest; unfilled places count as the expected outcome, 0. Expanded, it is
    :math:`-y^2 + \frac{2y}{k} \sum y_j - \frac{1}{k^2} \sum y_j^2 - \frac{2}{k^2} \sum_{l<m} y_l
    y_m`. The two single sums have the values of `knn_shapley_classes`. A pair counts if both are
    among the nearest, that is, if the farther one, m, is. In a random order each of the two
    completes the pair with probability :math:`a_m = \frac{J(J+1)}{2m(m-1)}`, J the smaller of
    k − 1 and m − 1, and each other case nearer than m displaces it with probability
    :math:`c_m = \frac{k(k-1)}{m(m-1)(m-2)}` if m > k.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.knn_shapley import knn_shapley_numbers
    >>> knn_shapley_numbers(np.array([2.0, 0.0]), np.array([1.0, 2.0]), 2.0, 1)
    array([4., 0.])
    """

    def of_order(ordered: Floats, most: int) -> Floats:
        return _numbers(ordered, truth, most, others)

    return _both_orders(of_order, outcomes, distances, k)


def _both_orders(
    values_of: Callable[[Floats, int], Floats], outcomes: Floats, distances: Floats, k: int
) -> Floats:
    """Average over two orders of tied cases: by ascending and by descending outcome."""
    total = np.zeros(len(outcomes))
    for sign in (1.0, -1.0):
        order = np.lexsort((sign * outcomes, distances))
        total[order] += values_of(outcomes[order], k) / 2
    return total


def _classes(hits: Floats, k: int, others: Unranked) -> Floats:
    n = len(hits)
    if not n:
        return hits
    factor = rank_factors(np.arange(1.0, n + 1), k)
    steps = np.append((hits[:-1] - hits[1:]) * factor[:-1], hits[-1] * factor[-1])
    values: Floats = np.cumsum(steps[::-1])[::-1]
    return values + others.mean * rank_sums(n, others.count, k).step


def _numbers(outcomes: Floats, truth: float, k: int, others: Unranked) -> Floats:
    place = np.arange(1.0, len(outcomes) + 1)
    joined, left = joins(place, k), leaves(place, k)
    before, far = np.cumsum(outcomes) - outcomes, rank_sums(len(place), others.count, k)
    after = _after(joined * outcomes) + others.mean * far.joins
    displaced = _after(left * outcomes * before) + others.product * far.leaves_before
    displaced += others.mean * float(outcomes.sum()) * far.leaves
    pairs = outcomes * (after + joined * before)
    pairs -= displaced - outcomes * (_after(left * outcomes) + others.mean * far.leaves)
    plain = 2 * truth * _classes(outcomes, k, others)
    plain -= _classes(outcomes**2, k, others.squared) / k
    return plain - 2 / k**2 * pairs


def _after(values: Floats) -> Floats:
    """Return the sum of the values after each position."""
    return np.cumsum(values[::-1])[::-1] - values
