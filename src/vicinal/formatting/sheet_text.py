"""A sheet as text for a terminal, 90 characters wide at most."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vicinal.formatting.sheet import Bar, Grid, Marked, Sheet, Words, cell_text, is_numeric
from vicinal.formatting.text_table import aligned_lines, text_width
from vicinal.formatting.values import format_value, printable, truncate

_WIDEST = 90
_INDENT = "  "
_BAR = 10
_MARK = "*"
#: A sentence is not wrapped in less space than this.
_NARROWEST = 24


def sheet_text(sheet: Sheet) -> str:
    """Return a sheet as text: the title, the notes, then every table with its caption."""
    lines = [*_wrapped(sheet.title, ""), *(line for n in sheet.notes for line in _wrapped(n))]
    for grid in sheet.grids:
        lines += grid_lines(grid)
    return "\n".join(lines)


def grid_lines(grid: Grid) -> list[str]:
    """Return a table as lines; columns that do not fit are named below it."""
    if grid.detail:
        return []
    lines = _caption_lines(grid.caption)
    indent = _INDENT * (1 + bool(lines))
    if len(grid):
        columns = _fitting(grid, _WIDEST - len(indent))
        if grid.own and len(columns) < len(grid.columns):
            grid = _turned(grid)
            columns = _fitting(grid, _WIDEST - len(indent))
        right = {at for at, (_, cells) in enumerate(grid.columns) if is_numeric(cells)}
        rows = [line for row in zip(*columns, strict=True) for line in _as_lines(row)]
        lines += [f"{indent}{line}" for line in aligned_lines(rows, right=right)]
        lines += _unshown([name for name, _ in grid.columns[len(columns) :]], indent)
    return lines + (_wrapped(grid.note, indent) if grid.note else [])


def _caption_lines(caption: str) -> list[str]:
    """A caption, on a second line if need be: what it ends with, such as a unit, must be read."""
    space = _WIDEST - 2 * len(_INDENT)
    text = truncate(printable(caption), 2 * space, text_width)
    if text_width(text) <= _WIDEST - len(_INDENT):
        return [_INDENT + text] if text else []
    first, *rest = textwrap.wrap(text, space)
    lines = [_INDENT + first, *([2 * _INDENT + " ".join(rest)] if rest else [])]
    return [truncate(line, _WIDEST, text_width) for line in lines]


def _fitting(grid: Grid, space: int) -> list[list[list[str]]]:
    """The columns that fit, as cells of one or more lines each, with their names on top."""
    kept: list[list[list[str]]] = []
    for name, cells in grid.columns:
        texts = [format_value(name) if name else "", *_texts(cells)]
        needed = max(map(text_width, texts)) + 2 * bool(kept)
        wraps = needed > space and len(kept) > 0 and any(isinstance(one, Words) for one in cells)
        if wraps and space - 2 >= _NARROWEST:
            kept.append([textwrap.wrap(one, space - 2) or [""] for one in texts])
            return kept
        if kept and needed > space:
            return kept
        kept.append([[one] for one in texts])
        space -= needed
    return kept


def _turned(grid: Grid) -> Grid:
    """A comparison with one line per feature, which fits where one column for each does not."""
    heads, *others = grid.columns
    names = [format_value(name) for name, _ in others]
    cases = [(str(head), [cells[at] for _, cells in others]) for at, head in enumerate(heads[1])]
    return replace(grid, columns=[("", names), *cases], own=frozenset())


def _as_lines(row: Sequence[Sequence[str]]) -> list[list[str]]:
    """A row of the table as lines, of which the first has all cells."""
    height = max(map(len, row))
    return [[cell[at] if at < len(cell) else "" for cell in row] for at in range(height)]


def _texts(cells: Sequence[Any]) -> list[str]:
    """Texts of a column: numbers end at the same place, whether or not they are marked."""
    if any(isinstance(one, Bar) for one in cells):
        width = max(text_width(cell_text(one)) for one in cells)
        return [f"{cell_text(one):>{width}} {_bar(one)}".rstrip() for one in cells]
    marks = any(isinstance(one, Marked) for one in cells)
    ends = [_MARK if isinstance(one, Marked) else " " * marks for one in cells]
    return [cell_text(one) + end for one, end in zip(cells, ends, strict=True)]


def _bar(cell: Any) -> str:
    share = cell.share if isinstance(cell, Bar) else 0.0
    return ("█" if share > 0 else "░") * round(_BAR * abs(share))


def _unshown(names: list[str], indent: str) -> list[str]:
    if not names:
        return []
    listed = ", ".join(map(format_value, names))
    note = f"… and {len(names)} more column{'s' * (len(names) != 1)} in to_frame(): {listed}"
    return [indent + truncate(note, _WIDEST - len(indent), text_width)]


def _wrapped(text: str, indent: str = _INDENT) -> list[str]:
    return textwrap.wrap(printable(text), _WIDEST, initial_indent=indent, subsequent_indent=indent)
