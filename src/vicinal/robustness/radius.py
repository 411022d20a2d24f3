"""The largest radius that can be certified."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: No larger radius is tried.
LARGEST = 64.0
#: The first radius tried, for one column that changes; with more, each can change by less. Small
#: radii take less time than large ones.
_FIRST = 1.0
#: Radii are found to this part, in at most so many steps; seldom in more than these.
_PRECISION, _STEPS, _USUAL = 1.1, 10, 6
#: The next radius is at most this multiple of one that is certified, and at least this part of
#: the way from there to one that is not.
_GROWTH, _LEAST_PART = 3.0, 0.15
#: Where none is certified and no change is known, the next one is at most this part of the last.
_SHRINKAGE = 0.25
#: Margins are lost as this power of the radius until two radii tell; what is tried is this part of
#: where they should be used up.
_POWER, _NEARLY = 1.3, 0.95
#: With this gap to a known change, more is looked for than expected.
_ENOUGH = 1.2
#: A margin that has fallen below this multiple of the row's own tells nothing of where it was 0.
_USED_UP = 0.9


def certified_radius(
    margin: Callable[[float], float], own: float, flip: float, columns: int = 1
) -> float:
    """Return the largest radius found within which a prediction is proved to stay.

    Parameters
    ----------
    margin : callable
        Says of a radius how much of the margin is proved to be left; the prediction stays if it is
        positive.
    own : float
        The margin of the row itself.
    flip : float
        A radius at which the prediction does not stay; infinite if none is known.
    columns : int
        How many columns change.

    Examples
    --------
    >>> from vicinal.robustness.radius import certified_radius
    >>> 0.9 < certified_radius(lambda radius: 1 - radius**2, 1.0, 2.0) <= 1
    True
    """
    low, high = 0.0, min(flip, 2 * LARGEST)
    at_low, at_high = own, -np.inf
    tried = min(_FIRST / columns, 0.5 * high)
    for step in range(_STEPS):
        found = margin(tried)
        if found > 0:
            low, at_low = tried, found
            if low >= LARGEST:
                return low
        else:
            high, at_high = tried, found
        expected = _expected(low, high, own - at_low, own - at_high, own)
        if low and -np.inf < at_high < -_USED_UP * own:
            expected = float(np.sqrt(low * high))
        near = low > 0 and min(high, expected) < _PRECISION * low
        if near and not _ENOUGH * low < high <= flip < np.inf:
            break
        if near:  # a known change says that more may be proved
            expected = float(np.sqrt(low * high)) / _NEARLY
        if not low and flip == np.inf:  # bounds end at the lowest value, so that margins mislead
            expected = min(expected, _SHRINKAGE * high / _NEARLY)
        tried = _next(low, high, _NEARLY * expected, bool(np.isfinite(at_high)), step)
    return low


def _expected(low: float, high: float, lost: float, more: float, own: float) -> float:
    """Return where a margin should be used up that is lost as a power of the radius."""
    power = _POWER
    if low and lost > 0 and np.isfinite(more):
        power = max(float(np.log(more / lost) / np.log(high / low)), 0.5)
    if low and lost > 0:
        return low * float(own / lost) ** (1 / power)
    if np.isfinite(more):
        return high * float(own / more) ** (1 / power)
    return high


def _next(low: float, high: float, expected: float, known: bool, step: int) -> float:
    """Return the next radius: where it is expected, but not too close to either end."""
    if not low:
        return min(max(expected, 0.01 * high), 0.6 * high)
    if not known:
        return min(max(expected, 1.1 * low), _GROWTH * low, float(np.sqrt(low * high)))
    if step >= _USUAL:  # it is not as expected
        expected = float(np.sqrt(low * high))
    part = (high / low) ** _LEAST_PART
    return min(max(expected, low * part), high / part)
