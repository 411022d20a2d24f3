"""Everything that a page shows."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.parts.explanations import Example, Importance, WhatIf
from vicinal.report.parts.performance import Performance
from vicinal.report.parts.table import Anomaly, FeaturePairs, FeatureSummary, Findings


@dataclass(frozen=True)
class Report:
    """Everything that a page shows."""

    title: str
    n_cases: int
    n_features: int
    #: Share of the cells that are missing.
    missing: float
    features: tuple[FeatureSummary, ...]
    #: The most surprising ones, and how many there are.
    anomalies: tuple[Anomaly, ...]
    n_anomalies: int
    findings: tuple[Findings, ...]
    created_by: str
    target: str | None = None
    #: Without a target only.
    pairs: FeaturePairs | None = None
    #: With a target only, as those that follow.
    performance: Performance | None = None
    importance: Importance | None = None
    examples: tuple[Example, ...] = ()
    what_ifs: tuple[WhatIf, ...] = ()
