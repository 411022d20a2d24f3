"""Horizontal bars with a label and a number each, for results that rank something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_value
from vicinal.plots.style import DOWN, INK, SOFT, UP, axes_of, shorten, tidy

#: Characters of a text beside a bar, at most.
_LONGEST = 72


def draw_bars(
    labels: Sequence[str],
    values: Any,
    ax: Any = None,
    *,
    title: str,
    xlabel: str,
    texts: Sequence[str] | None = None,
    colors: Sequence[str] | None = None,
    width: float = 6.4,
) -> Any:
    """Draw one bar per label, the first on top, with the number at its end; return the axes."""
    numbers = np.nan_to_num(np.asarray(values, dtype=np.float64))
    if not len(numbers):
        raise ParameterError("There is nothing to draw: the result is empty.")
    texts = [format_value(float(f"{one:.3g}")) for one in numbers] if texts is None else texts
    colors = [UP if one >= 0 else DOWN for one in numbers] if colors is None else colors
    ax = axes_of(ax, width, 1.2 + 0.3 * len(numbers))
    places = np.arange(len(numbers))
    ax.barh(places, numbers, color=list(colors), height=0.68)
    for place, number, text in zip(places, numbers, texts, strict=True):
        # To the right of zero, since to the left are the labels.
        ax.annotate(
            shorten(text, _LONGEST),
            (max(number, 0.0), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    ax.axvline(0, color=SOFT, linewidth=0.8)
    ax.set_yticks(places, [shorten(one, 32) for one in labels])
    ax.set_ylim(len(numbers) - 0.4, -0.6)
    _make_room(ax, numbers, min(max(map(len, texts)), _LONGEST) / width)
    tidy(ax, title=title, xlabel=xlabel)
    return ax


def _make_room(ax: Any, numbers: Any, per_inch: float) -> None:
    """Widen the axes by about the width of the texts beside the bars."""
    low, high = min(float(numbers.min()), 0.0), max(float(numbers.max()), 0.0)
    span = (high - low) or 1.0
    room = span * min(0.11 * (per_inch + 0.3), 0.95)
    ax.set_xlim(low - 0.03 * span * (low < 0), max(high, low + span / 2) + room)
