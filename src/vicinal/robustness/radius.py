"""The largest radius that can be certified."""

from __future__ import annotations

from collections.abc import Callable

#: No larger radius is tried.
LARGEST = 64.0
#: Radii are found to this part, in at most so many steps.
_PRECISION, _STEPS = 1.08, 10
#: While nothing is certified, each radius tried is this part of the one before.
_SHRINK = 0.3


def certified_radius(stays: Callable[[float], bool], flip: float) -> float:
    """Return the largest radius found within which a prediction is proved to stay.

    Parameters
    ----------
    stays : callable
        Says of a radius whether the prediction is proved to stay within it.
    flip : float
        A radius at which it does not; infinite if none is known.

    Examples
    --------
    >>> from vicinal.robustness.radius import certified_radius
    >>> 0.9 < certified_radius(lambda radius: radius <= 1, 2.0) <= 1
    True
    """
    low, high = 0.0, min(flip, 2 * LARGEST)
    tried = 0.5 * high if flip < LARGEST else 1.0
    for _ in range(_STEPS):
        if stays(tried):
            low = tried
            if low >= LARGEST:
                return low
        else:
            high = tried
        if low and high < _PRECISION * low:
            break
        tried = min(4 * low, (low + high) / 2) if low else _SHRINK * high
    return low
