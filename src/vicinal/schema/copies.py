"""Columns that say nothing of their own: constants, copies and near copies of other columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

import numpy as np

from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.schema.spelling import spelling_note
from vicinal.tables.column import BLOCK, Column
from vicinal.tables.counting import distinct_values
from vicinal.typing import Bools, Floats, Places

#: In fewer rows, columns are one-to-one by chance.
_LEAST_ROWS = 20
#: Copies are looked for in so many rows first, since few columns look alike there.
_FIRST_ROWS = 1000
#: Two numbers whose correlation is beyond this are nearly the same.
_NEARLY = 0.999
#: Near copies are looked for in tables that take no more multiplications.
_MOST_WORK = 2 * 10**8


def with_notes(schema: Schema, values: Floats) -> Schema:
    """Return the schema with a note on features that are empty, constant, copies or oddly spelled.

    Parameters
    ----------
    schema : Schema
        The features.
    values : ndarray of shape (n, d)
        The encoded table.

    Notes
    -----
    Copies are looked for in tables of 20 rows and more. Such features stay what they are: a
    constant has no weight anyway, and a copy may be asked for. Of two copies, the second by name
    has the note.

    Examples
    --------
    >>> from vicinal.schema.copies import with_notes
    >>> from vicinal.schema.encode import encode
    >>> from vicinal.schema.infer import infer_schema
    >>> height = [150 + n % 37 for n in range(90)]
    >>> inches = [one / 2.54 for one in height]
    >>> table = {"cm": height, "inch": inches, "planet": ["Earth"] * 90}
    >>> schema = infer_schema(table)
    >>> dict(with_notes(schema, encode(table, schema)).notes)
    {'inch': "one-to-one with 'cm'", 'planet': 'constant'}
    """
    names = [feature.name for feature in schema.storage]
    nominal = np.array([feature.kind is Kind.NOMINAL for feature in schema.storage])
    low = high = np.full(len(names), np.nan)
    for block in _blocks(values):
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    constant = ~(high > low)
    notes = {
        names[column]: "all missing" if np.isnan(low[column]) else "constant"
        for column in np.flatnonzero(constant).tolist()
    }
    places = np.flatnonzero(~constant)
    if len(values) < _LEAST_ROWS:
        places = places[:0]
    copies = find_copies(values, places, nominal)
    notes |= {names[column]: f"one-to-one with {names[other]!r}" for column, other in copies}
    left = [place for place in places.tolist() if names[place] not in notes and not nominal[place]]
    near = near_copies(values, np.array(left, dtype=np.intp))
    notes |= {names[column]: f"nearly proportional to {names[other]!r}" for column, other in near}
    written = {feature.name: spelling_note(feature) for feature in schema.storage}
    notes = {name: note for name, note in written.items() if note} | notes
    ordered = tuple((name, notes[name]) for name in schema.names if name in notes)
    return replace(schema, notes=ordered)


def find_copies(values: Floats, columns: Places, nominal: Bools) -> list[tuple[int, int]]:
    """Return columns that are one-to-one with an earlier column, and that column.

    Numeric columns are copies if one is a strictly monotonic function of the other; nominal ones
    if their categories correspond one-to-one, unless all differ.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.copies import find_copies
    >>> find_copies(np.array([[1.0, -2], [3, -6]]), np.array([0, 1]), np.zeros(2, dtype=bool))
    [(1, 0)]
    """
    first = {
        column: _shape_of(values[:_FIRST_ROWS, column], nominal=bool(nominal[column]))
        for column in columns.tolist()
    }
    alike = Counter(first.values())
    seen: dict[bytes, int] = {}
    found = []
    for column, start in first.items():
        if start and alike[start] == 1:  # those that are constant so far may yet be copies
            continue
        key = _shape_of(values[:, column], nominal=bool(nominal[column]))
        if key and seen.setdefault(key, column) != column:
            found.append((column, seen[key]))
    return found


def near_copies(values: Floats, columns: Places) -> list[tuple[int, int]]:
    """Return numeric columns that correlate almost perfectly with an earlier one."""
    if len(values) * len(columns) ** 2 > _MOST_WORK or len(columns) < 2:
        return []
    largest, sums = np.zeros(len(columns)), np.zeros((2, len(columns)))
    for block in _blocks(values):
        largest = np.fmax(largest, np.fmax.reduce(np.abs(block[:, columns]), axis=0))
    for block in _blocks(values):
        scaled = block[:, columns] / largest  # squares of huge numbers overflow
        sums += np.nansum(scaled, axis=0), (~np.isnan(scaled)).sum(axis=0)
    products = np.zeros((len(columns), len(columns)))
    for block in _blocks(values):
        centered = block[:, columns] / largest - sums[0] / sums[1]
        centered[np.isnan(centered)] = 0.0
        products += centered.T @ centered
    spread = np.sqrt(np.diag(products))
    spread = np.where(spread > 0, spread, 1.0)
    near = np.triu(np.abs(products / spread / spread[:, None]) > _NEARLY, k=1)
    return [
        (int(columns[at]), int(columns[np.flatnonzero(near[:, at])[0]]))
        for at in np.flatnonzero(near.any(axis=0))
    ]


def _blocks(values: Floats) -> Iterator[Floats]:
    """Go through rows that may be mapped from a file."""
    return (values[start : start + BLOCK] for start in range(0, len(values), BLOCK))


def _shape_of(values: Floats, *, nominal: bool) -> bytes:
    """Bytes that are equal for columns that are one-to-one."""
    levels = distinct_values(Column("float", values))
    if len(levels) < 2 or (nominal and len(levels) == _count_known(values)):
        return b""
    if nominal:
        # Number the categories by where they are seen first.
        places = np.argsort(np.argsort(_first_seen(values, levels)))
    else:
        places = np.arange(len(levels))
        places = places[::-1] if _is_turned(values, levels) else places
    digest = sha256(b"n" if nominal else b"c")
    for block in _blocks(values):
        known = ~np.isnan(block)
        whole = np.full(len(block), -1, dtype=np.int64)
        whole[known] = places[np.searchsorted(levels, block[known])]
        digest.update(whole.tobytes())
    return digest.digest()


def _count_known(values: Floats) -> int:
    return sum(int(np.count_nonzero(~np.isnan(block))) for block in _blocks(values))


def _first_seen(values: Floats, levels: Floats) -> Places:
    """Return the first row of each level."""
    first = np.full(len(levels), len(values))
    for number, block in enumerate(_blocks(values)):
        rows = np.flatnonzero(~np.isnan(block))
        np.minimum.at(first, np.searchsorted(levels, block[rows]), number * BLOCK + rows)
    return first


def _is_turned(values: Floats, levels: Floats) -> bool:
    """Whether the first value is above the last one.

    If they are equal: whether the first that differs from the middle of the range lies above it.
    """
    ends = np.empty(0)
    for block in _blocks(values):
        known = block[~np.isnan(block)]
        ends = np.r_[ends[:1], known[:1], known[-1:]]
    if ends[0] != ends[-1]:
        return bool(ends[0] > ends[-1])
    middle = (len(levels) - 1) / 2
    for block in _blocks(values):
        codes = np.searchsorted(levels, block[~np.isnan(block)])
        off = np.flatnonzero(codes != middle)
        if len(off):
            return bool(codes[off[0]] > middle)
    return False
