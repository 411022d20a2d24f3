"""What a report says about the table: features, anomalies and data quality."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """How often values occur, as bars."""

    labels: tuple[str, ...]
    #: Cases, or their weight, in each bar.
    counts: tuple[float, ...]
    #: Whether the bars are adjacent ranges of numbers.
    ordered: bool


@dataclass(frozen=True)
class FeatureSummary:
    """One feature of the table."""

    name: str
    kind: str
    #: A short summary of its values.
    values: str
    #: Share of the cases in which it is missing.
    missing: float
    #: The expected error when it is predicted from the other features.
    residual: str
    #: Share of the error that the other features remove: 1 − residual ÷ error without them.
    explained: float | None
    distribution: Distribution


@dataclass(frozen=True)
class FeaturePairs:
    """Share of the error in each feature that each other feature removes by itself."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Anomaly:
    """A case that is unlike the others."""

    case: int
    conviction: float
    p_value: float
    #: For each feature responsible its name, its value, the surprisal it adds in nats, and the
    #: values of the nearest ordinary cases.
    reasons: tuple[tuple[str, str, float, tuple[str, ...]], ...]
    #: The nearest ordinary cases.
    ordinary: tuple[int, ...]


@dataclass(frozen=True)
class Findings:
    """What was looked for in the data, how many were found, and the strongest of them."""

    title: str
    count: int
    #: Where each is, and the evidence.
    rows: tuple[tuple[str, str], ...]
