"""Imputed cells by how certain they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.values import format_value
from vicinal.plots.bars import draw_bars
from vicinal.plots.style import DOWN, UP

_MOST = 15


def draw_imputation(found: Any, ax: Any = None) -> Any:
    """Draw the least certain cells of an `Imputation` with their limits; return the axes."""
    order = np.argsort(found.conviction, kind="stable")[:_MOST].tolist()
    conviction = np.maximum(found.conviction[order], 1e-300)
    return draw_bars(
        [
            f"row {format_value(name)}, {format_value(found.features[at])}"
            for name, at in zip(found.row_names(order), order, strict=True)
        ],
        -np.log(conviction),
        ax,
        title=f"Least certain of {len(found)} imputed cells",
        xlabel="expected error compared with the usual one: −ln conviction",
        texts=[_text(found, at) for at in order],
        colors=[DOWN if one < 1 else UP for one in conviction],
    )


def _text(found: Any, at: int) -> str:
    value = format_value(found.values[at])
    if found.classes[at]:
        return f"{value} of {{{', '.join(map(format_value, found.classes[at][:3]))}}}"
    lower, upper = (format_value(whole_seconds(end[at])) for end in (found.lower, found.upper))
    return f"{value} in [{lower}, {upper}]"
