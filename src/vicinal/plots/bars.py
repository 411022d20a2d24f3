"""Horizontal bars with a label and a number each, for results that rank something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_value
from vicinal.plots.style import CHARACTER, DOWN, INK, SOFT, UP, axes_of, shorten, tidy

#: Characters of a text beside a bar, at most.
_LONGEST = 72
_LONGEST_LABEL = 32
#: Inches that a character takes beside a bar, on average.
_CHARACTER = 0.066
#: Share of the axes that a text takes, at most.
_MOST_TAKEN = 0.8


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
    inches = width - CHARACTER * min(max(map(len, labels)), _LONGEST_LABEL) - 0.3
    longest = min(_LONGEST, int(_MOST_TAKEN * inches / _CHARACTER))
    places = np.arange(len(numbers))
    ax.barh(places, numbers, color=list(colors), height=0.68)
    for place, number, text in zip(places, numbers, texts, strict=True):
        # To the right of zero, since to the left are the labels.
        ax.annotate(
            shorten(text, longest),
            (max(number, 0.0), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    ax.axvline(0, color=SOFT, linewidth=0.8)
    ax.set_yticks(places, [shorten(one, _LONGEST_LABEL) for one in labels])
    ax.set_ylim(len(numbers) - 0.4, -0.6)
    taken = [_CHARACTER * (min(len(text), longest) + 2) / inches for text in texts]
    _make_room(ax, numbers, np.minimum(taken, 0.9))
    tidy(ax, title=title, xlabel=xlabel)
    return ax


def _make_room(ax: Any, numbers: Any, taken: Any) -> None:
    """Widen the axes so that each text, which takes a share of them, ends within."""
    low, high = min(float(numbers.min()), 0.0), max(float(numbers.max()), 0.0)
    span = (high - low) or 1.0
    ends = (np.maximum(numbers, 0.0) - low) / (1.0 - taken)
    left = low - 0.03 * span * (low < 0)
    ax.set_xlim(left, low + max(float(ends.max()), span, 1.0 * (high == low)))
