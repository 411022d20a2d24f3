"""Tables as plain text, with columns aligned in a terminal."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from vicinal.formatting.values import format_value, plain_value, truncate

_WIDEST_COLUMN = 36
#: A last column that would have to be narrower than this is left out.
_NARROWEST_COLUMN = 16
_NARROWEST_TERMINAL = 40


def terminal_width() -> int:
    """Return the width of the terminal, or 80 if there is none."""
    return max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST_TERMINAL)


def text_width(text: str) -> int:
    r"""Count the terminal cells of a text: two for a wide character, none for an accent.

    Examples
    --------
    >>> from vicinal.formatting.text_table import text_width
    >>> text_width("Größe"), text_width("ペンギン"), text_width("e\u0301")
    (5, 8, 1)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column; a row may have fewer cells than the others."""
    n_columns = max(map(len, rows))
    return [max(text_width(row[i]) for row in rows if i < len(row)) for i in range(n_columns)]


def aligned_lines(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Align the cells of rows in columns, some of them to the right: one line per row.

    A row may have fewer cells than the others.

    Examples
    --------
    >>> from vicinal.formatting.text_table import aligned_lines
    >>> aligned_lines([["mass", "3.5"], ["sex", "0.25"]], right=[1])
    ['mass   3.5', 'sex   0.25']
    """
    widths = column_widths(rows)
    return ["  ".join(_padded(row, widths, right)).rstrip() for row in rows]


def text_table(
    columns: Mapping[str, Sequence[Any]], *, width: int | None = None, missing: str = "?"
) -> str:
    """Lay out columns of values in lines no wider than `width`, by default the terminal.

    Numbers are aligned to the right. The last column is truncated to the space that is left.
    Columns that do not fit are named below the table.

    Examples
    --------
    >>> from vicinal.formatting.text_table import text_table
    >>> print(text_table({"case": [3, 14], "species": ["Gentoo", None]}, width=60))
    case  species
       3  Gentoo
      14  ?
    """
    width = terminal_width() if width is None else width
    shown: list[list[str]] = []
    space = width
    for place, (name, values) in enumerate(columns.items()):
        is_last = place == len(columns) - 1
        widest = max(space - 2, _NARROWEST_COLUMN) if is_last else _WIDEST_COLUMN
        cells = _cells(name, values, widest, missing)
        needed = max(map(text_width, cells)) + 2 * (place > 0)
        if place and needed > space:
            break
        shown.append(cells)
        space -= needed
    right = {place for place, values in enumerate(columns.values()) if _are_numbers(values)}
    lines = aligned_lines(list(zip(*shown, strict=True)), right=right)
    rest = [format_value(name) for name in list(columns)[len(shown) :]]
    if rest:
        note = f"… and {len(rest)} more column{'s' * (len(rest) != 1)}: {', '.join(rest)}"
        lines.append(truncate(note, width, text_width))
    return "\n".join(lines)


def _padded(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> list[str]:
    spaces = [" " * (width - text_width(cell)) for cell, width in zip(row, widths, strict=False)]
    return [
        space + cell if place in right else cell + space
        for place, (cell, space) in enumerate(zip(row, spaces, strict=True))
    ]


def _cells(name: str, values: Sequence[Any], widest: int, missing: str) -> list[str]:
    plain = [plain_value(value) for value in values]
    blank = {None: missing, "": ""}  # an empty text fills a cell
    texts = [blank[one] if one is None or one == "" else format_value(one) for one in plain]
    return [truncate(text, widest, text_width) for text in (format_value(name), *texts)]


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in map(plain_value, values) if value is not None]
    return bool(known) and all(isinstance(value, int | float) for value in known)
