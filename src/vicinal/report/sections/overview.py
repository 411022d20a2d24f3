"""The overview of the data."""

from __future__ import annotations

import math

from vicinal.formatting.html import Markup, joined, scrolling_table, shortened, table, tag
from vicinal.formatting.values import format_percent
from vicinal.report.charts import bar, histogram
from vicinal.report.parts import FeaturePairs, FeatureSummary, Report
from vicinal.schema.roles import HOW_TO_USE

#: Features that are shown; a table may have thousands.
_MOST_FEATURES = 200
_SHADES = 10


def overview_section(report: Report) -> Markup:
    """Return one row for each feature, and without a target how well they predict each other."""
    shown = report.features[:_MOST_FEATURES]
    head = ["Feature", "Kind", "Distribution", "Values", "Missing", "Residual", "Explained"]
    rows = [_row(one, one.name == report.target) for one in shown]
    left = len(report.features) - len(shown)
    more = tag("p", f"… and {left} more features.", class_="note") if left > 0 else None
    text = (
        "The residual of a feature is its expected error when it is predicted from all the other "
        "features, leave-one-out. “Explained” is the share of the error that the other features "
        "remove."
    )
    features = table("Features", head, rows, numbers=(4, 5))
    return joined(
        tag("p", text),
        features,
        more,
        _listed("Columns that are not features", "Column", report.ignored, HOW_TO_USE),
        _listed("Features to look at", "Feature", report.notes, None),
        _pairs(report.pairs),
    )


def _listed(
    title: str, what: str, found: tuple[tuple[str, str], ...], note: str | None
) -> Markup | None:
    """Return columns with the reason why each is listed, if there are any."""
    if not found:
        return None
    rows: list[list[str]] = [
        [shortened(name, 28), tag("span", why, class_="words")]
        for name, why in found[:_MOST_FEATURES]
    ]
    left = len(found) - len(rows)
    return joined(
        table(title, [what, "Why"], rows),
        tag("p", f"… and {left} more.", class_="note") if left > 0 else None,
        tag("p", note, class_="note") if note else None,
    )


def shaded_table(
    caption: str, corner: str, names: tuple[str, ...], rows: list[tuple[str, list[float]]]
) -> Markup:
    """Return a table of shares from 0 to 1, the larger the darker; NaN is left empty."""
    body = (
        tag("tr", tag("th", shortened(name, 24), scope="row"), *map(_shade, values))
        for name, values in rows
    )
    head = [tag("th", corner, scope="col")]
    head += [tag("th", shortened(name, 14), scope="col", class_="n") for name in names]
    return scrolling_table(caption, head, body, class_="shaded")


def _shade(value: float) -> Markup:
    if math.isnan(value):
        return tag("td", class_="n")
    depth = round(_SHADES * min(max(value, 0.0), 1.0))
    return tag("td", f"{100 * max(value, 0.0):.0f} %", class_=f"n h{depth}")


def _row(one: FeatureSummary, target: bool) -> list[str]:
    name = shortened(one.name, 28)
    marked = joined(name, " ", tag("span", "target", class_="badge")) if target else name
    labels, counts = one.distribution.labels, one.distribution.counts
    bars = ", ".join(
        f"{text} {format_percent(count / sum(counts))}"
        for text, count in zip(labels[:6], counts[:6], strict=True)
        if sum(counts)
    )
    explained: str = ""
    if one.explained is not None:
        share = min(max(one.explained, 0.0), 1.0)
        explained = joined(bar(share), f" {100 * share:.0f} %")
    return [
        marked,
        one.kind,
        histogram(one.distribution, f"Distribution of {one.name}: {bars}"[:400]),
        shortened(one.values, 44),
        format_percent(one.missing) if one.missing else "–",
        one.residual,
        explained,
    ]


def _pairs(pairs: FeaturePairs | None) -> Markup | None:
    if pairs is None:
        return None
    rows = [(name, list(values)) for name, values in zip(pairs.names, pairs.values, strict=True)]
    note = (
        "The share of the error in each feature (row) that each other feature (column) removes by "
        "itself."
    )
    return joined(
        tag("h3", "How well features predict each other"),
        tag("p", note),
        shaded_table("Error explained by single features", "", pairs.names, rows),
    )
