"""The most that a sum can be whose parts share one radius.

Each part takes one of some options, of which it has the value and pays the cost; all costs add up
to the radius R at most. For any price λ ≥ 0, the sum of the values is at most

    Σ max (value − λ · cost) + λ R.

With the best price, this is what the concave hulls of all parts reach with the best division of R.
It is exact for a sum of concave functions, of which one is a line.
"""

from __future__ import annotations

import numpy as np

from vicinal.typing import Floats, Ints

#: Prices that are tried at first, as parts of the steepest; then some between the best ones, and
#: how often prices are tried in all.
_PRICES = np.append(0.0, np.geomspace(1e-3, 1.0, 11))
_BETWEEN, _TRIALS = np.linspace(0.0, 1.0, 8), 4
#: Allowance for rounding.
_ROUNDING = 1e-9


def most_of_sum(values: Floats, costs: Floats, starts: Ints, radius: float) -> float:
    """Return the most of the sum of one value of every part.

    Parameters
    ----------
    values, costs : ndarray of shape (m,)
        Of the options, those of the first part first. Each part has an option that costs nothing.
    starts : ndarray of int of shape (parts,)
        The first option of each part.
    radius : float
        What all of them may cost together.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.shared_radius import most_of_sum
    >>> values, costs = np.array([0.0, 3.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> round(most_of_sum(values, costs, np.array([0, 2]), radius=1.0), 2)
    3.0
    >>> round(most_of_sum(values, costs, np.array([0, 2]), radius=1.5), 2)
    3.5
    """
    if not len(starts):
        return 0.0
    lengths = np.diff(np.append(starts, len(values)))
    base = np.maximum.reduceat(np.where(costs > 0, -np.inf, values), starts)
    gains = values - np.repeat(base, lengths)
    parts = np.repeat(np.arange(len(starts)), lengths)
    matter = gains > 0  # others have no more than one that costs nothing
    found = most_gained(gains[matter], costs[matter], parts[matter], radius)
    return float(base.sum()) + found + _ROUNDING * float(np.abs(base).sum())


def most_gained(gains: Floats, costs: Floats, parts: Ints, radius: float) -> float:
    """Return the most that all parts gain, if each may also gain nothing at no cost.

    Parameters
    ----------
    gains, costs : ndarray of shape (m,)
        Of the options.
    parts : ndarray of int of shape (m,)
        The part of each option, ascending.
    radius : float
        What all of them may cost together.
    """
    if not len(gains):
        return 0.0
    starts = np.flatnonzero(np.append(True, parts[1:] != parts[:-1]))
    paid = costs > 0
    steep = float((gains[paid] / np.maximum(costs[paid], 1e-300)).max(initial=0.0))
    prices = min(steep, 1e300) * (1 + _ROUNDING) * _PRICES
    least = np.inf
    for _ in range(_TRIALS):
        found = _sums(gains, costs, starts, radius, prices)
        best = int(found.argmin())
        least = min(least, float(found[best]))
        # A sum of maxima of lines is convex, so the best price is next to the best one so far.
        low, high = prices[max(best - 1, 0)], prices[min(best + 1, len(prices) - 1)]
        prices = low + (high - low) * _BETWEEN
    return least + _ROUNDING * float(gains.sum())


def _sums(gains: Floats, costs: Floats, starts: Ints, radius: float, prices: Floats) -> Floats:
    """Return the bound at some prices."""
    net = np.maximum(gains - prices[:, None] * costs, 0.0)
    return np.maximum.reduceat(net, starts, axis=1).sum(axis=1) + prices * radius
