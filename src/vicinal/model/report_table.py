"""What a report says of the table itself: its features, its anomalies, its likely errors."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from vicinal.formatting.values import format_value
from vicinal.quality.audit import KINDS
from vicinal.report.parts import Anomaly, Distribution, Doubts, FeatureSummary, Pairs
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Feature
from vicinal.typing import Floats

if TYPE_CHECKING:
    from vicinal.model.reporting import Reporting
    from vicinal.quality.audit import Audit

__all__ = [
    "amount_text",
    "find_anomalies",
    "find_doubts",
    "find_pairs",
    "stored_texts",
    "summarise",
]

#: Bars of a distribution, at most.
_BARS = 12
_BINS = 18
#: Anomalies, and findings of a kind, that are shown.
_MOST_ANOMALIES, _MOST_FINDINGS = 8, 10
#: Features that are compared in pairs, at most.
_MOST_PAIRED = 16


def summarise(model: Reporting, name: str) -> FeatureSummary:
    """Sum up one feature of the stored cases."""
    feature, column = model.schema_[name], model.schema_.column(name)
    values = model.index_.column(column)
    there = ~np.isnan(values)
    weights = model.index_.weights
    mass = (np.ones(len(values)) if weights is None else weights)[there]
    residual, before = model.residuals_[name], model.residual_history_[0][name]
    known = np.isfinite(residual) and before > 0
    return FeatureSummary(
        name=name,
        kind=str(feature.kind),
        values=_values_text(model, feature, column, values[there]),
        missing=float(1 - there.mean()) if len(values) else 0.0,
        residual=_residual_text(feature, residual),
        followed=float(1 - residual / before) if known else None,
        distribution=_distribution(model, feature, column, values[there], mass),
    )


def stored_texts(model: Reporting, values: Floats, column: int) -> list[str]:
    """Encoded values of cases as short text."""
    return [_moment(format_value(one)) for one in model._values(values, column)]


def amount_text(feature: Feature, amount: float) -> str:
    """Return a difference of two values as text, of times with a unit that fits."""
    if feature.family not in ("instant", "duration", "time of day") or not np.isfinite(amount):
        return format_value(float(amount))
    for unit, seconds in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if abs(amount) >= seconds:
            return f"{amount / seconds:.3g} {unit}"
    return f"{amount:.3g} s"


def find_anomalies(model: Reporting) -> tuple[tuple[Anomaly, ...], int]:
    """The most surprising cases with their reasons, and how many anomalies there are."""
    found = model.anomalies()
    listed = []
    for at in range(min(len(found), _MOST_ANOMALIES)):
        case = int(found.cases[at])
        near = [int(one) for one in found.ordinary[at] if one >= 0][:4]
        values = model.index_.case_values([case, *near])
        reasons = []
        for name, nats in found.features[at][:4]:
            column = model.schema_.column(name)
            own, *others = stored_texts(model, values[:, column], column)
            reasons.append((name, own, float(nats), tuple(others)))
        conviction, p_value = float(found.conviction[at]), float(found.p_value[at])
        listed.append(Anomaly(case, conviction, p_value, tuple(reasons), tuple(near)))
    return tuple(listed), len(found)


def find_doubts(audit: Audit) -> tuple[Doubts, ...]:
    """What an audit found, but for unusual cases, which have a section of their own."""
    doubts = []
    for kind in audit.looked_for:
        if kind != "unusual":
            found = audit.of(kind)
            rows = tuple(
                (f"case #{one.case}" if one.case is not None else str(one.feature), one.evidence)
                for one in found[:_MOST_FINDINGS]
            )
            doubts.append(Doubts(KINDS[kind], len(found), rows))
    return tuple(doubts)


def find_pairs(model: Reporting) -> Pairs | None:
    """How well each feature is predicted from each other one alone; not of wide tables."""
    if not 2 <= len(model.schema_) <= _MOST_PAIRED:
        return None
    found = model.information_matrix()
    return Pairs(found.names, tuple(tuple(row) for row in found.explained.tolist()))


def _values_text(model: Reporting, feature: Feature, column: int, values: Floats) -> str:
    distinct = np.unique(values)
    if not len(values):
        return "none"
    if feature.kind is Kind.NOMINAL:
        some = ", ".join(stored_texts(model, distinct[:3], column))
        return f"{len(distinct)}: {some}" + ", …" * (len(distinct) > 3)
    middle = np.sort(values)[(len(values) - 1) // 2]
    low, half, high = stored_texts(model, np.array([distinct[0], middle, distinct[-1]]), column)
    return low if low == high else f"{low} to {high}, median {half}"


def _residual_text(feature: Feature, residual: float) -> str:
    if not np.isfinite(residual):
        return "–"
    if feature.kind is Kind.NOMINAL:
        return f"{100 * residual:.1f} % missed"
    ranks = " ranks" if feature.kind is Kind.ORDINAL else ""
    return f"± {amount_text(feature, residual)}{ranks}"


def _distribution(
    model: Reporting, feature: Feature, column: int, values: Floats, mass: Floats
) -> Distribution:
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=mass, minlength=len(distinct))
    nominal = feature.kind is Kind.NOMINAL
    if nominal and len(distinct) > _BARS:
        order = np.argsort(-counts, kind="stable")[: _BARS - 1]
        labels = [*stored_texts(model, distinct[order], column), "others"]
        shown_counts = [*counts[order].tolist(), float(counts.sum() - counts[order].sum())]
        return Distribution(tuple(labels), tuple(shown_counts), ordered=False)
    span = float(distinct[-1] - distinct[0]) if len(distinct) else 0.0
    if nominal or len(distinct) <= _BARS or not np.isfinite(span):
        some = distinct if nominal else distinct[:_BINS]
        labels = stored_texts(model, some, column)
        return Distribution(tuple(labels), tuple(counts[: len(some)].tolist()), ordered=False)
    # Of a share of the range, so that no edge is lost to rounding on large numbers.
    bins = np.minimum((_BINS * ((distinct - distinct[0]) / span)).astype(np.intp), _BINS - 1)
    heights = np.bincount(bins, weights=counts, minlength=_BINS)
    edges = stored_texts(model, distinct[0] + span * np.arange(_BINS + 1) / _BINS, column)
    labels = [f"{low} to {high}" for low, high in pairwise(edges)]
    return Distribution(tuple(labels), tuple(heights.tolist()), ordered=True)


def _moment(text: str) -> str:
    """Text of a time without an hour that says nothing."""
    return text.removesuffix(" 00:00:00")
