"""The training cases that cause and that prevent most of the errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import shared_unit
from vicinal.plots.bars import draw_bars
from vicinal.plots.style import DOWN, UP

_MOST = 8


def draw_data_values(found: Any, ax: Any = None) -> Any:
    """Draw the most and the least harmful cases of `DataValues`; return the axes."""
    order = np.argsort(-found.harm, kind="stable")
    order = order[found.harm[order] != 0]
    if len(order) > 2 * _MOST:
        order = np.concatenate([order[:_MOST], order[-_MOST:]])
    unit, seconds = shared_unit(found.harm.tolist()) if found.in_seconds else ("", 1.0)
    harm, measured = found.harm[order] / seconds, f" in {unit}" * bool(unit)
    return draw_bars(
        [found.case_labels.text(case) for case in found.cases[order].tolist()],
        harm,
        ax,
        title=f"Shares in the errors of {found.n_rows} predictions",
        xlabel=f"harm{measured}: above 0 the case adds to the errors, below it reduces them",
        colors=[DOWN if one > 0 else UP for one in harm],
    )
