"""An explanation as self-contained HTML; all data is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.explain.explanation.amounts import from_to, in_unit
from vicinal.explain.explanation.text import answer_text, known_text, residual_text
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.html import Markup, joined, tag
from vicinal.formatting.sheet import Bar, Grid, Marked, Words
from vicinal.formatting.sheet_html import grid_html, notebook_html
from vicinal.formatting.values import format_pair, format_percent, format_value
from vicinal.views.contributions import feature_grid

if TYPE_CHECKING:
    from vicinal.explain.explanation.parts import NearCases
    from vicinal.explain.explanation.result import Explanation

#: Maximum number of cases shown one by one, and of explanations shown at once.
_MOST_CASES = 8
_MOST_ROWS = 20


def html_of(one: Explanation) -> str:
    """Return an explanation as HTML."""
    return notebook_html(_card(one))


def html_of_all(explanations: Sequence[Explanation]) -> str:
    """Return explanations as HTML, one below the other; only the first is expanded."""
    n = len(explanations)
    cards = [
        tag("details", tag("summary", f"{one.row}: {answer_text(one)}"), _card(one), open=at == 0)
        for at, one in enumerate(explanations[:_MOST_ROWS])
    ]
    title = tag("p", f"{n} explanation{'s' * (n != 1)}") if n != 1 else Markup()
    more = tag("p", f"… and {n - _MOST_ROWS} more") if n > _MOST_ROWS else Markup()
    return notebook_html(title, *cards, more)


def _card(one: Explanation) -> Markup:
    parts = [tag("h4", answer_text(one))]
    if one.features is not None:
        parts.append(grid_html(_features(one)))
    parts.append(grid_html(_cases(one)))
    parts += [tag("p", known_text(one)), tag("p", residual_text(one))]
    if one.counterfactuals is not None:
        parts.append(_changes(one))
    return joined(*parts)


def _features(one: Explanation) -> Grid:
    """A table of the features: their values and contributions."""
    found = one.features
    assert found is not None
    start, end = from_to(found, one.prediction)
    unit, values, errors = in_unit(found, one.prediction)
    what = f" (contributions in {unit})" if unit else ""
    if found.outcome is not None:
        what = f" (probability of {format_value(found.outcome)})"
    caption = f"Why? From {start} to {end}{what}"
    return feature_grid(caption, found.names, values, errors, given=one.given)


def _cases(one: Explanation) -> Grid:
    """A table: the row itself, the influential cases, the boundary; differences are marked."""
    names, n = one.cases.names, len(one.cases)
    most = float(np.abs(one.cases.influences).max(initial=0.0)) or 1.0
    given = [one.given[name] for name in names]
    rows = [["this row", "", format_value(whole_seconds(one.prediction)), "", *given]]
    rows += [_case(one.cases, at, most) for at in range(min(n, _MOST_CASES))]
    rows += [_case(one.boundary, at, most, "boundary ") for at in range(len(one.boundary))]
    notes = []
    if n > _MOST_CASES:
        rest = format_percent(float(one.cases.influences[_MOST_CASES:].sum()))
        notes.append(f"{n - _MOST_CASES} more cases have {rest} together.")
    if len(one.boundary):
        notes.append("Boundary: the nearest cases with another outcome.")
    heads = ("case", "influence", one.target, "distance", *names)
    columns = [(head, [row[place] for row in rows]) for place, head in enumerate(heads)]
    return Grid("Which cases?", columns, own=frozenset({0}), note=" ".join(notes))


def _case(cases: NearCases, at: int, most: float, prefix: str = "") -> list[Any]:
    share = float(cases.influences[at])
    values: list[Any] = [cases.values[name][at] for name in cases.names]
    for i in np.flatnonzero(cases.differs[at]).tolist():
        values[i] = Marked(values[i], f"surprisal {cases.terms[at][i]:.2f} nats")
    return [
        f"{prefix}{cases.case_labels.text(int(cases.numbers[at]))}",
        Bar(format_percent(share), share / most),
        format_value(cases.outcomes[at]),
        round(float(cases.distances[at]), 3),
        *values,
    ]


def _changes(one: Explanation) -> Markup:
    found = one.counterfactuals
    assert found is not None
    if not any(each.changes for each in found):
        return tag("p", f"What would change it? {found.message}")
    changes = [
        Words(
            ", ".join(
                f"{format_value(name)}: {' → '.join(format_pair(*change))}"
                for name, change in each.changes.items()
            )
        )
        for each in found
    ]
    columns: list[tuple[str, Any]] = [
        ("answer", [each.prediction for each in found]),
        ("changes", changes),
        ("a real case like it", [each.case_text for each in found]),
    ]
    return grid_html(Grid("What would change it?", columns))
