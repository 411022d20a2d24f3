"""How close synthetic rows are to training cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.plots.style import DOWN, UP, axes_of, tidy

#: The distance of a copy.
_COPY = 1.5


def draw_synthesis(found: Any, ax: Any = None) -> Any:
    """Draw a histogram of the distances of `Synthetic` rows; return the axes."""
    known = found.distances[np.isfinite(found.distances)]
    if not len(known):
        raise ParameterError("There is nothing to draw: the result has no rows.")
    ax = axes_of(ax, 6.4, 2.8)
    top = max(float(known.max()), _COPY + 0.01)
    ax.hist(known, bins=np.linspace(_COPY, top, 31).tolist(), color=UP, edgecolor="white")
    ax.axvline(_COPY, color=DOWN, linewidth=1.2, linestyle=(0, (3, 2)))
    height = ax.get_ylim()[1]
    ax.text(_COPY, height, " a copy", va="top", fontsize=8.5, color=DOWN)
    ax.yaxis.set_visible(False)
    tidy(
        ax,
        title=f"How close are {len(found)} synthetic rows to real ones?",
        xlabel="distance to the closest training case, in nats per feature",
    )
    return ax
