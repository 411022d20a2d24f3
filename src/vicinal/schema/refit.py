"""A schema brought up to date with values that have come and gone since it was inferred."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.schema.categories import CategoryCodes, sort_by_frequency
from vicinal.schema.decode import decode_column
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.tables.column import Column
from vicinal.tables.values import value_key
from vicinal.typing import Floats


def refit_schema(
    matrix: Floats, schema: Schema, weights: Floats | None = None
) -> tuple[Schema, Floats]:
    """Return the schema that would be inferred of these values, and the values encoded by it.

    Nominal features have their categories in the order of their present frequency, without those
    that no longer occur; ordinal features whose order is that of their numbers have those that
    occur. The origin of dates, which changes nothing but roundings, stays.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.refit import refit_schema
    >>> schema = infer_schema({"job": ["cook", "cook", "smith", "pilot"]})
    >>> renewed, values = refit_schema(np.array([[1.0], [1.0], [2.0]]), schema)
    >>> schema["job"].categories, renewed["job"].categories
    (('cook', 'pilot', 'smith'), ('pilot', 'smith'))
    >>> values.ravel()
    array([0., 0., 1.])
    """
    values = matrix.copy()
    features = {feature.name: feature for feature in schema}
    for column, feature in zip(values.T, schema.storage, strict=True):
        if feature.kind is Kind.NOMINAL:
            features[feature.name], column[:] = _nominal(feature, column, weights)
        elif feature.kind is Kind.ORDINAL and not feature.listed:
            features[feature.name], column[:] = _ranked(feature, column)
        elif feature.dtype == "int" and feature.kind is Kind.CONTINUOUS:
            known = column[~np.isnan(column)]
            if (known != np.rint(known)).any():
                features[feature.name] = replace(feature, dtype="float")
    return replace(schema, features=tuple(features.values())), values


def _nominal(feature: Feature, codes: Floats, weights: Floats | None) -> tuple[Feature, Floats]:
    categories = feature.categories or ()
    known = np.where(np.isnan(codes), -1, codes).astype(np.intp)
    column = Column("category", known, levels=categories)
    kept = tuple(sort_by_frequency(column, weights))
    place = CategoryCodes(kept)
    moved = np.array([*(place.get(value_key(one), np.nan) for one in categories), np.nan])
    new = feature if kept == categories else replace(feature, categories=kept)
    return new, moved[known]


def _ranked(feature: Feature, ranks: Floats) -> tuple[Feature, Floats]:
    known = ~np.isnan(ranks)
    present, place = np.unique(ranks[known], return_inverse=True)
    if np.array_equal(present, np.arange(len(feature.categories or ()))):
        return feature, ranks
    categories = decode_column(present, feature)
    renewed = ranks.copy()
    renewed[known] = place
    return replace(feature, categories=tuple(categories)), renewed
