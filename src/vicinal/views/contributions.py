"""Contributions of features, beside the features' values."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import shared_unit, time_texts
from vicinal.formatting.sheet import Bar, Grid, Sheet, Words, bars, left_out
from vicinal.formatting.values import format_count, format_error, format_signed, format_value
from vicinal.views.neighbors import query_name

_MOST_OPEN, _MOST_ROWS, _MOST_FEATURES = 2, 10, 12


def contributions_view(found: Any) -> Sheet:
    """Show `Contributions`: for each row, its features and what they contribute."""
    m = len(found)
    grids = [_row_grid(found, at) for at in range(min(m, _MOST_ROWS))]
    rest = left_out(m - _MOST_OPEN, "row")
    if rest:
        grids.insert(_MOST_OPEN, Grid("", [], note=rest))
    return Sheet(f"Contributions to {format_count(m, 'prediction')}", grids=tuple(grids))


def overall_view(found: Any) -> Sheet:
    """Show `OverallContributions`: the features that matter most first."""
    title = f"Overall contributions of {format_count(len(found), 'feature')}"
    order = found.order[:_MOST_FEATURES]
    classes = () if found.classes is None else found.classes
    # Of two classes, what raises the probability of one lowers the other's by as much.
    single = len(classes) <= 2
    places = [len(classes) - 1 if classes else 0] if single else range(len(classes))
    size, way = (
        np.asarray(values).reshape(len(found), -1)[order]
        for values in (found.size, found.direction)
    )
    columns: list[tuple[str, Any]] = [("feature", [found.names[i] for i in order])]
    unit = ""
    if found.of_times:
        unit, seconds = shared_unit(size.ravel().tolist())
        unit, size = f", in {unit}", size / seconds
    for place in places:
        name = "mean size" if single else format_value(classes[place])
        columns.append((name, bars(size[:, place])))
        if single and not np.isnan(way[:, place]).all():
            texts = [
                Words("") if np.isnan(one) else f"{one:+.2f}".replace("-", "−")
                for one in way[:, place]
            ]
            columns.append(("direction", texts))
    what = "the prediction"
    if classes:
        what = f"the probability of {_class(found, places[0]) if single else 'each class'}"
    said = f"Mean size: how far a feature moves {what}{unit}."
    if columns[-1][0] == "direction":
        said += " Direction: +1 if larger values raise it, −1 if they lower it."
    note = left_out(len(found) - len(order), "feature")
    return Sheet(title, (said,), grids=(Grid("", columns, note=note),) if len(order) else ())


def _row_grid(found: Any, row: int) -> Grid:
    values, errors = found.values[row], found.standard_errors[row]
    baseline, prediction, of = found.baseline, found.predictions[row], ""
    if found.classes is not None:
        top = int(found.predictions[row].argmax())
        values, errors, prediction = values[:, top], errors[:, top], prediction[top]
        baseline, of = np.asarray(baseline)[top], f" (probability of {_class(found, top)})"
    start, end = format_value(float(baseline)), format_value(float(prediction))
    if found.times is not None:
        start, end = time_texts(found.times[row], float(baseline) - float(prediction))
        unit, seconds = shared_unit(values.tolist())
        values, errors, of = values / seconds, errors / seconds, f" (contributions in {unit})"
    caption = f"{query_name(found, row, found.places)}: from {start} to {end}{of}"
    given = found.row_values[row] if row < len(found.row_values) else None
    return feature_grid(
        caption, found.names, values, errors, given=given, detail=row >= _MOST_OPEN
    )


def feature_grid(
    caption: str,
    names: tuple[str, ...],
    values: Any,
    errors: Any,
    *,
    given: Any = None,
    detail: bool = False,
) -> Grid:
    """Return a table of features: their values and contributions, largest first."""
    order = np.argsort(-np.abs(values), kind="stable")
    shown, rest = order[:_MOST_FEATURES], order[_MOST_FEATURES:]
    columns: list[tuple[str, Any]] = [("feature", [names[i] for i in shown])]
    if given is not None:
        columns.append(("value", [given[names[i]] for i in shown]))
    columns.append(("contribution", _with_errors(values[shown], errors[shown])))
    scale = float(np.abs(values).max(initial=0.0))
    together = format_signed(float(values[rest].sum()), scale)
    note = f"{left_out(len(rest), 'feature')}: {together}" if len(rest) else ""
    return Grid(caption, columns, note=note, detail=detail)


def _with_errors(values: Any, errors: Any) -> list[Bar]:
    made = bars(
        values, [format_signed(float(v), float(np.abs(values).max(initial=0.0))) for v in values]
    )
    return [
        Bar(f"{bar.text} ± {format_error(error)}", bar.share) if error > 0 else bar
        for bar, error in zip(made, errors, strict=True)
    ]


def _class(found: Any, place: int) -> str:
    return format_value(found.classes[place])
