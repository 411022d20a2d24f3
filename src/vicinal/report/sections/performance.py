"""The sections on predictive performance and on calibration."""

from __future__ import annotations

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.report.charts import calibration_chart, scatter
from vicinal.report.parts import ConfusionMatrix, Performance
from vicinal.report.sections.overview import shaded_table
from vicinal.report.sections.ranking import decision_part, ranking_part


def performance_section(found: Performance, target: str) -> Markup:
    """Return scores beside baselines, and true values beside predicted ones."""
    used = found.n_cases - found.n_fresh
    count = "None" if not used else "All" if not found.n_fresh else f"{used:,}"
    how = (
        f"{found.n_cases:,} cases were held out, one at a time, and their {target} was predicted "
        f"from all the others (leave-one-out). {count} of them were also used to tune the model. "
        "The baselines use no features, but know all the outcomes."
    )
    names = [tag("b", found.predictors[0]), *(shortened(one, 36) for one in found.predictors[1:])]
    rows = [[name, *(score.texts[at] for score in found.scores)] for at, name in enumerate(names)]
    head = ["", *(joined(one.name, tag("span", one.hint, class_="hint")) for one in found.scores)]
    return joined(
        tag("p", found.headline, class_="lead"),
        tag(
            "div",
            tag(
                "div",
                table("Scores on held-out cases", head, rows, numbers=range(1, len(head))),
                tag("p", how, class_="note"),
            ),
            _chart(found, target),
            class_="blocks",
        ),
        ranking_part(found.rankings, target),
        decision_part(found.decisions, target),
    )


def calibration_section(found: Performance, target: str) -> Markup:
    """Return expected shares beside observed ones."""
    classes = found.calibration.what == "classes"
    text = (
        "Cases are grouped by the probability of their predicted class. In a well-calibrated "
        "model, the share of correct predictions in each group equals that probability."
        if classes
        else "The chart compares the nominal coverage of prediction intervals with the share of "
        "cases whose true value they contain. The intervals of each half of the cases are "
        "calibrated on the other half."
    )
    chart = calibration_chart(
        found.calibration,
        label=f"Calibration of {target}: expected and observed shares",
        below="predicted probability" if classes else "nominal coverage",
        left="share of correct predictions" if classes else "observed coverage",
    )
    return joined(
        tag("p", found.calibration.sentence, class_="lead"),
        tag("p", text),
        tag(
            "div",
            tag(
                "figure", chart, tag("figcaption", "Perfect calibration lies on the dashed line.")
            ),
            _shares(found),
            class_="blocks",
        ),
    )


def _shares(found: Performance) -> Markup:
    rows = [
        [f"{100 * x:.0f} %", f"{100 * y:.1f} %", f"{count:,.0f}"]
        for x, y, count in found.calibration.points
    ]
    head = ["Expected", "Observed", "Cases"]
    return table("Expected and observed shares", head, rows, numbers=(0, 1, 2))


def _chart(found: Performance, target: str) -> Markup | None:
    if found.confusion is not None:
        return _confusion(found.confusion, target)
    if found.axis is None:
        return None
    label = f"True and predicted {target} of {len(found.points)} cases"
    chart = scatter(
        found.points, found.axis, label=label, below=f"true {target}", left=f"predicted {target}"
    )
    return tag("figure", chart, tag("figcaption", "Exact predictions lie on the dashed line."))


def _confusion(found: ConfusionMatrix, target: str) -> Markup:
    rows = []
    for name, counts in zip(found.labels, found.counts, strict=True):
        total = sum(counts)
        shares = [count / total if total else float("nan") for count in counts]
        rows.append((f"{name} ({total:,.0f})", shares))
    caption = f"Share of each true {target} (rows) predicted as each class (columns)"
    return shaded_table(caption, "true \\ predicted", found.labels, rows)
