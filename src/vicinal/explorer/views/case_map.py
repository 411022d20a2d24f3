"""The map of all cases, binned, so that a million of them draw at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError
from vicinal.explorer.filters import computed_column, selected
from vicinal.explorer.requests import Color, MapRequest
from vicinal.explorer.state import State
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number, numbers
from vicinal.formatting.values import format_value
from vicinal.typing import Floats, Places

#: Single cases are listed if there are at most so many.
_POINTS = 1000
#: Classes that have a color of their own; the others share one.
_CLASSES = 12


def case_map(state: State, asked: MapRequest) -> dict[str, Any]:
    """Count the cases in each cell of the map, and say what its color is."""
    layout = state.computed("map") or state.result("map")
    target = (
        None if asked.target is None and state.target is None else state.target_of(asked.target)
    )
    table = state.table
    x, y = table.aligned(layout.numbers, layout.x), table.aligned(layout.numbers, layout.y)
    low_x, high_x = _ends(asked.view.x, "x")
    low_y, high_y = _ends(asked.view.y, "y")
    inside = (x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y)
    mask = selected(state, asked.filter, target)
    places = np.flatnonzero(inside if mask is None else inside & mask)
    bins = asked.bins
    column = _bin(x[places], low_x, high_x, bins)
    row = _bin(y[places], low_y, high_y, bins)
    values, color = _colors(state, asked.color, target)
    shown = None if values is None else values[places]
    answer = {
        "view": {"x": [low_x, high_x], "y": [low_y, high_y]},
        "bins": bins,
        "total": len(places),
        "of": state.n_cases,
        "sample": {"cases": layout.n_landmarks, "of": state.n_cases},
        "color": color,
        "cells": _cells(row * bins + column, bins, shown, color),
        "points": None,
    }
    if len(places) <= _POINTS:
        points = zip(places.tolist(), x[places].tolist(), y[places].tolist(), strict=True)
        own = [None] * len(places) if shown is None else numbers(shown)
        answer["points"] = [
            {
                "case": int(table.numbers[place]),
                "name": case_name(state.fitted, int(table.numbers[place]))["name"],
                "x": at_x,
                "y": at_y,
                "value": value,
            }
            for (place, at_x, at_y), value in zip(points, own, strict=True)
        ]
    return answer


def _ends(given: tuple[float, float], axis: str) -> tuple[float, float]:
    low, high = min(given), max(given)
    if not high - low > 1e-9:
        raise ParameterError(f"The view from {low} to {high} in {axis} is empty; make it larger.")
    return low, high


def _bin(values: Floats, low: float, high: float, bins: int) -> Places:
    return np.minimum((bins * ((values - low) / (high - low))).astype(np.intp), bins - 1)


def _colors(
    state: State, color: Color, target: str | None
) -> tuple[Floats | None, dict[str, Any]]:
    """Return the value of each case, and what it means: places in `classes`, or numbers."""
    plain = {"kind": "count", "classes": None, "low": None, "high": None}
    if color.by == "count":
        return None, plain
    name = color.feature if color.by == "feature" else target if color.by == "prediction" else None
    if color.by == "feature":
        if name is None:
            raise ParameterError("color names no feature; expected one, or another value of by.")
        values = state.table.column(name)
    else:
        values = computed_column(state, color.by, target)
    fitted = state.fitted
    if name is not None and fitted.n_classes(fitted.schema.column(name)):
        return _classes(state, name, values)
    known = values[np.isfinite(values)]
    # Without the extremes, which would leave one color to all others.
    low, high = np.quantile(known, [0.01, 0.99]) if len(known) else (np.nan, np.nan)
    return values, plain | {"kind": "number", "low": number(low), "high": number(high)}


def _classes(state: State, name: str, values: Floats) -> tuple[Floats, dict[str, Any]]:
    fitted = state.fitted
    categories = fitted.schema[name].categories or ()
    known = np.where(np.isnan(values), -1, values).astype(np.intp)
    counts = np.bincount(known[known >= 0], minlength=len(categories))[: len(categories)]
    shown = np.sort(np.argsort(-counts, kind="stable")[:_CLASSES])
    places = np.full(len(categories) + 2, float(len(shown)))
    places[shown] = np.arange(len(shown))
    places[-1] = np.nan  # missing
    labels = [format_value(categories[code]) for code in shown.tolist()]
    labels += ["others"] * (len(categories) > len(shown))
    color = {"kind": "class", "classes": labels, "low": None, "high": None}
    return places[known], color


def _cells(
    cell: Places, bins: int, values: Floats | None, color: dict[str, Any]
) -> dict[str, Any]:
    counts = np.bincount(cell, minlength=bins * bins)
    held = np.flatnonzero(counts)
    found: dict[str, Any] = {
        "x": (held % bins).tolist(),
        "y": (held // bins).tolist(),
        "count": counts[held].tolist(),
        "value": None,
        "share": None,
    }
    if values is None:
        return found
    known = ~np.isnan(values)
    if color["kind"] == "class":
        most, share = _most_frequent(cell[known], values[known], counts, len(color["classes"]))
        return found | {"value": _codes(most[held]), "share": numbers(share[held])}
    sums = np.bincount(cell[known], weights=values[known], minlength=bins * bins)
    mass = np.bincount(cell[known], minlength=bins * bins)
    with np.errstate(invalid="ignore", divide="ignore"):
        return found | {"value": numbers((sums / mass)[held])}


def _most_frequent(
    cell: Places, codes: Floats, counts: NDArray[np.intp], n_classes: int
) -> tuple[Places, Floats]:
    """Return the most frequent class of each cell, −1 for none, and its share of the cell."""
    width = max(n_classes, 1)
    joint = np.bincount(cell * width + codes.astype(np.intp), minlength=len(counts) * width)
    joint = joint.reshape(len(counts), width)
    most = joint.argmax(axis=1)
    largest = joint[np.arange(len(counts)), most]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(largest > 0, most, -1), largest / counts


def _codes(codes: Places) -> list[int | None]:
    return [None if code < 0 else code for code in codes.tolist()]
