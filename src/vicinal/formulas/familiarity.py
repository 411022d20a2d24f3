"""How much a distribution of distance contributions changes when one share becomes ordinary."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vicinal.typing import Floats


def familiarity_divergence(share: ArrayLike, count: ArrayLike) -> Floats:
    r"""Divergence of the shares from the same shares with one of them replaced by 1/n.

    Parameters
    ----------
    share : array_like
        The share :math:`l_j` of a case in the sum of all distance contributions, from 0 to 1.
    count : array_like
        How many cases there are, n ≥ 1.

    Returns
    -------
    ndarray
        In nats, at least 0; 0 where the share is 1/n.

    Notes
    -----
    Let L be the shares and L′ the same with :math:`l_j` replaced by 1/n and all divided by their
    sum :math:`Z = 1 - l_j + 1/n`. Every other share is divided by Z and nothing else, so the sum
    over all cases is one term:

    .. math:: D_{KL}(L \| L') = \sum_{i \ne j} l_i \ln Z + l_j \ln (n Z l_j)
              = \ln Z + l_j \ln (n l_j).

    Examples
    --------
    >>> from vicinal.formulas import familiarity_divergence
    >>> familiarity_divergence([0.25, 0.5], 4).round(4)
    array([0.    , 0.0589])
    """
    share = np.asarray(share, dtype=np.float64)
    count = np.asarray(count, dtype=np.float64)
    # log1p: shares near 1/n are the rule, and their divergence is of second order.
    surplus = count * share - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(share > 0, share * np.log1p(surplus), 0.0)
    return np.maximum(np.log1p(-surplus / count) + kept, 0.0)


def most_divergent_share(count: float) -> float:
    r"""Share whose replacement by 1/n changes the distribution most.

    Parameters
    ----------
    count : float
        How many cases there are, n ≥ 1.

    Returns
    -------
    float
        The share, from ½ to 1.

    Notes
    -----
    A share near 1 cannot be made ordinary: with next to nothing beside it, it is near 1 again
    after dividing by the sum. So the divergence falls beyond the root of its derivative,

    .. math:: \ln (n l) + 1 = 1 / (1 - l + 1/n).

    Examples
    --------
    >>> from vicinal.formulas import familiarity_divergence, most_divergent_share
    >>> share = most_divergent_share(1000)
    >>> round(share, 3)
    0.872
    >>> bool(familiarity_divergence(share, 1000) > familiarity_divergence(0.99, 1000))
    True
    """
    low, high = 0.5, 1.0
    if count <= 2.0:
        return high  # there the divergence grows up to the end, or nearly so
    for _ in range(60):
        middle = (low + high) / 2
        rising = np.log(count * middle) + 1.0 > 1.0 / (1.0 - middle + 1.0 / count)
        low, high = (middle, high) if rising else (low, middle)
    return float(low)
