"""Axes: from values to places in a chart."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from vicinal.formatting.durations import unit_of
from vicinal.formatting.values import format_value
from vicinal.tables.times import duration

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """A range of encoded values, and the texts at some of them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


#: About so many ticks are on an axis of numbers.
_TICKS = 5
#: Shares and probabilities, from 0 to 1.
SHARES = Axis(0.0, 1.0, tuple((at / 4, f"{25 * at} %") for at in range(5)))


def placed(value: float, axis: Axis) -> float:
    """Return where a value stands on an axis, from 0 to 1."""
    span = axis.high - axis.low
    if not (span > 0 and math.isfinite(span)):
        return 0.5
    return min(max((value - axis.low) / span, 0.0), 1.0)


def number_axis(low: float, high: float) -> Axis:
    """Return an axis from a low to a high number, with ticks at round ones.

    Examples
    --------
    >>> from vicinal.report.scales import number_axis
    >>> [text for _, text in number_axis(2700.0, 6300.0).ticks]
    ['3000', '4000', '5000', '6000']
    """
    if not math.isfinite(high - low):
        return Axis(0.0, 1.0, ())
    if not high - low > abs(low) * 1e-12:
        half = abs(low) / 2 or 1.0
        return Axis(low - half, low + half, ((low, format_value(low)),))
    rough = (high - low) / _TICKS
    size = 10.0 ** math.floor(math.log10(rough))
    step = next((m * size for m in (1, 2, 5, 10) if m * size >= rough * 0.999), 10 * size)
    if not step > 0:  # next to the smallest number there is
        return Axis(low, high, ())
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    # Multiples of a whole number are exact, so texts come out round.
    marks = [at * step for at in range(first, min(last, first + 20) + 1)]
    return Axis(
        low, high, tuple((float(mark), format_value(float(f"{mark:.12g}"))) for mark in marks)
    )


def duration_axis(low: float, high: float) -> Axis:
    """Return an axis from a short to a long duration in seconds, with ticks at round ones.

    Examples
    --------
    >>> from vicinal.report.scales import duration_axis
    >>> [text for _, text in duration_axis(2659.0, 86471.0).ticks]
    ['5:00:00', '10:00:00', '15:00:00', '20:00:00']
    """
    size = unit_of((high - low) / 2)[1]
    plain = number_axis(low / size, high / size)
    marks = [mark * size for mark, _ in plain.ticks]
    ticks = tuple((mark, format_value(duration(mark))) for mark in marks)
    return replace(plain, low=plain.low * size, high=plain.high * size, ticks=ticks)
