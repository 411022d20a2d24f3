"""An explanation as self-contained HTML; all data is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from vicinal.explain.explanation.style import STYLE
from vicinal.explain.explanation.text import answer_text, known_text, residual_text
from vicinal.formatting.values import format_percent, format_signed, format_value

if TYPE_CHECKING:
    from vicinal.counterfactual.result import Counterfactual
    from vicinal.explain.explanation.parts import FeatureShares, NearCases
    from vicinal.explain.explanation.result import Explanation

#: Maximum number of cases shown one by one, and of explanations shown at once.
_MOST_CASES = 8
_MOST_ROWS = 20
_MOST_FEATURES = 16


def html_of(one: Explanation) -> str:
    """Return an explanation as HTML."""
    return f'<div class="vicinal">{STYLE}{_card(one)}</div>'


def html_of_all(explanations: Sequence[Explanation]) -> str:
    """Return explanations as HTML, one below the other; only the first is expanded."""
    cards = "".join(
        f"<details{' open' * (at == 0)}><summary>{one.row}: {_text(answer_text(one))}</summary>"
        f"{_card(one)}</details>"
        for at, one in enumerate(explanations[:_MOST_ROWS])
    )
    left = len(explanations) - _MOST_ROWS
    more = f"<p>… and {left} more</p>" if left > 0 else ""
    n = len(explanations)
    title = f"<p>{n} explanation{'s' * (n != 1)}</p>" if n != 1 else ""
    return f'<div class="vicinal">{STYLE}{title}{cards}{more}</div>'


def _card(one: Explanation) -> str:
    parts = [f"<h4>{_text(answer_text(one))}</h4>"]
    if one.features is not None:
        parts.append(_features(one.features))
    parts.append(_cases(one))
    parts += [f"<p>{_text(known_text(one))}</p>", f"<p>{_text(residual_text(one))}</p>"]
    if one.counterfactuals is not None:
        parts.append(_changes(one))
    return "".join(parts)


def _cases(one: Explanation) -> str:
    """A table: the row itself, the influential cases, the boundary; differences are marked."""
    names = one.cases.names
    head = "".join(f"<th>{cell}</th>" for cell in ("case", "influence", "", _text(one.target)))
    head += "<th>distance</th>" + "".join(f"<th>{_text(name)}</th>" for name in names)
    own = "".join(f"<td>{_text(format_value(one.given[name]))}</td>" for name in names)
    rows = [
        f'<tr class="own"><th>this row</th><td></td><td></td>'
        f"<td>{_text(format_value(one.prediction))}</td><td></td>{own}</tr>"
    ]
    most = float(np.abs(one.cases.influences).max(initial=0.0)) or 1.0
    n = len(one.cases)
    rows += [_case(one.cases, at, most) for at in range(min(n, _MOST_CASES))]
    if n > _MOST_CASES:
        rest = format_percent(float(one.cases.influences[_MOST_CASES:].sum()))
        rows.append(_wide(f"{n - _MOST_CASES} more cases have {rest} together", len(names) + 5))
    if len(one.boundary):
        rows.append(_wide("Boundary: the nearest with another outcome", len(names) + 5))
        rows += [_case(one.boundary, at, most) for at in range(len(one.boundary))]
    return (
        f'<div class="wide"><table><caption>Which cases?</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _case(cases: NearCases, at: int, most: float) -> str:
    share = float(cases.influences[at])
    cells = "".join(
        f"<td{_marked(cases, at, i)}>{_text(format_value(cases.values[name][at]))}</td>"
        for i, name in enumerate(cases.names)
    )
    return (
        f"<tr><th>{_text(cases.case_labels.text(cases.numbers[at]))}</th><td>{format_percent(share)}</td>"
        f"<td>{_bar(share / most, 5)}</td><td>{_text(format_value(cases.outcomes[at]))}</td>"
        f"<td>{cases.distances[at]:.3f}</td>{cells}</tr>"
    )


def _marked(cases: NearCases, at: int, i: int) -> str:
    if not cases.differs[at][i]:
        return ""
    return f' class="differs" title="surprisal {cases.terms[at][i]:.2f} nats"'


def _features(found: FeatureShares) -> str:
    most = float(np.abs(found.values).max(initial=0.0)) or 1.0
    rows = []
    for i in found.order[:_MOST_FEATURES]:
        value, error = float(found.values[i]), float(found.standard_errors[i])
        spread = f" ± {error:.2g}" if error > 0 else ""
        rows.append(
            f"<tr><th>{_text(found.names[i])}</th><td>{format_signed(value, most)}{spread}</td>"
            f"<td>{_bar(value / most, 12)}</td></tr>"
        )
    rest = found.order[_MOST_FEATURES:]
    if len(rest):
        together = format_signed(float(found.values[rest].sum()), most)
        rows.append(_wide(f"{len(rest)} more: {together}", 3))
    what = (
        "" if found.outcome is None else f" (probability of {_text(format_value(found.outcome))})"
    )
    return (
        f"<table><caption>Why? From {format_value(found.baseline)} to "
        f"{format_value(found.prediction)}{what}"
        f"</caption><tbody>{''.join(rows)}</tbody></table>"
    )


def _changes(one: Explanation) -> str:
    assert one.counterfactuals is not None
    if not any(found.changes for found in one.counterfactuals):
        return f"<p>What would change it? {_text(one.counterfactuals.message)}</p>"
    rows = "".join(
        f"<tr><th>{_text(format_value(found.prediction))}</th><td>{_change(found)}</td>"
        f"<td>{_text(found.case_text)}</td></tr>"
        for found in one.counterfactuals
    )
    head = "<tr><th>answer</th><th>changes</th><th>a real case like it</th></tr>"
    return (
        f"<table><caption>What would change it?</caption><thead>{head}</thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _change(found: Counterfactual) -> str:
    return "<br>".join(
        f"{_text(name)}: {_text(format_value(before))} → <b>{_text(format_value(after))}</b>"
        for name, (before, after) in found.changes.items()
    )


def _bar(share: float, width: int) -> str:
    side = "down" if share < 0 else "up"
    return f'<div class="bar {side}" style="width:{width * min(abs(share), 1.0):.2f}em"></div>'


def _wide(text: str, columns: int) -> str:
    return f'<tr><td class="note" colspan="{columns}">{_text(text)}</td></tr>'


def _text(value: str) -> str:
    return escape(value, quote=True)
