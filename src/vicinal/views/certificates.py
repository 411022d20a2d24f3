"""Certificates: how far each row can change, and what is known to change its prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import format_seconds, is_time, whole_seconds
from vicinal.formatting.sheet import Grid, Sheet, Words, bars, left_out
from vicinal.formatting.values import format_pair, format_value

_MOST, _MOST_FEATURES = 10, 8


def certificates_view(found: Any) -> Sheet:
    """Show `Certificates`: the radius of each row, and its amounts for the first row."""
    title = f"Certificates of {len(found)} prediction{'s' * (len(found) != 1)} of {found.target}"
    which = "each change" if found.norm == "max" else "the sum of all changes"
    said = [f"Proved: a prediction stays if {which} is within its radius, in residuals."]
    n = min(len(found), _MOST)
    columns: list[tuple[str, Any]] = [
        ("row", list(found.rows[:n])),
        ("prediction", [whole_seconds(one) for one in found.predictions[:n].tolist()]),
        ("radius", bars(found.radius[:n], [_number(one) for one in found.radius[:n]])),
        ("changes at", [_flip(one) for one in found.flip[:n]]),
    ]
    if found.tolerance is not None:
        size = format_seconds if is_time(found.predictions[0]) else _number
        columns.append(("tolerance", [size(one) for one in found.tolerance[:n].tolist()]))
    if found.labels is not None:
        columns.append(("labels", [_count(one) for one in found.labels[:n]]))
        columns.append(("removals", [_span(*pair) for pair in found.removals[:n]]))
        said.append(
            "It changes if so many training outcomes are altered, or so many cases removed."
        )
    said += [
        f"No certificate for row {row}: {_sentence(reason)}"
        for row, reason in zip(found.rows[:n], found.reasons[:n], strict=False)
        if reason
    ]
    grids = [Grid("", columns, note=left_out(len(found) - n, "row"))]
    if len(found) == 1:
        grids.append(_amounts(found))
    return Sheet(title, tuple(said), tuple(grids))


def _amounts(found: Any) -> Grid:
    """Show by how much each feature of the only row may change, beside the counterexample."""
    changes = found.counterexamples[0] or {}
    names = [*found.units, *found.costs][:_MOST_FEATURES]
    within = {
        name: f"± {(format_seconds if name in found.in_seconds else _number)(float(one[0]))}"
        for name, one in found.amounts.items()
    }
    radius = found.radius[0]
    within |= {
        name: "any" if radius >= cost else f"none (costs {_number(cost)})"
        for name, cost in found.costs.items()
    }
    # Where costs add up, what one feature spends is missing to the others.
    alone = "" if found.norm == "max" else ", alone"
    columns: list[tuple[str, Any]] = [
        ("feature", names),
        (f"certified change{alone}", [Words(within[name]) for name in names]),
        ("change that alters the prediction", [_change(changes.get(name)) for name in names]),
    ]
    note = left_out(len(found.units) + len(found.costs) - len(names), "feature")
    note = note or "Features that are not listed stay as they are."
    return Grid("Changes of this row", columns, note=note)


def _sentence(reason: str) -> str:
    """Return a reason as it goes on after a colon."""
    return reason[0].lower() + reason[1:]


def _change(pair: Any) -> Words:
    if pair is None:
        return Words("")
    return Words(" → ".join(format_pair(*pair)))


def _number(value: float) -> str:
    if np.isfinite(value):
        return format_value(float(f"{value:.3g}"))
    return "none" if np.isnan(value) else "∞"


def _flip(value: float) -> str:
    return "unknown" if np.isinf(value) else _number(value)


def _count(value: float) -> str:
    return "?" if np.isnan(value) else "none" if np.isinf(value) else f"{value:.0f}"


def _span(least: float, known: float) -> str:
    if np.isinf(least):
        return "none"
    if np.isnan(known):
        return f"≥ {least:.0f}"
    return f"{least:.0f}" if least == known else f"{least:.0f}–{known:.0f}"
