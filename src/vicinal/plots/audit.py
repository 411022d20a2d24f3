"""The strongest findings of an audit, by kind."""

from __future__ import annotations

from typing import Any

from vicinal.plots.bars import draw_bars
from vicinal.plots.style import PALETTE

_MOST = 5


def draw_audit(found: Any, ax: Any = None) -> Any:
    """Draw the strongest findings of each kind, relative to the strongest; return the axes."""
    labels: list[str] = []
    shares: list[float] = []
    texts: list[str] = []
    colors: list[str] = []
    for at, kind in enumerate(found.looked_for):
        findings = found.of(kind)
        most = max((abs(one.score) for one in findings), default=0.0) or 1.0
        for one in findings[:_MOST]:
            labels.append(f"{kind} " + str(one.feature if one.case is None else one.name))
            shares.append(abs(one.score) / most)
            texts.append(one.evidence)
            colors.append(PALETTE[at % len(PALETTE)])
    return draw_bars(
        labels,
        shares,
        ax,
        title=f"Audit: {len(found)} findings in {found.n_cases} cases",
        xlabel="strength of the evidence, relative to the strongest of the kind",
        texts=texts,
        colors=colors,
        width=9.0,
    )
