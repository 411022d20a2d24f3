"""The section on which features matter, and how."""

from __future__ import annotations

import math

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.formatting.values import format_value
from vicinal.report.charts import bar, effect_chart, legend
from vicinal.report.parts import Effect, Importance

__all__ = ["SHOWN", "reasons_section"]

#: Features that are listed, the others being counted only.
SHOWN = 20


def reasons_section(found: Importance, target: str) -> Markup:
    """Return a table of features by their contributions, and the effects of the first of them."""
    most = max(found.sizes, default=0.0) or 1.0
    directed = any(found.directions)
    rows = []
    for at, name in enumerate(found.names[:SHOWN]):
        size = joined(bar(found.sizes[at] / most), f" {found.sizes[at]:.3g}")
        row: list[str] = [shortened(name, 32), size, _nats(found.lost[at]), _nats(found.alone[at])]
        rows.append([*row, found.directions[at]] if directed else row)
    head = ["Feature", f"Contribution ({found.unit})", "Lost without it", "Tells alone"]
    left = len(found.names) - SHOWN
    more = tag("p", f"… and {left} more that matter less.", class_="note") if left > 0 else None
    tried = f", estimated from {found.n_orders} orders of the features" if found.n_orders else ""
    said = (
        f"Contributions are Shapley values: how far each feature moves the predictions, on "
        f"average over {found.n_cases:,} cases{tried}. “Lost without it” and “tells alone” are "
        f"nats of information about {target}, by {found.n_told:,} left-out cases; a feature that "
        "others can stand in for loses little."
    )
    return joined(
        tag("p", said),
        table(
            f"What matters to {target}",
            [*head, "More of it"] if directed else head,
            rows,
            numbers=frozenset({2, 3}),
        ),
        more,
        _effects(found, target),
    )


def _nats(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return "0" if abs(value) < 0.0005 else f"{value:.3f}".replace("-", "−")


def _effects(found: Importance, target: str) -> Markup | None:
    if not found.effects:
        return None
    classes = [name for name, _ in found.effects[0].series if name]
    charts = []
    for effect in found.effects:
        label = f"Average prediction of {target} as {effect.feature} changes: " + _told(effect)
        left = "probability" if classes else f"predicted {target}"
        charts.append(tag("figure", effect_chart(effect, found.axis, label=label, left=left)))
    said = (
        "The average answer for some cases when one feature of each is set to the value below and "
        "the others stay. Combinations that never occur are asked about too: read the shape, not "
        "the last digit."
    )
    return joined(
        tag("h3", "How they matter"),
        tag("p", said),
        legend(classes) if classes else None,
        tag("div", *charts, class_="charts"),
    )


def _told(effect: Effect) -> str:
    texts = effect.texts
    said = [
        f"{name} from {format_value(values[0])} at {texts[0]} to "
        f"{format_value(values[-1])} at {texts[-1]}"
        for name, values in effect.series
        if values
    ]
    return "; ".join(said)[:400]
