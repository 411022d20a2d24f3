"""Expected distances of Laplace variables: from each other (Łukaszyk–Karmowski), from a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vicinal.typing import Floats


def lk_distance(mu: ArrayLike, b: ArrayLike) -> Floats:
    r"""Give the expected distance of two Laplace variables of the same scale.

    Parameters
    ----------
    mu : array_like
        Distance of the two means, at least 0.
    b : array_like
        Scale of both variables, at least 0: the expected distance from the mean.

    Returns
    -------
    ndarray
        The distance, in the units of `mu` and `b`; never below `mu`.

    Notes
    -----
    The definition :math:`\iint |x - y|\, f(x)\, g(y)\, dx\, dy` with
    :math:`f(x) = e^{-|x|/b} / 2b` and :math:`g(y) = e^{-|y - \mu|/b} / 2b` has the closed form

    .. math:: LK(\mu, b) = \mu + \tfrac12 e^{-\mu/b} (3b + \mu).

    It grows from :math:`\tfrac32 b` at :math:`\mu = 0` towards :math:`\mu`, and at
    :math:`b = 0`, where both variables are certain, it is :math:`\mu`.

    Examples
    --------
    Two readings that agree are still expected to be 1.5 scales apart; far ones are as far as
    they look.

    >>> from vicinal.formulas import lk_distance
    >>> lk_distance([0.0, 1000.0], 2.0)
    array([   3., 1000.])
    """
    mu, b = np.asarray(mu, dtype=np.float64), np.asarray(b, dtype=np.float64)
    # μ = ∞ and b = 0 would meet 0·∞ and 0/0 below; in both the second part has vanished.
    gone = (b == 0) | np.isinf(mu)
    near = np.where(gone, 0.0, mu)
    with np.errstate(over="ignore"):
        decay = np.exp(-near / np.where(gone, 1.0, b))
    return mu + np.where(gone, 0.0, 0.5 * decay * (3.0 * b + near))
