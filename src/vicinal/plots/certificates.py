"""How far each row can change."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.values import format_value
from vicinal.plots.bars import draw_bars
from vicinal.plots.style import INK, UP

_MOST = 15


def draw_certificates(found: Any, ax: Any = None) -> Any:
    """Draw the radius of every row of `Certificates`, and its smallest known change."""
    n = min(len(found), _MOST)
    radius = np.where(np.isfinite(found.radius[:n]), found.radius[:n], 0.0)
    known = np.isfinite(found.flip[:n])
    ax = draw_bars(
        [format_value(one) for one in found.rows[:n]],
        np.where(known, found.flip[:n], radius),
        ax,
        title=f"Certified predictions of {format_value(found.target)}",
        xlabel="change in residuals; dark: proved to be harmless; line: known to change it",
        texts=[
            f"{format_value(one)}: {r:.2g}" + (f" … {f:.2g}" if there else "")
            for one, r, f, there in zip(
                found.predictions[:n].tolist(), radius, found.flip[:n], known, strict=True
            )
        ],
        colors=["#dfe6ec"] * n,
    )
    places = np.arange(n)
    ax.barh(places, radius, color=UP, height=0.68)
    ax.vlines(found.flip[:n][known], places[known] - 0.34, places[known] + 0.34, color=INK)
    return ax
