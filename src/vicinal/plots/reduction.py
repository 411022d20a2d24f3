"""How many cases each remaining case represents."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.plots.bars import draw_bars

_MOST = 15


def draw_reduction(found: Any, ax: Any = None) -> Any:
    """Draw the weights of the heaviest cases of a `Reduction`; return the axes."""
    order = np.argsort(-found.weights, kind="stable")[:_MOST]
    before, after = f"{found.loss_before:.3g}", f"{found.loss_after:.3g}"
    return draw_bars(
        [found.case_labels.text(case) for case in found.cases[order]],
        found.weights[order],
        ax,
        title=f"{len(found.representative)} cases reduced to {len(found)}",
        xlabel=f"cases that each represents; {found.what} {before} → {after}",
    )
