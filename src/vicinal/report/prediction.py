"""The sections on how well the target is predicted, and on how sure the model may be of it."""

from __future__ import annotations

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.report.charts import calibration_chart, scatter
from vicinal.report.overview import shaded_table
from vicinal.report.parts import Confusion, Prediction

__all__ = ["calibration_section", "prediction_section"]


def prediction_section(found: Prediction, target: str) -> Markup:
    """Return scores beside baselines, and what was taken for what."""
    fresh = (
        "None of them played a part in learning it"
        if found.n_fresh == found.n_cases
        else "All of them also helped to choose the settings"
        if found.n_fresh == 0
        else f"{found.n_cases - found.n_fresh:,} of them also helped to choose the settings"
    )
    how = (
        f"{found.n_cases:,} cases were left out, one at a time, and their {target} was predicted "
        f"from the others. {fresh}. The baselines know no features, but see all the outcomes."
    )
    rows = [
        [
            shortened(name, 36) if at else tag("b", name),
            *(score.texts[at] for score in found.scores),
        ]
        for at, name in enumerate(found.predictors)
    ]
    head = ["", *(f"{score.name} ({score.hint})" for score in found.scores)]
    right = frozenset(range(1, len(head)))
    return joined(
        tag("p", found.headline, class_="lead"),
        table("Scores of left-out cases", head, rows, numbers=right),
        tag("p", how, class_="note"),
        _pictures(found, target),
    )


def calibration_section(found: Prediction, target: str) -> Markup:
    """Return what was promised beside what came true."""
    classes = found.calibration.what == "classes"
    said = (
        "Cases are grouped by the probability that their predicted class was given; in a model "
        "that is as sure as it should be, that share of each group is right."
        if classes
        else "Intervals of several sizes, and the share of cases whose true value they hold. "
        "Each half of the cases is judged by the errors of the other half."
    )
    chart = calibration_chart(
        found.calibration,
        label=f"Calibration of {target}: promised against observed shares",
        below="probability given" if classes else "share promised",
        left="share that was right" if classes else "share that was held",
    )
    return joined(
        tag("p", found.calibration.sentence, class_="lead"),
        tag("p", said),
        tag("figure", chart, tag("figcaption", "On the dashed line, promises are kept exactly.")),
        tag("details", tag("summary", "The same as a table"), _promises(found)),
    )


def _promises(found: Prediction) -> Markup:
    rows = [
        [f"{100 * x:.0f} %", f"{100 * y:.1f} %", f"{count:,.0f}"]
        for x, y, count in found.calibration.points
    ]
    head = ["Promised", "Observed", "Cases"]
    return table("Promised and observed shares", head, rows, numbers=frozenset({0, 1, 2}))


def _pictures(found: Prediction, target: str) -> Markup | None:
    if found.confusion is not None:
        return _confusion(found.confusion, target)
    if found.axis is None:
        return None
    label = f"True and predicted {target} of {len(found.points)} cases"
    chart = scatter(
        found.points, found.axis, label=label, below=f"true {target}", left=f"predicted {target}"
    )
    return tag("figure", chart, tag("figcaption", "On the dashed line, predictions are exact."))


def _confusion(found: Confusion, target: str) -> Markup:
    rows = []
    for name, counts in zip(found.labels, found.counts, strict=True):
        total = sum(counts)
        rows.append(
            (
                f"{name} ({total:,.0f})",
                [count / total if total else float("nan") for count in counts],
            )
        )
    caption = f"Of each true {target} (rows), the share predicted as each (columns)"
    return shaded_table(caption, "true \\ predicted", found.labels, rows)
