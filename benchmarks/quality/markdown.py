"""Aligned tables that read well in a terminal and in a page."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table: first column to the left, the others to the right.

    Examples
    --------
    >>> print(table(["model", "r2"], [["knn", 0.5], ["linear", None]]))
    | model  |    r2 |
    |:-------|------:|
    | knn    | 0.500 |
    | linear |     – |
    """
    cells = [list(header), *([_text(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    rule = [":" + "-" * (widths[0] + 1), *("-" * (width + 1) + ":" for width in widths[1:])]
    lines = ["| " + " | ".join(_aligned(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join(rule) + "|", *lines[1:]])


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first = row[0].ljust(widths[0])
    return [first, *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]


def _text(value: object) -> str:
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
