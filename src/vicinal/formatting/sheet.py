"""What a result shows: sentences and grids of cells, the same in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formatting.values import format_signed, format_value, plain_value, printable


@dataclass(frozen=True)
class Bar:
    """A number with a bar beside it.

    Parameters
    ----------
    text : str
        The number as text.
    share : float
        The length of the bar, from −1 to 1; a negative bar points to the other side.
    """

    text: str
    share: float


@dataclass(frozen=True)
class Marked:
    """A value that differs from the one it is compared with.

    Parameters
    ----------
    value : Any
        The value.
    why : str
        By how much it differs, shown when the pointer rests on it.
    """

    value: Any
    why: str = ""


class Words(str):
    """A sentence in a cell: it is shown whole, on several lines if need be."""

    __slots__ = ()


@dataclass(frozen=True)
class Grid:
    """A table of cells below a caption.

    Parameters
    ----------
    caption : str
        What the table shows; may be empty.
    columns : sequence of (str, sequence)
        Names and cells of the columns: values, `Bar`, `Marked` or `Words`. Names may repeat. The
        first column is the heading of the rows.
    own : collection of int
        Rows that others are compared with; they are set apart.
    note : str
        A sentence below the table, for example on what it leaves out.
    detail : bool
        Whether it is for the curious: a notebook folds it behind its caption, and a terminal
        does not show it.
    """

    caption: str
    columns: Sequence[tuple[str, Sequence[Any]]]
    own: frozenset[int] = frozenset()
    note: str = ""
    detail: bool = False

    def __len__(self) -> int:
        return len(self.columns[0][1]) if self.columns else 0


@dataclass(frozen=True)
class Sheet:
    """All that a result shows.

    Parameters
    ----------
    title : str
        What it is, in one line.
    notes : tuple of str
        Sentences below the title.
    grids : tuple of Grid
        Tables.

    Examples
    --------
    >>> from vicinal.formatting.sheet import Grid, Sheet
    >>> from vicinal.formatting.sheet_text import sheet_text
    >>> grid = Grid("", [("case", ["#3"]), ("distance", [1.5])], note="… and 2 more cases")
    >>> print(sheet_text(Sheet("Neighbors of 1 row", grids=(grid,))))
    Neighbors of 1 row
      case  distance
      #3         1.5
      … and 2 more cases
    """

    title: str
    notes: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()


def bars(numbers: Iterable[float], texts: Sequence[str] | None = None) -> list[Bar]:
    """Return numbers as bars, relative to the largest of them.

    Examples
    --------
    >>> from vicinal.formatting.sheet import bars
    >>> bars([2.0, -1.0])
    [Bar(text='+2.00', share=1.0), Bar(text='−1.00', share=-0.5)]
    """
    values = [float(one) for one in numbers]
    known = [abs(one) for one in values if np.isfinite(one)]
    most = max(known, default=0.0) or 1.0
    if texts is None:
        signed = any(one < 0 for one in values)
        texts = [format_signed(one, most) if signed else format_value(one) for one in values]
    lengths = [min(max(one / most, -1.0), 1.0) if one == one else 0.0 for one in values]  # noqa: PLR0124
    return [Bar(text, length) for text, length in zip(texts, lengths, strict=True)]


def left_out(count: int, noun: str) -> str:
    """Return a note on what a table leaves out; empty if it is nothing.

    Examples
    --------
    >>> from vicinal.formatting.sheet import left_out
    >>> left_out(1, "case"), left_out(0, "case")
    ('… and 1 more case', '')
    """
    return f"… and {count} more {noun}{'s' * (count != 1)}" if count > 0 else ""


def cell_text(cell: Any) -> str:
    """Return a cell as short text, without its bar or mark."""
    if isinstance(cell, Bar):
        return cell.text
    if isinstance(cell, Words):
        return printable(cell)
    return format_value(cell.value if isinstance(cell, Marked) else cell)


def is_numeric(cells: Iterable[Any]) -> bool:
    """Return whether all known cells are numbers, so that they are aligned to the right."""
    values = [plain_value(one.value if isinstance(one, Marked) else one) for one in cells]
    known = [one for one in values if one is not None and one != ""]
    numbers = (isinstance(one, int | float) and not isinstance(one, bool) for one in known)
    return bool(known) and all(numbers)
