"""Influences: the training cases behind each prediction."""

from __future__ import annotations

from typing import Any

from vicinal.formatting.sheet import Grid, Sheet, bars, left_out
from vicinal.formatting.values import format_count, format_percent
from vicinal.views.neighbors import query_name

_MOST_OPEN, _MOST_ROWS, _MOST_CASES = 3, 10, 8


def influences_view(found: Any) -> Sheet:
    """Show `CaseInfluences`: for each row, the most influential cases."""
    m = len(found)
    grids = [_grid(found, at) for at in range(min(m, _MOST_ROWS))]
    rest = left_out(m - _MOST_OPEN, "row")
    if rest:
        grids.insert(_MOST_OPEN, Grid("", [], note=rest))
    notes: tuple[str, ...] = ()
    if found.background > 0:
        share = format_percent(found.background)
        notes = (f"All cases share {share} of the influence equally (the baseline).",)
    return Sheet(f"Influences on {format_count(m, 'prediction')}", notes, tuple(grids))


def _grid(found: Any, at: int) -> Grid:
    there = found.indices[at] >= 0
    cases, shares = found.indices[at][there], found.shares[at][there]
    outcomes = (found.outcomes if found.labels is None else found.labels)[at][there]
    some = slice(_MOST_CASES)
    columns: list[tuple[str, Any]] = [
        ("case", list(map(found.case_labels.text, cases[some].tolist()))),
        ("influence", bars(shares[some], [format_percent(float(s)) for s in shares[some]])),
        ("outcome", outcomes[some].tolist()),
    ]
    note = left_out(len(cases) - _MOST_CASES, "case")
    note += f" with {format_percent(float(shares[_MOST_CASES:].sum()))} together" * bool(note)
    return Grid(query_name(found, at), columns, note=note, detail=at >= _MOST_OPEN)
