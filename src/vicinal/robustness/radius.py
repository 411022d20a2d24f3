"""The largest radius that can be certified."""

from __future__ import annotations

from collections.abc import Callable

#: No larger radius is tried.
LARGEST = 64.0
#: The first radius tried, for one column that changes; with more, each can change by less. Small
#: radii take less time than large ones.
_FIRST = 2.0
#: Radii are found to this part, in at most so many steps.
_PRECISION, _STEPS = 1.08, 10
#: The next radius is at most this multiple of one that is certified, and at least this part of
#: the way from there to one that is not.
_GROWTH, _LEAST_PART = 4.0, 0.15


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
    at_low, at_high = own, -own
    failures = 0
    tried = min(_FIRST / columns, 0.5 * high)
    for _ in range(_STEPS):
        found = margin(tried)
        if found > 0:
            low, at_low = tried, found
            if low >= LARGEST:
                return low
        else:
            high, at_high, failures = tried, found, failures + 1
        if low and high < _PRECISION * low:
            break
        if failures:
            tried = _between(low, high, at_low, at_high, failures)
        else:
            tried = _beyond(low, high, at_low, own)
    return low


def _between(low: float, high: float, at_low: float, at_high: float, failures: int) -> float:
    """Return where a straight line reaches 0, but not too close to either end.

    A margin that is used up falls at once as far as it can, so no line tells where that was. Nor
    does it again if it has failed.
    """
    if low and (at_high < -at_low or failures > 1):
        return float((low * high) ** 0.5)
    part = at_low / (at_low - at_high)
    # While nothing is certified, the margin of the row itself tells little.
    most = 1 - _LEAST_PART if low else 0.5
    return low + (high - low) * min(max(part, _LEAST_PART), most)


def _beyond(low: float, high: float, at_low: float, own: float) -> float:
    """Return where the line through the row itself reaches 0, or a multiple of what is known."""
    fallen = own - at_low
    farthest = min(_GROWTH * low, (low + high) / 2)
    reached = low * own / fallen if fallen > 0 else farthest
    return min(max(reached, 1.1 * low), farthest)
