"""The section on feature importance and partial dependence."""

from __future__ import annotations

import math
from dataclasses import replace

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.formatting.values import format_value
from vicinal.report.charts import axis_text, bar, effect_chart, legend, unmirrored
from vicinal.report.parts import LISTED, Effect, Importance


def importance_section(found: Importance, target: str) -> Markup:
    """Return the features by their contributions, and the partial dependence on the first ones."""
    most = max(found.sizes, default=0.0) or 1.0
    directed = any(found.directions)
    rows = []
    for at, name in enumerate(found.names[:LISTED]):
        size = joined(
            bar(found.sizes[at] / most), f" {format_value(float(f'{found.sizes[at]:.3g}'))}"
        )
        nats = (_nats(found.alone[at]), _nats(found.loss_if_dropped[at]))
        row: list[str] = [shortened(name, 32), size, *nats]
        rows.append([*row, found.directions[at]] if directed else row)
    head = ["Feature", f"Contribution ({found.unit})", "Alone (nats)", "Loss if dropped (nats)"]
    left = len(found.names) - LISTED
    more = tag("p", f"… and {left} less important features.", class_="note") if left > 0 else None
    head += ["Direction"] * directed
    listed = table(f"Features by their importance for {target}", head, rows, numbers=(2, 3))
    return joined(
        tag("p", _explanation(found, target, directed)),
        tag("div", tag("div", listed, more), _effects(found, target), class_="pair more"),
    )


def _explanation(found: Importance, target: str, directed: bool) -> str:
    sampled = f", estimated from {found.estimated_from}" if found.estimated_from else ""
    error = f"{found.greatest_error:.2g}"
    errors = f" (standard errors of at most {error} nats)" if found.greatest_error > 0 else ""
    text = (
        f"Contributions are Shapley values: how far each feature moves the predictions, on "
        f"average over {found.n_cases:,} cases{sampled}. “Alone” is the information about "
        f"{target} that a feature gives by itself, and “Loss if dropped” the information that is "
        f"lost without it, measured on {found.n_measured:,} held-out cases{errors}. A feature "
        "that others can replace has a small loss."
    )
    if directed:
        text += " “Direction” is how predictions change as the feature increases."
    return text


def _nats(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return "0" if abs(value) < 0.0005 else f"{value:.3f}".replace("-", "−")


def _effects(found: Importance, target: str) -> Markup | None:
    if not found.effects:
        return None
    effects = [replace(one, series=unmirrored(one.series)) for one in found.effects]
    classes = [name for name, _ in effects[0].series if name]
    charts = []
    for effect in effects:
        label = f"Average prediction of {target} as {effect.feature} changes: " + _ends(effect)
        left = axis_text(classes, target)
        charts.append(tag("figure", effect_chart(effect, found.axis, label=label, left=left)))
    text = (
        "Each chart shows the average prediction when one feature is set to the value on the axis "
        "and the other features of the cases stay as they are. Some of these combinations may "
        "never occur, so the shape matters more than the exact values."
    )
    return tag(
        "div",
        tag("h3", "Partial dependence"),
        tag("p", text),
        legend(classes) if len(classes) > 1 else None,
        tag("div", *charts, class_="charts"),
    )


def _ends(effect: Effect) -> str:
    texts = effect.texts
    ends = [
        f"{name} from {format_value(values[0])} at {texts[0]} to "
        f"{format_value(values[-1])} at {texts[-1]}"
        for name, values in effect.series
        if values
    ]
    return "; ".join(ends)[:400]
