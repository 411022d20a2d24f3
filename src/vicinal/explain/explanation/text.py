"""An explanation as text for a terminal, 90 characters wide at most."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.explain.explanation.amounts import MOST_DIGITS, error_texts, from_to, in_unit
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.text_table import aligned_lines, column_widths, text_width
from vicinal.formatting.values import (
    format_apart,
    format_count,
    format_error,
    format_pair,
    format_percent,
    format_signed,
    format_value,
    plain_value,
)

if TYPE_CHECKING:
    from vicinal.explain.explanation.parts import FeatureShares, NearCases, RowConviction
    from vicinal.explain.explanation.result import Explanation

#: Maximum number of cases and features shown one by one; the others are summed up.
MOST_CASES = 5
MOST_FEATURES = 10
#: Classes of a prediction set that are named.
MOST_CLASSES = 10
_WIDEST = 90
_BAR = 24


def text_of(one: Explanation) -> str:
    """Return an explanation as text: the prediction first, then a paragraph for each question."""
    given = ", ".join(
        f"{format_value(name)} {format_value(value)}" for name, value in one.given.items()
    )
    parts = [
        answer_text(one),
        _wrapped(f"given {given}", "  "),
        "",
        *_cases_text(one),
    ]
    if one.features is not None:
        parts += ["", *_features_text(one, one.features)]
    parts += ["", _wrapped(known_text(one), ""), _wrapped(residual_text(one), "")]
    if one.counterfactuals is not None:
        parts += ["", *_changes_text(one)]
    return "\n".join(line for part in parts for line in part.splitlines() or [""])


def answer_text(one: Explanation) -> str:
    """Return the prediction with its interval or prediction set in one line."""
    answer = f"{format_value(one.target)} = {_answer_texts(one)[0]}"
    sure = f"{100 * (1 - one.alpha):.4g} %"
    if one.interval is not None:
        return f"{answer}, {interval_text(one)} ({sure})"
    assert one.probabilities is not None
    answer += f" ({format_percent(one.probabilities[one.prediction])})"
    return f"{answer}, prediction set {_set_text(one)} ({sure} of each class)"


def _set_text(one: Explanation) -> str:
    """Return a prediction set; of a large one, the most probable classes and its size."""
    labels, probabilities = one.labels or (), one.probabilities or {}
    if len(labels) <= MOST_CLASSES:
        return f"{{{', '.join(map(format_value, labels))}}}"
    kept = sorted(labels, key=lambda label: -probabilities[label])[:MOST_CLASSES]
    listed = ", ".join(map(format_value, kept))
    return f"{{{listed}, …: {len(labels)} of {len(probabilities)} classes}}"


def interval_text(one: Explanation) -> str:
    """Return an interval in words, depending on which ends have a limit."""
    lower, upper = (whole_seconds(plain_value(end)) for end in one.interval or (None, None))
    low, high = _is_limit(lower), _is_limit(upper)
    _, *ends = _answer_texts(one)
    if low and high:
        return f"between {ends[0]} and {ends[1]}"
    if low or high:
        return f"at least {ends[0]}" if low else f"at most {ends[1]}"
    if isinstance(one.prediction, dt.time) or lower != lower:  # noqa: PLR0124 (NaN)
        return "anywhere in the cycle"
    return "anywhere (there are too few cases to tell)"


def _answer_texts(one: Explanation) -> list[str]:
    """Return the prediction and the ends of its interval, with digits that tell them apart."""
    answer = [one.prediction, *map(plain_value, one.interval or ())]
    return format_apart(map(whole_seconds, answer), most=MOST_DIGITS)


def known_text(one: Explanation) -> str:
    """Return a sentence on whether the row is unusual."""
    return conviction_sentence(one.conviction)


def conviction_sentence(found: RowConviction) -> str:
    """Return a conviction in words; familiarity is left out if it is not known (NaN)."""
    said = {
        "ordinary": "Unusual? No: it is as close to other cases as expected",
        "outlier": "Unusual? Yes, an outlier: farther from other cases than expected",
        "inlier": "Unusual? Yes, an inlier: closer to other cases than expected",
    }[found.direction]
    why = ", ".join(
        f"{format_value(name)} (+{nats:.2g} nats)" for name, nats in found.features[:4]
    )
    familiar = "" if np.isnan(found.familiarity) else f"familiarity {found.familiarity:.3g}, "
    return (
        f"{said}{' by ' * bool(why)}{why} (similarity conviction {found.similarity:.3g}, "
        f"{familiar}p = {found.p_value:.2g})."
    )


def residual_text(one: Explanation) -> str:
    """Return a sentence on whether the prediction is harder than usual."""
    found = one.residual_conviction
    ratio = found.conviction
    said = "Yes" if ratio < 1 / 1.5 else "No, easier" if ratio > 1.5 else "No, about as usual"
    is_class = one.probabilities is not None
    what = "error of the probability" if is_class else "error"
    expected, usual, error, around = error_texts(found, one.prediction, is_class=is_class)
    text = (
        f"Harder to predict than usual? {said}: the expected {what} is {expected}, "
        f"against {usual} overall (residual conviction {ratio:.3g})."
    )
    if found.error is not None and np.isfinite(found.error):
        text += f" The actual error is {error}"
        if np.isfinite(found.around):
            text += f"; that of the cases behind it is {around} on average"
        text += "."
    return text


def _differences(one: Explanation, cases: NearCases, at: int) -> list[str]:
    """List the features in which a case differs from the row, with its values.

    The feature whose difference matters most for the target comes first.
    """
    cost = np.where(cases.differs[at], cases.weights * (cases.terms[at] - 1.5), -1.0)
    places = [i for i in np.argsort(-cost, kind="stable") if cases.differs[at][i]]
    names = [cases.names[i] for i in places]
    return [
        f"{format_value(name)} {format_pair(cases.values[name][at], one.given[name])[0]}"
        for name in names
    ]


def _cases_text(one: Explanation) -> list[str]:
    n = len(one.cases)
    lines = [f"Cases: {format_count(n, 'training case')} contributed"]
    listed = [(one.cases, at) for at in range(min(n, MOST_CASES))]
    edge = [(one.boundary, at) for at in range(len(one.boundary))]
    found = [cases.outcomes[at] for cases, at in [*listed, *edge]]
    outcomes = format_apart(found, most=MOST_DIGITS)
    cells = [
        _case_row(one, cases, at, outcome)
        for (cases, at), outcome in zip([*listed, *edge], outcomes, strict=True)
    ]
    rows = cells[: len(listed)]
    if n > MOST_CASES:
        rest = float(one.cases.influences[MOST_CASES:].sum())
        rows.append([format_percent(rest), f"{n - MOST_CASES} more", "", ""])
    if one.cases.background > 0:
        share = format_percent(one.cases.background)
        rows.append([share, "baseline", "", "", "(shared equally by all cases)"])
    head = ["influence", "case", format_value(one.target), "distance", "differs in"]
    table = _aligned([head, *rows, *cells[len(listed) :]])
    lines += table[: len(rows) + 1]
    if edge:
        lines += ["Boundary: the nearest cases with another outcome", *table[len(rows) + 1 :]]
    return lines


def _case_row(one: Explanation, cases: NearCases, at: int, outcome: str) -> list[str]:
    return [
        format_percent(float(cases.influences[at])),
        cases.case_labels.text(cases.numbers[at]),
        outcome,
        _distance_text(float(cases.distances[at])),
        *_differences(one, cases, at),
    ]


def _distance_text(distance: float) -> str:
    return f"{distance:.3f}" if distance < 1e6 else format_value(distance)


def _features_text(one: Explanation, found: FeatureShares) -> list[str]:
    start, end = from_to(found, one.prediction)
    unit, values, standard_errors = in_unit(found, one.prediction)
    lines = [f"Features: {_what(one, found)} goes from {start} to {end}"]
    if unit:
        lines.append(f"  contributions in {unit}")
    if (standard_errors > 0).any():
        lines.append("  ± standard error: with so many features, subsets of them are sampled")
    most = float(np.abs(values).max(initial=0.0)) or 1.0
    names = [f"{format_value(name)} {format_value(one.given.get(name))}" for name in found.names]
    width = max(map(text_width, names), default=0)
    order = found.order
    errors = [
        f" ± {format_error(error)}" if error > 0 else "" for error in standard_errors.tolist()
    ]
    widest = max(map(len, errors), default=0)
    for i in order[:MOST_FEATURES]:
        value = float(values[i])
        bar = ("█" if value > 0 else "░") * round(_BAR * abs(value) / most)
        name = names[i] + " " * (width - text_width(names[i]))
        lines.append(f"  {name}  {format_signed(value, most):>8}{errors[i]:{widest}}  {bar}")
    rest = order[MOST_FEATURES:]
    if len(rest):
        together = format_signed(float(values[rest].sum()), most)
        lines.append(f"  {len(rest)} more, together {together}")
    return [line.rstrip() for line in lines]


def _what(one: Explanation, found: FeatureShares) -> str:
    if found.outcome is not None:
        return f"the probability of {format_value(found.outcome)}"
    # What is predicted of an ordered category is its mean rank.
    return "the rank (0 is the lowest)" if isinstance(one.prediction, str) else "the prediction"


def _changes_text(one: Explanation) -> list[str]:
    assert one.counterfactuals is not None
    lines = ["What would change it?"]
    if not any(found.changes for found in one.counterfactuals):
        return [*lines, _wrapped(one.counterfactuals.message, "  ")]
    for found in one.counterfactuals:
        changes = ", ".join(
            f"{format_value(name)} {' → '.join(format_pair(*change))}"
            for name, change in found.changes.items()
        )
        lean = f"(similar to case {found.case_text}, conviction {found.conviction:.3g})"
        lines.append(_wrapped(f"{format_value(found.prediction)} with {changes} {lean}", "  "))
    return lines


def _is_limit(end: Any) -> bool:
    return end is not None and not (isinstance(end, float) and not np.isfinite(end))


def _aligned(rows: list[list[str]]) -> list[str]:
    """Align four columns, the first and fourth to the right, then as many cells as fit."""
    fixed = column_widths([row[:4] for row in rows])
    room = _WIDEST - sum(fixed) - 2 * (len(fixed) + 1)
    cells = [[*row[:4], listed_within(row[4:], room)] for row in rows]
    return [f"  {line}" for line in aligned_lines(cells, right=(0, 3))]


def listed_within(cells: list[str], room: int) -> str:
    """Join the cells that fit with commas, and add how many more there are."""
    for kept in range(len(cells), 0, -1):
        more = [f"+{len(cells) - kept}"] * (kept < len(cells))
        line = ", ".join([*cells[:kept], *more])
        if len(line) <= room:
            return line
    return format_count(len(cells), "feature") if cells else ""


def _wrapped(text: str, indent: str) -> str:
    import textwrap

    return "\n".join(
        textwrap.wrap(text, _WIDEST, initial_indent=indent, subsequent_indent=indent + "  ")
    )
