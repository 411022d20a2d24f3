"""Columns of plain text."""

from collections.abc import Sequence

__all__ = ["columns", "section"]


def columns(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Rows of cells as aligned lines.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells; a row may be shorter than the others.
    left : int
        How many columns, from the first, are aligned to the left. The others, which usually
        hold numbers, are aligned to the right.

    Returns
    -------
    str
        One line per row, without trailing spaces.

    Examples
    --------
    >>> print(columns([["mass", "3.5"], ["sex", "0.25"]]))
    mass   3.5
    sex   0.25
    """
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    )


def section(title: str, *parts: str) -> str:
    """Parts of text under an underlined title.

    Examples
    --------
    >>> print(section("Schema", "two features"))
    Schema
    ------
    two features
    """
    return "\n".join([title, "-" * len(title), *parts])
