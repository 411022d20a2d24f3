"""The quality of predictions on held-out cases, and which features matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explorer.state import State
from vicinal.explorer.values import number, numbers
from vicinal.explorer.views.schema import target_kind
from vicinal.formatting.durations import shared_unit
from vicinal.report.gather_calibration import set_coverage
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import Importance, Performance
from vicinal.report.scales import Axis

_BARS = 30
#: What the columns of `Decisions` are.
_SCORES = ["Accuracy", "Balanced accuracy", "F1", "MCC"]


def overview(state: State, target: str | None) -> dict[str, Any]:
    """Return how well a target is predicted."""
    target = state.target if target is None else target
    answer: dict[str, Any] = {
        "target": target,
        "target_kind": None,
        "sample": {"cases": state.n_cases, "of": state.n_cases},
        "performance": None,
        "importance": None,
    }
    if target is None:
        return answer
    state.target_of(target)
    held, found = state.result("overview", target)
    importance = state.computed("importance", target)
    return answer | {
        "target_kind": target_kind(state, target),
        "sample": {"cases": found.n_cases, "of": state.n_cases},
        "performance": _performance(held, found),
        "importance": None if importance is None else _importance(importance),
    }


def _performance(held: HeldOut, found: Performance) -> dict[str, Any]:
    calibration = found.calibration
    coverage = list(calibration.points) if calibration.what == "intervals" else set_coverage(held)
    return {
        "headline": found.headline,
        "n_cases": found.n_cases,
        "n_fresh": found.n_fresh,
        "predictors": list(found.predictors),
        "scores": [
            {"name": one.name, "hint": one.hint, "texts": list(one.texts)} for one in found.scores
        ],
        "calibration": {
            "what": calibration.what,
            "points": [
                {"expected": x, "observed": y, "cases": count}
                for x, y, count in calibration.points
            ],
            "error": calibration.error,
            "sentence": calibration.sentence,
        },
        "coverage": [
            {"nominal": x, "observed": number(y), "cases": count} for x, y, count in coverage
        ],
        **(_of_classes(found) if held.is_class else _of_numbers(held, found)),
    }


def _of_classes(found: Performance) -> dict[str, Any]:
    confusion, decisions = found.confusion, found.decisions
    assert confusion is not None
    names = ("label", "rate", "auc", "average_precision", "ks", "lift")
    curves = ("roc", "precision_recall", "gains")
    return {
        "confusion": {
            "labels": list(confusion.labels),
            "counts": [list(row) for row in confusion.counts],
        },
        "rankings": [
            {name: getattr(one, name) for name in names}
            | {curve: [list(point) for point in getattr(one, curve)] for curve in curves}
            for one in found.rankings
        ],
        "decisions": None
        if decisions is None
        else {
            "rare": decisions.rare,
            "rules": [{"rule": rule, "scores": list(texts)} for rule, texts in decisions.rules],
            "score_names": _SCORES + (["Recall", "Precision"] if decisions.rare else []),
            "thresholds": [list(row) for row in decisions.thresholds],
        },
        "residuals": None,
    }


def _of_numbers(held: HeldOut, found: Performance) -> dict[str, Any]:
    errors = held.predicted.values - held.target.near(held.truth, held.predicted.values)
    errors = errors[np.isfinite(errors)]
    unit, size = shared_unit(errors.tolist()) if held.feature.in_seconds else ("", 1.0)
    counts, edges = np.histogram(errors / size, bins=_BARS)
    assert found.axis is not None
    return {
        "confusion": None,
        "rankings": None,
        "decisions": None,
        "residuals": {
            "points": [numbers(point) for point in found.points],
            "axis": axis_of(found.axis),
            "histogram": {"edges": numbers(edges), "counts": [int(one) for one in counts]},
            "unit": unit,
        },
    }


def _importance(found: Importance) -> dict[str, Any]:
    rows = zip(
        found.names, found.sizes, found.loss_if_dropped, found.alone, found.directions, strict=True
    )
    return {
        "unit": found.unit,
        "n_cases": found.n_cases,
        "features": [
            {
                "feature": name,
                "size": number(size),
                "loss_if_dropped": number(dropped),
                "alone": number(alone),
                "direction": direction,
            }
            for name, size, dropped, alone, direction in rows
        ],
        "effects": [
            {
                "feature": one.feature,
                "ordered": one.ordered,
                "places": list(one.places),
                "texts": list(one.texts),
                "series": [
                    {"label": label, "values": numbers(values)} for label, values in one.series
                ],
            }
            for one in found.effects
        ],
        "axis": axis_of(found.axis),
    }


def axis_of(axis: Axis) -> dict[str, Any]:
    """Return an axis as JSON."""
    ticks = [[at, text] for at, text in axis.ticks]
    return {"low": number(axis.low), "high": number(axis.high), "ticks": ticks}
