"""CSV and TSV: the dialect, and rows as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, BinaryIO

from vicinal.exceptions import FeatureError, TableError
from vicinal.table_files.blocks import Block, TextBlock
from vicinal.table_files.cells import MISSING

#: What separates the names of a CSV file without commas, as spreadsheets write it where commas are
#: decimal points, and databases anywhere.
_OTHERS = ";\t|"

#: What hardly names a column: a number that is no year.
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}|\d{5,}|\d*\.\d+)")

#: A number with a decimal comma, and points or not between thousands.
_WITH_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+(?:[eE][-+]?\d+)?")
#: What may stand beside such numbers. A point without a comma may be either kind of point.
_WHOLE = re.compile(r"[-+]?\d+")


@contextmanager
def open_text(file: BinaryIO, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Read a file as text, and leave it to whoever opened it, unless it is closed already."""
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    text = io.TextIOWrapper(file, encoding="utf-8-sig" if plain else encoding, newline="")
    try:
        yield text
    finally:
        if not text.closed:
            text.detach()


def read_delimited(
    file: BinaryIO, path: str, encoding: str, size: int | None, *, separator: str
) -> Iterator[Block]:
    """Read CSV, or TSV by its separator; other separators are recognized from the first line.

    Between semicolons, a column of numbers may have decimal commas.
    """
    with open_text(file, encoding) as text:
        yield from _parse_delimited(text, path, size, separator)


def _parse_delimited(
    text: io.TextIOWrapper, path: str, size: int | None, separator: str
) -> Iterator[Block]:
    first = text.readline()
    while first and not first.strip():
        first = text.readline()
    if not first:
        raise TableError(f"{path} is empty; expected a line of column names, followed by rows.")
    if separator == "," and "," not in first:
        separator = max(_OTHERS, key=first.count) if set(_OTHERS) & set(first) else ","
    lines = csv.reader(chain([first], text), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(lines)]
        _check_names(names, path)
        rows = _even_rows(lines, len(names), path)
        start = 0
        while taken := list(islice(rows, size)):
            cells = zip(*taken, strict=True)
            columns = {name: list(column) for name, column in zip(names, cells, strict=True)}
            if separator == ";":
                columns = {name: _with_points(column) for name, column in columns.items()}
            yield TextBlock(columns, path, start)
            start += len(taken)
    except csv.Error as error:
        raise TableError(f"{path}, line {lines.line_num + 1}: {error}.") from error


def _with_points(cells: list[str]) -> list[str]:
    """Write a column of numbers with decimal commas as others do; any other stays as it is.

    Examples
    --------
    >>> from vicinal.table_files.delimited import _with_points
    >>> _with_points(["1.234,5", "-7", "NA"]), _with_points(["1,5", "about 2"])
    (['1234.5', '-7', 'NA'], ['1,5', 'about 2'])
    """
    known = {cell.strip() for cell in cells} - MISSING
    if not any(map(_WITH_COMMA.fullmatch, known)):
        return cells
    if not all(_WITH_COMMA.fullmatch(cell) or _WHOLE.fullmatch(cell) for cell in known):
        return cells
    plain = {cell: cell.replace(".", "").replace(",", ".") for cell in known}
    return [plain.get(cell.strip(), cell) for cell in cells]


def _even_rows(lines: Any, width: int, path: str) -> Iterator[list[str]]:
    for row in lines:
        if not row:
            continue  # an empty line
        if len(row) != width:
            raise TableError(
                f"{path}, line {lines.line_num}: {len(row)} cell{'s' * (len(row) != 1)}, "
                f"but {width} column names."
            )
        yield row


def _check_names(names: list[str], path: str) -> None:
    for place, name in enumerate(names):
        if not name:
            raise FeatureError(
                f"{path}: column {place + 1} has no name; give it one.{_headless(names)}"
            )
        if name in names[:place]:
            raise FeatureError(
                f"{path}: two columns are named {name!r}; rename one of them.{_headless(names)}"
            )


def _headless(names: list[str]) -> str:
    """Return a hint where the first line is rather a row than the names of the columns."""
    if not any(_NUMBER.fullmatch(name) for name in names):
        return ""
    return " The first line looks like a row; it should have the names of the columns."
