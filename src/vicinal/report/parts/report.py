"""Everything that a page shows."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.parts.explanations import Example, Importance, WhatIf
from vicinal.report.parts.performance import Performance
from vicinal.report.parts.table import Anomaly, FeaturePairs, FeatureSummary, Findings


@dataclass(frozen=True)
class Report:
    """Everything that a page shows.

    Parameters
    ----------
    title : str
        The title of the page.
    n_cases, n_features : int
        The size of the table.
    missing : float
        Share of its cells that are missing.
    features : tuple of FeatureSummary
        In the order of the table.
    anomalies : tuple of Anomaly
        The most surprising ones.
    n_anomalies : int
        How many there are.
    findings : tuple of Findings
        One for each kind that was looked for.
    created_by : str
        What created the page.
    target : str, optional
        The feature that is predicted.
    pairs : FeaturePairs, optional
        Without a target only.
    performance, importance, examples, what_ifs
        With a target only.
    """

    title: str
    n_cases: int
    n_features: int
    missing: float
    features: tuple[FeatureSummary, ...]
    anomalies: tuple[Anomaly, ...]
    n_anomalies: int
    findings: tuple[Findings, ...]
    created_by: str
    target: str | None = None
    pairs: FeaturePairs | None = None
    performance: Performance | None = None
    importance: Importance | None = None
    examples: tuple[Example, ...] = ()
    what_ifs: tuple[WhatIf, ...] = ()
