"""An explanation as text for a terminal, 90 characters wide at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.features.shown import percent_text, plain_value, shown, signed

if TYPE_CHECKING:
    from vicinal.explain.explanation import Explanation
    from vicinal.explain.explanation_parts import FeatureShares, NearCases

__all__ = ["MOST_CASES", "answer_text", "differences", "known_text", "residual_text", "text_of"]

#: Cases and features shown one by one; the others are summed up.
MOST_CASES = 5
MOST_FEATURES = 10
_WIDEST = 90
_BAR = 24


def text_of(one: Explanation) -> str:
    """Give an explanation as text: the answer first, then each question in a paragraph."""
    given = ", ".join(f"{shown(name)} {shown(value)}" for name, value in one.given.items())
    parts = [
        answer_text(one),
        _wrapped(f"given {given}", "  "),
        "",
        *_cases_text(one),
    ]
    if one.features is not None:
        parts += ["", *_features_text(one.features)]
    parts += ["", _wrapped(known_text(one), ""), _wrapped(residual_text(one), "")]
    if one.counterfactuals is not None:
        parts += ["", *_changes_text(one)]
    return "\n".join(line for part in parts for line in part.splitlines() or [""])


def answer_text(one: Explanation) -> str:
    """Give the prediction with its interval or label set in one line."""
    answer = f"{shown(one.target)} = {shown(one.prediction)}"
    sure = f"{100 * (1 - one.alpha):.4g} %"
    if one.interval is not None:
        return f"{answer}, {interval_text(one)} ({sure})"
    assert one.probabilities is not None
    answer += f" ({percent_text(one.probabilities[one.prediction])})"
    if not one.labels:
        return f"{answer}, but no label is sure enough for the {sure} label set"
    return f"{answer}, label set {{{', '.join(map(shown, one.labels))}}} ({sure})"


def interval_text(one: Explanation) -> str:
    """Give an interval in words, by the ends that it has."""
    lower, upper = (plain_value(end) for end in one.interval or (None, None))
    low, high = _is_limit(lower), _is_limit(upper)
    if low and high:
        return f"between {shown(lower)} and {shown(upper)}"
    if low or high:
        return f"at least {shown(lower)}" if low else f"at most {shown(upper)}"
    return "anywhere (there are too few cases to tell)"


def known_text(one: Explanation) -> str:
    """Say whether the row is one we know."""
    found = one.conviction
    said = {
        "ordinary": "Unusual? No: it is as near to other cases as expected",
        "outlier": "Unusual? Yes, an outlier: farther from other cases than expected",
        "inlier": "Unusual? Yes, an inlier: closer to other cases than expected",
    }[found.direction]
    why = ", ".join(f"{shown(name)} (+{nats:.2g} nats)" for name, nats in found.features[:4])
    return (
        f"{said}{' by ' * bool(why)}{why} (similarity conviction {found.similarity:.3g}, "
        f"familiarity {found.familiarity:.3g}, p = {found.p_value:.2g})."
    )


def residual_text(one: Explanation) -> str:
    """Say whether the prediction is harder than usual."""
    found = one.residual_conviction
    ratio = found.conviction
    said = "Yes" if ratio < 1 / 1.5 else "No, easier" if ratio > 1.5 else "No, about as usual"
    unit = "" if one.probabilities is None else " of the probability"
    text = (
        f"Harder than usual? {said}: an error of {shown(found.expected)}{unit} is expected here, "
        f"{shown(found.usual)} over all (residual conviction {ratio:.3g})."
    )
    if found.error is not None and np.isfinite(found.error):
        text += f" The actual error is {shown(found.error)}"
        text += f", of the cases behind it {shown(found.around)}."
    return text


def differences(one: Explanation, cases: NearCases, at: int) -> list[tuple[str, str, str]]:
    """List where a case differs from the row: name, the case's value, the row's value.

    The feature whose difference counts most for the target is first.
    """
    cost = np.where(cases.differs[at], cases.weights * (cases.terms[at] - 1.5), -1.0)
    places = [i for i in np.argsort(-cost, kind="stable") if cases.differs[at][i]]
    names = [cases.names[i] for i in places]
    return [(name, shown(cases.values[name][at]), shown(one.given[name])) for name in names]


def _cases_text(one: Explanation) -> list[str]:
    n = len(one.cases)
    lines = [f"Cases: {n} answered, each by its influence"]
    rows = [_case_row(one, one.cases, at) for at in range(min(n, MOST_CASES))]
    if n > MOST_CASES:
        rest = float(one.cases.influences[MOST_CASES:].sum())
        rows.append([percent_text(rest), f"{n - MOST_CASES} more", "", ""])
    if one.cases.background > 0:
        rows.append([percent_text(one.cases.background), "all alike", "", ""])
    edge = [_case_row(one, one.boundary, at) for at in range(len(one.boundary))]
    head = ["influence", "case", shown(one.target), "distance", "differs in"]
    table = _aligned([head, *rows, *edge])
    lines += table[: len(rows) + 1]
    if edge:
        lines += ["Boundary: the nearest with another outcome", *table[len(rows) + 1 :]]
    return lines


def _case_row(one: Explanation, cases: NearCases, at: int) -> list[str]:
    return [
        percent_text(float(cases.influences[at])),
        f"#{cases.numbers[at]}",
        shown(cases.outcomes[at]),
        f"{cases.distances[at]:.3f}",
        *(f"{shown(name)} {value}" for name, value, _ in differences(one, cases, at)),
    ]


def _features_text(found: FeatureShares) -> list[str]:
    what = "the answer" if found.outcome is None else f"the probability of {shown(found.outcome)}"
    lines = [f"Features: {what} goes from {shown(found.baseline)} to {shown(found.prediction)}"]
    most = float(np.abs(found.values).max(initial=0.0)) or 1.0
    width = max((len(shown(name)) for name in found.names), default=0)
    order = found.order
    for i in order[:MOST_FEATURES]:
        value, error = float(found.values[i]), float(found.standard_errors[i])
        bar = ("█" if value > 0 else "░") * round(_BAR * abs(value) / most)
        spread = f" ± {error:.2g}" if error > 0 else ""
        name = f"{shown(found.names[i]):<{width}}"
        lines.append(f"  {name}  {signed(value, most):>8}{spread}  {bar}")
    rest = order[MOST_FEATURES:]
    if len(rest):
        together = signed(float(found.values[rest].sum()), most)
        lines.append(f"  {len(rest)} more, together {together}")
    return [line.rstrip() for line in lines]


def _changes_text(one: Explanation) -> list[str]:
    assert one.counterfactuals is not None
    lines = ["What would change it?"]
    if not any(found.changes for found in one.counterfactuals):
        return [*lines, _wrapped(one.counterfactuals.message, "  ")]
    for found in one.counterfactuals:
        changes = ", ".join(
            f"{shown(name)} {shown(before)} → {shown(after)}"
            for name, (before, after) in found.changes.items()
        )
        lean = f"(leaning on #{found.case}, conviction {found.conviction:.3g})"
        lines.append(_wrapped(f"{shown(found.prediction)} with {changes} {lean}", "  "))
    return lines


def _is_limit(end: Any) -> bool:
    return end is not None and not (isinstance(end, float) and not np.isfinite(end))


def _aligned(rows: list[list[str]]) -> list[str]:
    """Four columns, the first and the fourth to the right, then as many cells as there is room."""
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = []
    for row in rows:
        line = "  " + "  ".join(
            row[i].rjust(widths[i]) if i in (0, 3) else row[i].ljust(widths[i]) for i in range(4)
        )
        lines.append(f"{line}  {_listed(row[4:], _WIDEST - len(line) - 2)}".rstrip())
    return lines


def _listed(cells: list[str], room: int) -> str:
    """Cells with commas between them, those that fit, and how many more there are."""
    for kept in range(len(cells), 0, -1):
        more = [f"+{len(cells) - kept}"] * (kept < len(cells))
        line = ", ".join([*cells[:kept], *more])
        if len(line) <= room:
            return line
    return f"{len(cells)} features" if cells else ""


def _wrapped(text: str, indent: str) -> str:
    import textwrap

    return "\n".join(
        textwrap.wrap(text, _WIDEST, initial_indent=indent, subsequent_indent=indent + "  ")
    )
