"""A schema as text and as a small HTML table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from vicinal.formatting.text_table import aligned_lines
from vicinal.formatting.values import format_count, short_text
from vicinal.schema.kinds import Kind
from vicinal.schema.roles import ROLE_NAMES
from vicinal.tables.times import in_zone

if TYPE_CHECKING:
    from vicinal.schema.feature import Feature
    from vicinal.schema.schema import Schema

_HEAD = ("name", "kind", "values", "missing values")
_MOST_ROWS = 60
_MOST_CATEGORIES = 6


def text(schema: Schema) -> str:
    """Give the features, and the columns that are none, as an aligned table."""
    lines = aligned_lines(_cells(schema))
    return "\n".join([_title(schema), *(f"  {line}".rstrip() for line in lines)])


def html(schema: Schema) -> str:
    """Give them as an HTML table; all that comes from the data is escaped."""
    names, *rows = _cells(schema)
    head = "".join(f"<th>{cell}</th>" for cell in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table><caption>{_title(schema)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _title(schema: Schema) -> str:
    title = f"Schema of {format_count(len(schema), 'feature')}"
    count = len(schema.ignored)
    return title + (f"; {format_count(count, 'column')} ignored" if count else "")


def _cells(schema: Schema) -> list[tuple[str, ...]]:
    """Return the head and the rows, with a column for missing values if there is a word to say."""
    cells = [_HEAD, *_rows(schema)]
    return cells if any(row[-1] for row in cells[1:]) else [row[:-1] for row in cells]


def _rows(schema: Schema) -> list[tuple[str, ...]]:
    notes = dict(schema.notes)
    features: list[tuple[str, ...]] = [
        (short_text(one.name), str(one.kind), _summary(one, notes), _missing(one))
        for one in schema.features[:_MOST_ROWS]
    ]
    ignored: list[tuple[str, ...]] = [
        (short_text(one.name), "ignored", ROLE_NAMES[one.role], "")
        for one in schema.ignored[:_MOST_ROWS]
    ]
    return _with_rest(features, len(schema)) + _with_rest(ignored, len(schema.ignored))


def _with_rest(rows: list[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    left = count - len(rows)
    return [*rows, (f"… and {left} more", "", "", "")] if left else rows


def _missing(feature: Feature) -> str:
    """Tell which values mean missing, and how they are compared unless that is as usual."""
    markers = [short_text(str(value)) for value in feature.missing_values[:_MOST_CATEGORIES]]
    words = [f"also {', '.join(markers)}"] if markers else []
    return "; ".join([feature.missing, *words] if feature.missing != "expected" else words)


def _summary(feature: Feature, notes: Mapping[str, str]) -> str:
    """What its values are, and whether they are those of another feature."""
    note = notes.get(feature.name)
    return _values(feature) + (f"; {note}" if note else "")


def _values(feature: Feature) -> str:
    if feature.categories is not None:
        return categories_text(feature.categories, feature.kind)
    summary = feature.dtype
    if feature.kind is Kind.CYCLIC:
        return f"{summary}, period {feature.period:g}"
    if feature.family == "instant" and feature.origin is not None:
        origin = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=feature.origin)
        origin = in_zone(origin, feature.timezone)
        return f"{summary} from {origin:%Y-%m-%d}"
    return summary


def categories_text(categories: Sequence[Any], kind: Kind) -> str:
    """Count the categories and list the first ones, in their order if they have one."""
    shown = [short_text(str(value)) for value in categories[:_MOST_CATEGORIES]]
    if len(categories) > _MOST_CATEGORIES:
        shown.append("…")
    count = f"{len(categories)} categor{'y' if len(categories) == 1 else 'ies'}"
    listing = (" < " if kind is Kind.ORDINAL else ", ").join(shown)
    # Line breaks and other control characters in the data would break the table.
    return f"{count}: {listing}" if shown else count
