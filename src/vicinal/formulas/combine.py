"""Weighted power means: one distance out of the terms of all features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vicinal.typing import Floats


def power_mean(terms: ArrayLike, weights: ArrayLike, p: float, axis: int = -1) -> Floats:
    r"""Weighted power mean of terms.

    Parameters
    ----------
    terms : array_like
        The terms, at least 0.
    weights : array_like
        Weights, at least 0, of any scale: one per term along `axis`, or an array that
        broadcasts against `terms`. Terms of weight 0 are ignored, even infinite and NaN ones.
    p : float
        The power, at least 0. 0 is the geometric mean, 1 the arithmetic, 2 the quadratic.
    axis : int, default=-1
        The axis that is averaged.

    Returns
    -------
    ndarray
        The means, each between the smallest and the largest of its terms; NaN where no weight
        is positive.

    Notes
    -----
    With :math:`\bar w = w / \sum w`,

    .. math:: D_p = \Bigl(\sum_i \bar w_i s_i^p\Bigr)^{1/p},
              \qquad D_0 = \exp \sum_i \bar w_i \ln s_i,

    and :math:`D_0` is the limit of :math:`D_p` for :math:`p \to 0`. The terms are divided by
    the largest one before anything is raised to a power, so nothing overflows, and powers are
    taken as logarithms, so small p lose no digits.

    Examples
    --------
    >>> from vicinal.formulas import power_mean
    >>> [round(float(power_mean([2.0, 8.0], [1, 1], p)), 4) for p in (0, 1, 2)]
    [4.0, 5.0, 5.831]
    """
    terms, weights = _broadcast(terms, weights, axis)
    used = weights > 0
    terms = np.where(used, terms, 0.0)
    largest = terms.max(axis=-1, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    # ln 0 = −∞ is the right answer for a term of 0; 0/0 belongs to a mean of nothing.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = weights / weights.sum(axis=-1, keepdims=True)
        logs = np.where(used, np.log(terms) - np.log(scale), 0.0)
        mean = scale[..., 0] * np.exp(_mean_log(logs, share, p))
    return np.where(used.any(axis=-1), mean, np.nan)


def power_key(terms: ArrayLike, p: float) -> Floats:
    r"""Turn terms into what a power mean averages: logarithms or powers.

    Parameters
    ----------
    terms : array_like
        The terms, at least 0.
    p : float
        The power, at least 0.

    Returns
    -------
    ndarray
        The keys, which order like the terms; infinite where a power exceeds float64.

    Notes
    -----
    :math:`h(s) = \ln s` for p = 0, else :math:`h(s) = s^p`. The distance is
    :math:`h^{-1}(\sum_i \bar w_i h(s_i))`, so the nearest cases are those of the smallest sum
    of keys.

    Examples
    --------
    >>> from vicinal.formulas import power_key
    >>> power_key([1.0, 3.0], 2)
    array([1., 9.])
    """
    terms = np.asarray(terms, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return np.log(terms) if p == 0 else np.power(terms, p)


def key_to_distance(key: ArrayLike, p: float) -> Floats:
    """Distance that a mean key stands for: the inverse of `power_key`.

    Parameters
    ----------
    key : array_like
        Weighted mean of the keys of the terms; at least 0 for p > 0.
    p : float
        The power, at least 0.

    Returns
    -------
    ndarray
        The distances; infinite where one exceeds float64.

    Notes
    -----
    :math:`h^{-1}(k) = e^k` for p = 0, else :math:`k^{1/p}`.

    Examples
    --------
    >>> from vicinal.formulas import key_to_distance
    >>> key_to_distance([1.0, 9.0], 2)
    array([1., 3.])
    """
    key = np.asarray(key, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.exp(key) if p == 0 else np.power(key, 1.0 / p)


def _broadcast(terms: ArrayLike, weights: ArrayLike, axis: int) -> tuple[Floats, Floats]:
    """Bring both to one shape, with the averaged axis last."""
    terms = np.moveaxis(np.asarray(terms, dtype=np.float64), axis, -1)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim > 1:
        weights = np.moveaxis(weights, axis, -1)
    terms, weights = np.broadcast_arrays(terms, weights)
    return terms, weights


def _mean_log(logs: Floats, share: Floats, p: float) -> Floats:
    """Logarithm of the power mean, from the logarithms of the terms (the largest being 0)."""
    # Below any power that makes a difference, products with p would lose their digits.
    if p < 1e-30:
        return (share * logs).sum(axis=-1)
    total = (share * np.exp(p * logs)).sum(axis=-1)
    # Near 1, where small p go, ln(total) has lost the digits that ln(1 + (total − 1)) keeps.
    above = (share * np.expm1(p * logs)).sum(axis=-1)
    return np.where(total > 0.5, np.log1p(above), np.log(total)) / p
