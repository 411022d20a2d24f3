"""A sheet as self-contained HTML for a notebook; all data is escaped by `html.tag`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vicinal.formatting.html import Markup, joined, scrolling_table, tag
from vicinal.formatting.notebook_style import STYLE
from vicinal.formatting.sheet import Bar, Grid, Marked, Sheet, Words, cell_text, is_numeric
from vicinal.formatting.values import format_value, printable

#: The length of the longest bar.
_EM = 8.0


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet as HTML."""
    notes = [tag("p", printable(note)) for note in sheet.notes]
    tables = [_folded(grid) if grid.detail else grid_html(grid) for grid in sheet.grids]
    return notebook_html(tag("h4", printable(sheet.title)), *notes, *tables)


def notebook_html(*parts: str) -> str:
    """Return parts of a page with their style, ready for a notebook."""
    return tag("div", Markup(STYLE), *parts, class_="vicinal")


def grid_html(grid: Grid) -> Markup:
    """Return a table as HTML, with its note below it."""
    caption = printable(grid.caption)
    note = tag("p", printable(grid.note), class_="note") if grid.note else None
    if not len(grid):
        return joined(tag("p", tag("b", caption)) if caption else None, note)
    forms = [(_is_bars(cells), is_numeric(cells)) for _, cells in grid.columns]
    head = [
        tag(
            "th",
            format_value(name) if name else "",
            scope="col",
            colspan=2 if bar else None,
            class_="n" if number else None,
        )
        for (name, _), (bar, number) in zip(grid.columns, forms, strict=True)
    ]
    body = [_row(grid, at, forms) for at in range(len(grid))]
    return joined(scrolling_table(caption, head, body), note)


def _folded(grid: Grid) -> Markup:
    inside = grid_html(replace(grid, caption=""))
    return tag("details", tag("summary", printable(grid.caption)), inside)


def _row(grid: Grid, at: int, forms: Sequence[tuple[bool, bool]]) -> Markup:
    cells: list[Markup] = []
    for place, ((_, column), (bar, number)) in enumerate(zip(grid.columns, forms, strict=True)):
        class_ = "n" if number else None
        if place == 0:
            cells.append(tag("th", cell_text(column[at]), scope="row", class_=class_))
        elif bar:
            two_sided = any(one.share < 0 for one in column if isinstance(one, Bar))
            cells += [tag("td", cell_text(column[at]), class_="n"), _bar(column[at], two_sided)]
        else:
            cells.append(_cell(column[at], class_))
    return tag("tr", *cells, class_="own" if at in grid.own else None)


def _cell(cell: Any, class_: str | None) -> Markup:
    if isinstance(cell, Words):
        return tag("td", cell_text(cell), class_="words")
    if not isinstance(cell, Marked):
        return tag("td", cell_text(cell), class_=class_)
    class_ = "differs" if class_ is None else f"differs {class_}"
    return tag("td", cell_text(cell), class_=class_, title=cell.why or None)


def _bar(cell: Any, two_sided: bool) -> Markup:
    if not isinstance(cell, Bar):
        return tag("td")
    half = _EM / 2 if two_sided else _EM
    length = half * min(abs(cell.share), 1.0)
    start = half - length * (cell.share < 0) if two_sided else 0.0
    style = f"width:{length:.2f}em;margin-left:{start:.2f}em"
    return tag("td", tag("div", class_=f"bar {_side(cell.share)}", style=style))


def _side(share: float) -> str:
    return "down" if share < 0 else "up"


def _is_bars(cells: Sequence[Any]) -> bool:
    return any(isinstance(one, Bar) for one in cells)
