"""What a report says about the table: features, anomalies and data quality."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """How often values occur.

    Parameters
    ----------
    labels : tuple of str
        The label of each bar.
    counts : tuple of float
        The number of cases, or their weight, in each bar.
    ordered : bool
        Whether the bars are adjacent ranges of numbers.
    """

    labels: tuple[str, ...]
    counts: tuple[float, ...]
    ordered: bool


@dataclass(frozen=True)
class FeatureSummary:
    """One feature of the table.

    Parameters
    ----------
    name, kind : str
        Its name and its kind.
    values : str
        A short summary of its values.
    missing : float
        Share of the cases in which it is missing.
    residual : str
        The expected error when it is predicted from the other features.
    explained : float or None
        Share of the error that the other features remove: 1 − residual ÷ error without them.
    distribution : Distribution
        The distribution of its values.
    """

    name: str
    kind: str
    values: str
    missing: float
    residual: str
    explained: float | None
    distribution: Distribution


@dataclass(frozen=True)
class FeaturePairs:
    """Share of the error in each feature that each other feature removes by itself."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Anomaly:
    """A case that is unlike the others.

    Parameters
    ----------
    case : int
        Its number.
    conviction, p_value : float
        How surprising it is.
    reasons : tuple of (str, str, float, tuple of str)
        For each feature responsible its name, its value, the surprisal it adds in nats, and the
        values of the nearest ordinary cases.
    ordinary : tuple of int
        The nearest ordinary cases.
    """

    case: int
    conviction: float
    p_value: float
    reasons: tuple[tuple[str, str, float, tuple[str, ...]], ...]
    ordinary: tuple[int, ...]


@dataclass(frozen=True)
class Findings:
    """Findings of one kind in the data.

    Parameters
    ----------
    title : str
        What was looked for.
    count : int
        How many there are.
    rows : tuple of (str, str)
        Where the strongest are, and the evidence.
    """

    title: str
    count: int
    rows: tuple[tuple[str, str], ...]
