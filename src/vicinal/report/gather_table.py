"""What a report says about the table itself: its features, anomalies and data quality."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vicinal.case_sample import MOST_CHECKED, checked_cases
from vicinal.conviction.anomalies import anomalies
from vicinal.explain.information_matrix import information_matrix
from vicinal.fitted import Fitted
from vicinal.formatting.values import format_value
from vicinal.quality.audit import KINDS, Audit
from vicinal.quality.findings import Finding
from vicinal.report.parts import (
    Anomaly,
    Distribution,
    FeaturePairs,
    FeatureSummary,
    Findings,
)
from vicinal.report.value_texts import amount_text, value_texts
from vicinal.schema.decode import decode_numbers
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.typing import Arrays

#: Bars of a distribution of categories, and bins of one of numbers, at most.
_BARS, _BINS = 12, 18
#: Anomalies, and findings of a kind, that are shown.
_MOST_ANOMALIES, _MOST_FINDINGS = 8, 10
#: Why a column is no feature, by its role.
_WHY = {
    "identifier": "identifier: it names rows rather than describing them",
    "text": "free text: nearly every value is different",
    "number": "numbers written as text: a feature once they are numbers, such as 1234.5",
    "mixed": "numbers beside text: a feature once the text is declared missing (missing_values)",
    "date": "dates written as text: a feature once they are dates, such as 2024-01-31",
    "other": "left out as asked (ignore)",
}
#: Features that are compared in pairs, at most.
_MOST_PAIRED = 16


def summarize_feature(fitted: Fitted, name: str) -> FeatureSummary:
    """Summarize one feature of the stored cases."""
    column = fitted.schema.column(name)
    feature = fitted.schema.storage[column]
    found = fitted.distribution(column)
    known = int(found["counts"].sum())
    total = known + int(found["missing"])
    residual = float(fitted.residuals[column])
    before = float(fitted.residual_history[0][column])
    compared = np.isfinite(residual) and before > 0
    return FeatureSummary(
        name=name,
        kind=str(feature.kind),
        values=_values_text(fitted, feature, column, found),
        missing=1 - known / total if total else 0.0,
        residual=_residual_text(feature, residual),
        explained=1 - residual / before if compared else None,
        distribution=_distribution(fitted, feature, column, found),
    )


def gather_ignored(fitted: Fitted) -> tuple[tuple[str, str], ...]:
    """Return the columns that are no features, and why."""
    own = fitted.labels.column
    named = () if own is None else ((own, "names the cases"),)
    return (*named, *((one.name, _WHY[one.role]) for one in fitted.schema.ignored))


def gather_anomalies(
    fitted: Fitted, max_cases: int | str | None = "auto"
) -> tuple[tuple[Anomaly, ...], int, int]:
    """Return the most surprising cases with their reasons, how many there are, and of how many.

    All cases are judged unless they are too many: then those that an audit checks.
    """
    few = len(fitted.index) <= min(fitted.index.at_once, MOST_CHECKED)
    found = anomalies(fitted, None if few else checked_cases(fitted, max_cases))
    listed = []
    for at in range(min(len(found), _MOST_ANOMALIES)):
        case = int(found.cases[at])
        near = [int(one) for one in found.ordinary[at] if one >= 0][:4]
        values = fitted.index.rows([case, *near])
        reasons = []
        for name, nats in found.features[at][:4]:
            column = fitted.schema.column(name)
            own, *others = value_texts(fitted, values[:, column], column)
            reasons.append((name, own, float(nats), tuple(others)))
        conviction, p_value = float(found.conviction[at]), float(found.p_value[at])
        name, *names = map(fitted.labels.text, [case, *near])
        listed.append(
            Anomaly(case, conviction, p_value, tuple(reasons), tuple(near), name, tuple(names))
        )
    return tuple(listed), len(found), found.n_judged


def gather_findings(audit: Audit) -> tuple[Findings, ...]:
    """Return what an audit found, but for anomalies, which have a section of their own."""
    return tuple(_findings(audit, kind) for kind in audit.looked_for if kind != "unusual")


def _findings(audit: Audit, kind: str) -> Findings:
    found = audit.of(kind)
    rows = tuple((_where(one), one.evidence) for one in found[:_MOST_FINDINGS])
    return Findings(KINDS[kind], len(found), rows)


def _where(one: Finding) -> str:
    if one.case is None:
        return str(one.feature)
    return f"case #{one.name}" if isinstance(one.name, int) else f"case {format_value(one.name)}"


def gather_pairs(fitted: Fitted) -> FeaturePairs | None:
    """Return how well each feature is predicted from each other one alone; not of wide tables."""
    if not 2 <= len(fitted.schema) <= _MOST_PAIRED:
        return None
    found = information_matrix(fitted)
    return FeaturePairs(found.names, tuple(tuple(row) for row in found.explained.tolist()))


def _values_text(fitted: Fitted, feature: Feature, column: int, found: Arrays) -> str:
    distinct, reached = found["values"], np.cumsum(found["counts"])
    if not len(distinct):
        return "none"
    if feature.kind is Kind.NOMINAL:
        some = ", ".join(value_texts(fitted, distinct[:3], column))
        return f"{len(distinct)}: {some}" + ", …" * (len(distinct) > 3)
    if feature.kind is Kind.CYCLIC:  # which has no middle, and may begin anywhere
        first, last = np.sort(decode_numbers(distinct, feature))[[0, -1]]
        return " to ".join(value_texts(fitted, np.array([first, last]), column))
    middle = distinct[np.searchsorted(reached, (reached[-1] - 1) // 2, side="right")]
    ends = np.array([distinct[0], middle, distinct[-1]])
    low, half, high = value_texts(fitted, ends, column)
    return low if low == high else f"{low} to {high}, median {half}"


def _residual_text(feature: Feature, residual: float) -> str:
    if not np.isfinite(residual):
        return "–"
    if feature.kind is Kind.NOMINAL:
        return f"{100 * residual:.1f} % error"
    ranks = " ranks" if feature.kind is Kind.ORDINAL else ""
    return f"± {amount_text(feature, residual)}{ranks}"


def _distribution(fitted: Fitted, feature: Feature, column: int, found: Arrays) -> Distribution:
    distinct, mass = found["values"], found["mass"]
    nominal = feature.kind is Kind.NOMINAL
    if nominal and len(distinct) > _BARS:
        order = np.argsort(-mass, kind="stable")[: _BARS - 1]
        labels = [*value_texts(fitted, distinct[order], column), "others"]
        counts = [*mass[order].tolist(), float(mass.sum() - mass[order].sum())]
        return Distribution(tuple(labels), tuple(counts), ordered=False)
    span = float(distinct[-1] - distinct[0]) if len(distinct) else 0.0
    if nominal or len(distinct) <= _BARS or not np.isfinite(span):
        some = distinct if nominal else distinct[:_BINS]
        labels = value_texts(fitted, some, column)
        return Distribution(tuple(labels), tuple(mass[: len(some)].tolist()), ordered=False)
    # By the share of the range, so that no edge is lost to rounding in large numbers.
    bins = np.minimum((_BINS * ((distinct - distinct[0]) / span)).astype(np.intp), _BINS - 1)
    heights = np.bincount(bins, weights=mass, minlength=_BINS)
    edges = value_texts(fitted, distinct[0] + span * np.arange(_BINS + 1) / _BINS, column)
    labels = [f"{low} to {high}" for low, high in pairwise(edges)]
    return Distribution(tuple(labels), tuple(heights.tolist()), ordered=True)
