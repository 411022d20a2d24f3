"""Gather everything that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from vicinal.fitted import Fitted
from vicinal.index.memory import returning_memory
from vicinal.progress import stages
from vicinal.quality.audit import audit
from vicinal.report.gather_examples import choose_examples, gather_examples
from vicinal.report.gather_importance import gather_importance
from vicinal.report.gather_performance import gather_performance
from vicinal.report.gather_table import (
    gather_anomalies,
    gather_findings,
    gather_ignored,
    gather_pairs,
    summarize_feature,
)
from vicinal.report.gather_what_ifs import gather_what_ifs
from vicinal.report.held_out import hold_out
from vicinal.report.parts import Report

_CREATED_BY = (
    "Created with vicinal {}. This page is a single file that loads nothing and sends nothing. It "
    "contains values from the table, so share it as you would share the table."
)


def gather_report(
    fitted: Fitted,
    target: str | None = None,
    title: str | None = None,
    max_cases: int | str | None = "auto",
) -> Report:
    """Answer the questions of a report; without a target it is about the table alone."""
    with stages(2 if target is None else 7, what="writing a report") as stage:
        begin = returning_memory(stage, fitted.index)
        begin()
        features = tuple(summarize_feature(fitted, name) for name in fitted.schema.names)
        anomalies, n_anomalies, n_judged = gather_anomalies(fitted, max_cases)
        of_target = {} if target is None else _gather_target(fitted, target, begin)
        begin()
        audited = audit(fitted, target, max_cases=max_cases)
    return Report(
        title=title or (f"Report on {target}" if target is not None else "Report on a table"),
        n_cases=len(fitted.index),
        n_features=len(features),
        missing=sum(one.missing for one in features) / len(features),
        features=features,
        anomalies=anomalies,
        n_anomalies=n_anomalies,
        n_judged=n_judged,
        findings=gather_findings(audited),
        created_by=_CREATED_BY.format(version("vicinal")),
        target=target,
        ignored=gather_ignored(fitted),
        notes=fitted.schema.notes,
        n_audited=audited.n_cases,
        pairs=gather_pairs(fitted) if target is None else None,
        **of_target,
    )


def _gather_target(fitted: Fitted, target: str, begin: Callable[[], None]) -> dict[str, Any]:
    """What a report says about predictions, by the fields of `Report`; five stages."""
    begin()
    held = hold_out(fitted, target)
    begin()
    importance = gather_importance(held)
    begin()
    performance = gather_performance(held)
    begin()
    chosen = choose_examples(held)
    examples = gather_examples(held, chosen)
    begin()
    what_ifs = gather_what_ifs(held, list(chosen), importance.names)
    return {
        "performance": performance,
        "importance": importance,
        "examples": examples,
        "what_ifs": what_ifs,
    }
