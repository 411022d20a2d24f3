"""Anomalies: how unusual, because of which values, and beside which ordinary cases."""

from __future__ import annotations

from typing import Any

from vicinal.formatting.sheet import Grid, Sheet, Words, left_out
from vicinal.formatting.values import format_count, format_value
from vicinal.views.beside import beside_grid
from vicinal.views.convictions import rounded, row_name, surprise_bars

_MOST, _MOST_BESIDE = 10, 5


def anomalies_view(found: Any) -> Sheet:
    """Show `Anomalies`: a table of the strongest, then each beside ordinary cases."""
    word = "case" if found.stored else "row"
    are = "is an anomaly" if len(found) == 1 else "are anomalies"
    title = f"{len(found)} of {format_count(found.n_judged, word)} {are}"
    said = f"{found.promise[:1].upper()}{found.promise[1:]}."
    if not len(found):
        return Sheet(title, (said,))
    shown = range(min(len(found), _MOST))
    near = [_listed(found, found.ordinary[at]) for at in shown]
    columns: list[tuple[str, Any]] = [
        (word, [row_name(found, int(found.cases[at])) for at in shown]),
        ("conviction", surprise_bars(found.conviction[: len(shown)])),
        ("p", rounded(found.p_value[: len(shown)])),
        ("tail p", rounded(found.tail_p_value[: len(shown)])),
        ("direction", found.direction[: len(shown)].tolist()),
        ("because of", [Words(reasons(found, at)) for at in shown]),
        ("nearest ordinary", near),
    ]
    table = Grid(
        "", columns, note=left_out(len(found) - len(shown), "anomaly").replace("ys", "ies")
    )
    return Sheet(title, (said,), (table, *_details(found, word)))


def _listed(found: Any, cases: Any) -> str:
    return ", ".join(map(found.case_labels.text, cases[cases >= 0][:3].tolist()))


def reasons(found: Any, at: int) -> str:
    """Return the features responsible with their values, and the nats that each adds."""
    known = found.compared is not None and at < len(found.compared)
    given = found.compared.given(at) if known else {}
    named = [
        f"{format_value(name)}{f' = {format_value(given[name])}' if name in given else ''} "
        f"(+{nats:.2g})"
        for name, nats in found.features[at][:3]
    ]
    return ", ".join(named)


def _details(found: Any, word: str) -> list[Grid]:
    if found.compared is None:
        return []
    names = [row_name(found, int(case)) for case in found.cases[: len(found.compared)]]
    return [
        beside_grid(
            found.compared,
            at,
            name=found.case_labels.text,
            caption=f"{word.capitalize()} {names[at]} beside the nearest ordinary cases",
            own=f"this {word}",
            detail=True,
        )
        for at in range(min(len(found.compared), len(found), _MOST_BESIDE))
        if (found.compared.numbers[at] >= 0).any()
    ]
