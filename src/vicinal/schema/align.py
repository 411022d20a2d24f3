"""New tables matched to a fitted schema: which column is which feature, and what is new."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, ParameterError, TableError, did_you_mean
from vicinal.schema.categories import find_codes, sort_by_frequency
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.tables.casts import mask_values
from vicinal.tables.column import Column
from vicinal.tables.counting import check_all_finite
from vicinal.tables.table import Table, read_table
from vicinal.tables.values import list_values
from vicinal.typing import Places


def table_names(table: Any, schema: Schema | None = None) -> tuple[str, ...]:
    """Return the names of a table's columns; a bare array has those of the schema.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.align import table_names
    >>> schema = infer_schema({"age": [31, 47], "job": ["cook", "smith"]})
    >>> table_names(np.array([[52, "pilot"]], dtype=object), schema)
    ('age', 'job')
    """
    read = read_table(table)
    return read.names if schema is None else _named_by(schema, read).names


def match_columns(
    table: Table, schema: Schema, *, require: bool | Collection[str] = True
) -> Table:
    """Find the columns of a schema's features, with its missing values taken out.

    What is required is as in `encode`; a column that the schema does not have is an error.

    Returns
    -------
    Table
        The column of each feature that is there, in the order of the schema.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.tables.table import read_table
    >>> from vicinal.schema.align import match_columns
    >>> schema = infer_schema({"age": [31], "job": ["cook"]})
    >>> match_columns(read_table({"job": ["pilot"]}), schema, require=False).names
    ('job',)
    """
    _check_required(require, schema)
    table = _named_by(schema, table)
    absent = [name for name in schema.names if name not in table.columns]
    unknown = [
        name for name in table.names if name not in schema and name not in schema.table_names
    ]
    if unknown:
        hint = did_you_mean(unknown[0], absent) or " Drop the column."
        raise FeatureError(
            f"Column {unknown[0]!r} is not in the schema; expected its features "
            f"{list_values(schema.names)}.{hint}"
        )
    needed = [
        name for name in absent if (require if isinstance(require, bool) else name in require)
    ]
    if needed:
        others = f" (and {len(needed) - 1} more)" if len(needed) > 1 else ""
        raise TableError(
            f"Column {needed[0]!r} is absent{others}; expected the features "
            f"{list_values(schema.names)}."
        )
    columns = {
        one.name: mask_values(table.columns[one.name], one.missing_keys, one.name)
        for one in schema
        if one.name in table.columns
    }
    masked = [name for name in table.places if columns.get(name) is not table.columns[name]]
    return replace(table.drop(masked), columns=columns)


def grow_schema(table: Any, schema: Schema) -> Schema:
    """Return the schema with the categories that a table adds to nominal features.

    Parameters
    ----------
    schema : Schema
        The schema so far. Codes keep their meaning: what is new is appended, the most frequent
        first. Ordinal features never grow, since that would change the ranks of others.

    Examples
    --------
    >>> from vicinal.schema.align import grow_schema
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith"]})
    >>> grow_schema({"job": ["pilot", "cook"]}, schema)["job"].categories
    ('cook', 'smith', 'pilot')
    """
    columns = match_columns(read_table(table), schema, require=False).columns
    grown = tuple(_grown(one, columns.get(one.name)) for one in schema)
    if all(new is old for new, old in zip(grown, schema, strict=True)):
        return schema  # as it mostly is when single cases come; it knows its columns already
    return replace(schema, features=grown)


def nominal_codes(column: Column, feature: Feature) -> tuple[Places, Places, tuple[Any, ...]]:
    """Find the codes of a column's levels: `find_codes` for the categories of a feature."""
    check_all_finite(column, feature.name)
    return find_codes(column, feature.codes, feature.name)


def _grown(feature: Feature, column: Column | None) -> Feature:
    if column is None or feature.kind is not Kind.NOMINAL:
        return feature
    rows, codes, levels = nominal_codes(column, feature)
    unknown = np.where(np.append(codes, 0)[rows] < 0, rows, -1)
    new = sort_by_frequency(Column(column.dtype, unknown, levels=levels))
    return replace(feature, categories=(*(feature.categories or ()), *new)) if new else feature


def _named_by(schema: Schema, table: Table) -> Table:
    if table.named or table.names == schema.names:
        return table
    for names in (schema.names, schema.table_names):  # without and with the ignored columns
        if len(table.names) == len(names):
            return table.rename(names)
    raise TableError(
        f"The array has {len(table.names)} columns and the schema {len(schema)} features; "
        "expected as many. Give the names with a dataframe or a dict to leave some out."
    )


def _check_required(require: Any, schema: Schema) -> None:
    if isinstance(require, str):
        raise ParameterError(f"require={require!r}; expected True, False or a list of names.")
    if not isinstance(require, bool):
        schema.columns(require)  # raises an error for unknown names
