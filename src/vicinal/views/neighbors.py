"""Nearest neighbors: each row beside its cases, differing values marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vicinal.formatting.sheet import Grid, Sheet, Words, left_out
from vicinal.formatting.values import format_count, format_value
from vicinal.views.beside import beside_grid

#: Rows that are shown with their cases; a notebook folds the others.
_MOST_OPEN = 3
_MOST_ROWS = 10
_MARKED = "Marked values differ from the row by more than the residual of the feature."


def neighbors_view(found: Any) -> Sheet:
    """Show `Neighbors`: the rows beside their cases."""
    m, k = found.indices.shape
    title = f"Neighbors of {format_count(m, 'row')}, k = {k}"
    compared = found.compared
    if compared is None:
        return Sheet(title, grids=(_plain(found),) if m else ())
    grids = [_grid(found, at) for at in range(min(m, _MOST_ROWS, len(compared)))]
    marked = any(compared.differs(at).any() for at in range(len(grids)))
    rest = left_out(m - _MOST_OPEN, "row")
    if rest:
        grids.insert(_MOST_OPEN, Grid("", [], note=rest))
    return Sheet(title, (_MARKED,) if marked else (), tuple(grids))


def _grid(found: Any, at: int) -> Grid:
    there = found.indices[at] >= 0
    n_shown = int((found.compared.numbers[at] >= 0).sum())
    columns = {"distance": [Words(""), *found.distances[at][there][:n_shown]]}
    if found.weights is not None:
        columns["weight"] = [Words(""), *found.weights[at][there][:n_shown]]
    return beside_grid(
        found.compared,
        at,
        name=found.case_labels.text,
        caption=query_name(found, at, found.places) if len(found) > 1 else "",
        own="this row",
        columns=columns,
        note=left_out(int(there.sum()) - n_shown, "case"),
        detail=at >= _MOST_OPEN,
    )


def query_name(found: Any, at: int, places: Sequence[int] | None = None) -> str:
    """Return what a row asked about is called: by its label, or its place in a table."""
    if found.queries is None:
        return f"Row {at if places is None else places[at]}"
    return f"Case {format_value(found.queries[at])}"


def _plain(found: Any) -> Grid:
    """Only numbers and distances, where the values are not known."""
    rows = range(min(len(found), _MOST_ROWS))
    texts = [
        ", ".join(
            f"{found.case_labels.text(int(case))} at {format_value(float(distance))}"
            for case, distance in zip(found.indices[at], found.distances[at], strict=True)
            if case >= 0
        )
        for at in rows
    ]
    note = left_out(len(found) - len(rows), "row")
    return Grid("", [("row", list(rows)), ("cases", [Words(one) for one in texts])], note=note)
