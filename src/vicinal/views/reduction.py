"""A reduction: its loss, and the cases that represent most others."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.sheet import Grid, Sheet, bars, left_out
from vicinal.formatting.values import format_count

_MOST = 8


def reduction_view(found: Any) -> Sheet:
    """Show a `Reduction`: the loss before and after, and the heaviest cases."""
    title = f"Reduction of {format_count(len(found.representative), 'case')} to {len(found)}"
    said = f"{found.what}: {found.loss_before:.4g} → {found.loss_after:.4g}."
    if np.isnan(found.loss_after):
        said = f"{found.what}: unknown, since there are too few cases to hold some out."
    order = np.argsort(-found.weights, kind="stable")[:_MOST]
    columns: list[tuple[str, Any]] = [
        ("case", [found.case_labels.text(one) for one in found.cases[order]]),
        ("weight", bars(found.weights[order])),
    ]
    note = left_out(len(found) - len(order), "case")
    notes = (f"{said[:1].upper()}{said[1:]}",)
    return Sheet(title, notes, (Grid("", columns, note=note),) if len(order) else ())
