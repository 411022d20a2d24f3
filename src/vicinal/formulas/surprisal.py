"""Terms: the surprisal, in nats, of the difference of two cases in one feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vicinal.typing import Floats

#: The term of two equal values, whatever the kind of the feature.
SAME = 1.5

#: e^(−t)·(3 + t) is 0 in float64 from here on; stopping there keeps 0·∞ out.
_VANISHED = 800.0


def laplace_term(gap: ArrayLike, residual: ArrayLike) -> Floats:
    r"""Term of two numbers.

    Parameters
    ----------
    gap : array_like
        Distance of the two values, at least 0; for ordinal features of their ranks, for cyclic
        ones the shorter way round (`cyclic_gap`).
    residual : array_like
        Expected error in predicting the feature, at least 0, in the units of the gap.

    Returns
    -------
    ndarray
        The term: `SAME` for equal values, growing with the gap, infinite when the residual is 0
        and the values differ. NaN gaps stay NaN.

    Notes
    -----
    The LK distance in units of the residual: with :math:`t = \mu / r`,

    .. math:: s = LK(\mu, r) / r = f(t) = t + \tfrac12 e^{-t} (3 + t).

    Examples
    --------
    A gap of one residual costs 1 + 4/(2e) nats, a gap of a hundred residuals costs a hundred.

    >>> from vicinal.formulas import laplace_term
    >>> laplace_term([0.0, 3.0, 300.0], 3.0).round(4)
    array([  1.5   ,   1.7358, 100.    ])
    """
    gap, residual = np.asarray(gap, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    equal = gap == 0  # also without a residual, where 0/0 would not say so
    with np.errstate(over="ignore", divide="ignore"):
        t = np.where(equal, 0.0, gap) / np.where(equal, 1.0, residual)
    near = np.minimum(t, _VANISHED)
    # Rounding alone could put the term of a tiny gap below that of equal values.
    return np.maximum(t + 0.5 * np.exp(-near) * (3.0 + near), SAME)


def cyclic_gap(x: ArrayLike, y: ArrayLike, period: ArrayLike) -> Floats:
    r"""Distance of two values on a circle, the shorter way round.

    Parameters
    ----------
    x, y : array_like
        The values; whole turns do not matter.
    period : array_like
        Length of the circle, greater than 0.

    Returns
    -------
    ndarray
        The gap, between 0 and half the period.

    Notes
    -----
    With :math:`d = |x - y| \bmod P` the gap is :math:`\min(d, P - d)`.

    Examples
    --------
    From 23 o'clock to 1 o'clock it is two hours.

    >>> from vicinal.formulas import cyclic_gap
    >>> cyclic_gap([23.0, 6.0], [1.0, 18.0], 24.0)
    array([ 2., 12.])
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    period = np.asarray(period, dtype=np.float64)
    way = np.mod(np.abs(x - y), period)
    return np.minimum(way, period - way)


def nominal_contrast(e: ArrayLike, n_classes: ArrayLike) -> Floats:
    r"""Excess of two different classes over two equal ones.

    Parameters
    ----------
    e : array_like
        Residual of a nominal feature, 0 to 1: the probability mass that leave-one-out
        predictions do *not* put on the true class.
    n_classes : array_like
        Number of classes, at least 1.

    Returns
    -------
    ndarray
        The contrast in nats: infinite for e = 0, 0 at chance level (e = 1 − 1/K) and for
        anything worse, and 0 for a single class.

    Notes
    -----
    An observed class stands for mass :math:`1 - e` on itself and :math:`e / (K - 1)` on each
    other class. The contrast is the surprisal of the other class less that of the same one,

    .. math:: \ln \frac{(1 - e)(K - 1)}{e}.

    Examples
    --------
    With two classes and an error of one in four, another class is three times less likely; at
    an error of one in two it is uninformative.

    >>> import numpy as np
    >>> from vicinal.formulas import nominal_contrast
    >>> np.exp(nominal_contrast([0.25, 0.5], 2))
    array([3., 1.])
    """
    e, others = np.asarray(e, dtype=np.float64), np.asarray(n_classes, dtype=np.float64) - 1.0
    single = others == 0  # ln 0 − ln 0 otherwise, when there is no error either
    with np.errstate(divide="ignore"):
        log_others = np.log(np.where(single, 1.0, others))
        contrast = np.log1p(-e) + log_others - np.log(e)
    return np.where(single, 0.0, np.maximum(contrast, 0.0))


def nominal_term(different: ArrayLike, contrast: ArrayLike) -> Floats:
    r"""Term of two classes; one that was never seen differs from all.

    Parameters
    ----------
    different : array_like of bool
        Whether the two classes differ.
    contrast : array_like
        The excess of a differing pair, at least 0; see `nominal_contrast`.

    Returns
    -------
    ndarray
        `SAME` where the classes are equal, more by the contrast where they differ.

    Notes
    -----
    :math:`s = 1.5 + c\,[x \ne y]`: the 1.5 is the term of equal values of every kind, so that
    kinds are comparable.

    Examples
    --------
    >>> from vicinal.formulas import nominal_term
    >>> nominal_term([False, True], 2.0)
    array([1.5, 3.5])
    """
    # A product would turn an infinite contrast of equal classes into NaN.
    return SAME + np.where(different, contrast, 0.0)
