"""How well classes are ranked, and what other decisions would change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vicinal.formatting.html import Markup, joined, shortened, table, tag
from vicinal.formatting.values import format_percent
from vicinal.report.charts import curves, legend
from vicinal.report.parts import Decisions, Ranking


def ranking_part(found: Sequence[Ranking], target: str) -> Markup | None:
    """Return the ROC, precision–recall and gains curves, and what they amount to."""
    if not found:
        return None
    names = [one.label for one in found]
    head = ["", "Share", "AUC", "Average precision", "KS", "Lift of the first 10 %"]
    rows = [[shortened(one.label, 36), format_percent(one.rate), *_figures(one)] for one in found]
    if len(found) > 1:
        means = [np.mean([getattr(one, name) for one in found]) for name in _FIGURES]
        rows.append(["Mean", "", *(f"{one:.3f}" for one in means[:3]), f"{means[3]:.2f}"])
    what = f"{target} = {names[0]}" if len(found) == 1 else f"each {target} against all others"
    charts = [
        _figure(
            curves(
                [one.roc for one in found],
                label=f"ROC curve of {what}",
                below="false positive rate",
                left="true positive rate",
            ),
            "ROC: the dashed line is chance.",
        ),
        _figure(
            curves(
                [one.precision_recall for one in found],
                label=f"Precision and recall of {what}",
                below="recall",
                left="precision",
                diagonal=False,
            ),
            "Precision and recall: chance has the precision of the share.",
        ),
        _figure(
            curves(
                [one.gains for one in found],
                label=f"Gains of {what}",
                below="share of cases, most probable first",
                left="share of the class found",
            ),
            "Gains: the lift is the height of the curve relative to the dashed line.",
        ),
    ]
    return joined(
        tag("h3", "Ranking"),
        tag("p", f"Held-out cases are ranked by the probability of {what}."),
        table("Ranking of held-out cases", head, rows, numbers=range(1, len(head))),
        legend(names) if len(found) > 1 else None,
        tag("div", *charts, class_="charts"),
    )


_FIGURES = ("auc", "average_precision", "ks", "lift")


def _figures(one: Ranking) -> list[str]:
    return [f"{one.auc:.3f}", f"{one.average_precision:.3f}", f"{one.ks:.3f}", f"{one.lift:.2f}"]


def _figure(chart: Markup, caption: str) -> Markup:
    return tag("figure", chart, tag("figcaption", caption))


def decision_part(found: Decisions | None, target: str) -> Markup | None:
    """Return what each decision rule leads to, and for two classes each threshold."""
    if found is None:
        return None
    head = ["", "Accuracy", "Balanced accuracy", "F1", "MCC"]
    if found.rare:
        head[3] = f"F1 of {found.rare}"
        head += [f"Recall of {found.rare}", f"Precision of {found.rare}"]
    rows = [[tag("code", name) if "=" in name else name, *texts] for name, texts in found.rules]
    text = (
        "The probabilities stay the same; the rule decides which class they lead to. Rules "
        "tuned for a goal are tuned on one half of the held-out cases, and decide on the other."
    )
    return joined(
        tag("h3", "Decision rules"),
        tag("p", text),
        tag(
            "div",
            table(f"Decisions on {target}", head, rows, numbers=range(1, len(head))),
            _thresholds(found) if found.thresholds else None,
            class_="blocks",
        ),
    )


def _thresholds(found: Decisions) -> Markup:
    head = ["Threshold", "Ratio of costs", "Recall", "Precision", "Share predicted"]
    text = (
        f"Predict {found.rare} from which probability? A threshold is best where missing a case "
        "costs as many times as much as a false alarm as the ratio says, which is what a cost "
        "matrix (decision=…) asks for."
    )
    rows = [list(one) for one in found.thresholds]
    chart = curves(
        [points for _, points in found.threshold_curves],
        label=f"Recall, precision and share predicted by the threshold of {found.rare}",
        below=f"threshold of the probability of {found.rare}",
        left="share",
        diagonal=False,
    )
    return tag(
        "div",
        tag("figure", legend([name for name, _ in found.threshold_curves]), chart),
        tag(
            "details",
            tag("summary", f"Show thresholds of {found.rare}"),
            tag("p", text),
            table(f"Thresholds of {found.rare}", head, rows, numbers=range(5)),
        ),
    )
