"""The steps of a waterfall, in an order that stays within limits."""

from __future__ import annotations

from collections.abc import Sequence

#: What rounding may add beyond a limit.
_TOLERANCE = 1e-9


def waterfall_steps(
    start: float, values: Sequence[float], limits: tuple[float, float] | None = None
) -> list[tuple[int, float]]:
    """Order contributions so that no partial sum leaves the limits, largest first if possible.

    Parameters
    ----------
    start : float
        Where the waterfall starts, within the limits.
    values : sequence of float
        The contributions. Start + Σ contributions is within the limits, too.
    limits : tuple of float, optional
        The range, 0 to 1 for probabilities.

    Returns
    -------
    list of (int, float)
        The place of each contribution, and how much of it is drawn. A contribution that fits
        nowhere as a whole is drawn in parts.

    Examples
    --------
    The probability would reach 1.2, so the second step comes first:

    >>> from vicinal.plots.waterfall import waterfall_steps
    >>> waterfall_steps(0.5, [0.7, -0.4], (0.0, 1.0))
    [(1, -0.4), (0, 0.7)]
    >>> waterfall_steps(0.5, [0.75, -0.75], (0.0, 1.0))
    [(0, 0.5), (1, -0.75), (0, 0.25)]
    """
    left = dict(enumerate(map(float, values)))
    steps: list[tuple[int, float]] = []
    at = float(start)
    while left:
        order = sorted(left, key=lambda i: -abs(left[i]))
        fitting = [i for i in order if _within(at + left[i], limits)]
        if fitting or limits is None:
            chosen = fitting[0] if fitting else order[0]
            step = left.pop(chosen)
        else:
            # Up to the limit; at the limit itself, a step to the other side has room.
            rooms = {i: (limits[1] if left[i] > 0 else limits[0]) - at for i in order}
            chosen = max(order, key=lambda i: abs(rooms[i]))
            step = rooms[chosen]
            if abs(step) <= _TOLERANCE:  # the sum of all leaves the limits by itself
                step = left.pop(chosen)
            else:
                left[chosen] -= step
        steps.append((chosen, step))
        at += step
    return steps


def _within(value: float, limits: tuple[float, float] | None) -> bool:
    if limits is None:
        return True
    return limits[0] - _TOLERANCE <= value <= limits[1] + _TOLERANCE
