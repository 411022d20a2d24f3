"""The strongest anomalies, with the features responsible."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.values import format_value
from vicinal.plots.bars import draw_bars

_MOST = 12


def draw_anomalies(found: Any, ax: Any = None) -> Any:
    """Draw the surprise of the strongest `Anomalies` as bars; return the axes."""
    n = min(len(found), _MOST)
    conviction = np.maximum(found.conviction[:n], 1e-300)
    return draw_bars(
        [_name(found, case) for case in found.cases[:n].tolist()],
        np.abs(np.log(conviction)),
        ax,
        title=f"{len(found)} of {found.n_judged} are anomalies",
        xlabel="surprise: |ln conviction|",
        texts=[_reason(found, at) for at in range(n)],
    )


def _name(found: Any, number: int) -> str:
    return found.case_labels.text(number) if found.stored else f"row {number}"


def _reason(found: Any, at: int) -> str:
    names = ", ".join(format_value(name) for name, _ in found.features[at][:2])
    return f"{found.conviction[at]:.2g}" + f": {names}" * bool(names)
