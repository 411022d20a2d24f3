"""Tables that read well in a terminal, whatever they hold."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from vicinal.formatting.values import format_value, plain_value

__all__ = ["counted", "cut", "terminal_table", "terminal_width", "text_width"]

_WIDEST = 36
#: A last column that would have to be narrower than this is left out.
_LEAST = 16
_NARROWEST = 40


def terminal_width() -> int:
    """The width of the terminal; 80 where there is none."""
    return max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST)


def text_width(text: str) -> int:
    r"""Count the places that a text takes: two for wide characters, none for accents.

    Examples
    --------
    >>> from vicinal.cli.terminal import text_width
    >>> text_width("Größe"), text_width("ペンギン"), text_width("e\u0301")
    (5, 8, 1)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def counted(count: int, word: str) -> str:
    """Say how many there are.

    Examples
    --------
    >>> from vicinal.cli.terminal import counted
    >>> counted(1, "case"), counted(2000, "row")
    ('1 case', '2000 rows')
    """
    return f"{count} {word}{'s' * (count != 1)}"


def cut(text: str, width: int) -> str:
    """Shorten a text to a width, and say so with a dot dot dot.

    Examples
    --------
    >>> from vicinal.cli.terminal import cut
    >>> cut("penguin", 7), cut("penguin", 5), cut("ペンギン", 6)
    ('penguin', 'peng…', 'ペン…')
    """
    if text_width(text) <= width:
        return text
    kept = ""
    for character in text:
        if text_width(kept + character) > width - 1:
            break
        kept += character
    return kept + "…"


def terminal_table(
    columns: Mapping[str, Sequence[Any]], *, width: int | None = None, gap: str = "?"
) -> str:
    """Lay out columns in lines no wider than the terminal.

    Parameters
    ----------
    columns : mapping of str to sequence
        The values by name. Numbers are aligned to the right.
    width : int, optional
        Of the lines; by default that of the terminal. Columns that do not fit are named below;
        the last one takes what is left of the line.
    gap : str
        What stands for a missing value.

    Examples
    --------
    >>> from vicinal.cli.terminal import terminal_table
    >>> print(terminal_table({"case": [3, 14], "species": ["Gentoo", None]}, width=60))
    case  species
       3  Gentoo
      14  ?
    """
    width = terminal_width() if width is None else width
    laid: list[list[str]] = []
    left = width
    for place, (name, values) in enumerate(columns.items()):
        last = place == len(columns) - 1
        cells = _laid(name, values, max(left - 2, _LEAST) if last else _WIDEST, gap)
        needed = text_width(cells[0]) + 2 * (place > 0)
        if place and needed > left:
            break
        laid.append(cells)
        left -= needed
    lines = ["  ".join(row).rstrip() for row in zip(*laid, strict=True)]
    rest = [format_value(name) for name in list(columns)[len(laid) :]]
    if rest:
        word = "column" if len(rest) == 1 else "columns"
        lines.append(cut(f"… and {len(rest)} more {word}: {', '.join(rest)}", width))
    return "\n".join(lines)


def _laid(name: str, values: Sequence[Any], widest: int, gap: str) -> list[str]:
    plain = [plain_value(value) for value in values]
    right = any(isinstance(value, int | float) for value in plain) and all(
        value is None or isinstance(value, int | float) for value in plain
    )
    cells = [cut(format_value(name), widest)]
    cells += [gap if value is None else cut(format_value(value), widest) for value in plain]
    width = max(map(text_width, cells))
    spaces = [" " * (width - text_width(cell)) for cell in cells]
    return [
        space + cell if right else cell + space for cell, space in zip(cells, spaces, strict=True)
    ]
