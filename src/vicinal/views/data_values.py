"""The value of training cases: those that cause most of the errors first."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import format_seconds, shared_unit
from vicinal.formatting.sheet import Grid, Sheet, bars, left_out
from vicinal.formatting.values import format_count, format_value

_MOST = 10


def data_values_view(found: Any) -> Sheet:
    """Show `DataValues`: harm, influence and Shapley value of the most harmful cases."""
    error = (format_seconds if found.in_seconds else format_value)(found.mae)
    unit, seconds = shared_unit(found.harm.tolist()) if found.in_seconds else ("", 1.0)
    title = (
        f"Values of {format_count(len(found), 'case')} to "
        f"{format_count(found.n_rows, 'prediction')}, mean error {error}"
    )
    order = np.argsort(-found.harm, kind="stable")[:_MOST]
    columns: list[tuple[str, Any]] = [
        ("case", [found.case_labels.text(one) for one in found.cases[order].tolist()]),
        (f"harm ({unit})" if unit else "harm", bars(found.harm[order] / seconds)),
        ("influence", found.influence[order].tolist()),
    ]
    if found.shapley is not None:
        # Of numbers, they share squared errors.
        square = f" ({unit}²)" if unit else " (squared)" if found.of_numbers else ""
        columns.append((f"Shapley value{square}", (found.shapley[order] / seconds**2).tolist()))
    note = left_out(len(found) - len(order), "case")
    notes: tuple[str, ...] = ()
    if found.n_ranked is not None:
        notes = (f"Shapley values rank the nearest {found.n_ranked} cases of a row.",)
    return Sheet(title, notes, grids=(Grid("Most harmful cases", columns, note=note),))
