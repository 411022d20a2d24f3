"""Synthetic rows: the first of them, each with the closest training case."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.sheet import Grid, Sheet, left_out
from vicinal.formatting.values import format_count

_MOST = 8


def synthesis_view(found: Any) -> Sheet:
    """Show `Synthetic`: rows, and how close each is to a training case."""
    n = len(found)
    if not n:
        return Sheet("Synthetic: no rows")
    shown = min(n, _MOST)
    columns: list[tuple[str, Any]] = [("row", [str(at) for at in range(shown)])]
    columns += [(name, values[:shown]) for name, values in found.columns.items()]
    columns += [
        ("closest case", [found.case_labels.text(one) for one in found.nearest[:shown]]),
        ("distance", found.distances[:shown].tolist()),
    ]
    said = (
        f"The closest real case is at a distance of {found.distances.min():.4g} to "
        f"{found.distances.max():.4g} nats; a copy is at 1.5."
    )
    privacy = (
        "Privacy ratio unknown, since all real cases are equal."
        if np.isnan(found.privacy_ratio)
        else f"Privacy ratio {found.privacy_ratio:.2f}: 1 is as far from real cases as a held-out "
        "one."
    )
    notes = [said, privacy]
    if found.n_centers is not None:
        notes.append(f"The rows were sampled around {found.n_centers} of the cases.")
    note = left_out(n - shown, "row")
    return Sheet(
        f"Synthetic: {format_count(n, 'row')}", tuple(notes), (Grid("", columns, note=note),)
    )
