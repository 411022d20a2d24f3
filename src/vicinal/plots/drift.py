"""How much each feature has changed."""

from __future__ import annotations

from typing import Any

from vicinal.plots.bars import draw_bars
from vicinal.plots.style import DOWN, SOFT

_MOST, _ALPHA = 15, 0.05
#: Texts beside bars that are longer need a wider figure.
_LONG = 40


def draw_drift(found: Any, ax: Any = None) -> Any:
    """Draw the gap of every feature of `Drift`, significant ones in color; return the axes."""
    n = min(len(found), _MOST)
    verdict = "changed" if found.changed(_ALPHA) else "no sign of change"
    texts = [f"{gap:.2f}, {change}" for gap, change in zip(found.gap, found.changes, strict=True)]
    return draw_bars(
        found.features[:n],
        found.gap[:n],
        ax,
        title=f"Drift: {verdict} (p = {found.p_value:.2g})",
        xlabel="gap between the distributions, 0 to 1; colored: significant",
        texts=texts[:n],
        colors=[DOWN if p <= _ALPHA else SOFT for p in found.p_adjusted[:n]],
        width=9.0 if max(map(len, texts[:n]), default=0) > _LONG else 6.4,
    )
