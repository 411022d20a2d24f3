"""Encoded rows as the tables that a user's own estimators are fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from vicinal.schema.decode import decode_numbers
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.typing import Floats, Ints, Places


@dataclass(frozen=True, eq=False)
class EstimatorInput:
    """Turns encoded rows into what a user's estimators receive.

    With pandas installed, that is a DataFrame with the names and the order of the table's columns:
    numbers, dates and durations as floats, categories as pandas categories (ordered, if their
    order was declared), and NaN where a value is missing or a category was never seen. Without
    pandas, it is an array, of objects if there are categories.

    Parameters
    ----------
    features : tuple of Feature
        The features, in the order of the table.
    columns : ndarray of int64
        The encoded column of each.
    fixed : ndarray of int64
        Encoded columns that scores must not depend on, and
    typical : ndarray of shape (d,)
        the values that stand in for them.
    """

    features: tuple[Feature, ...]
    columns: Ints
    fixed: Ints
    typical: Floats

    @classmethod
    def of(cls, schema: Schema, context: Places, used: Ints, typical: Floats) -> EstimatorInput:
        """Choose the features of a context; those that are not used have a fixed value.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.estimator_input import EstimatorInput
        >>> from vicinal.schema.infer import infer_schema
        >>> schema = infer_schema({"job": ["cook", "smith", "cook"], "age": [31, None, 47]})
        >>> given = EstimatorInput.of(schema, np.array([0, 1]), np.array([0, 1]), np.zeros(2))
        >>> given.table(np.array([[31.0, 0.0], [np.nan, 1.0]]))
             job   age
        0   cook  31.0
        1  smith   NaN
        """
        inside = set(context.tolist())
        columns = [schema.column(name) for name in schema.names if schema.column(name) in inside]
        fixed = np.setdiff1d(columns, used).astype(np.int64)
        features = tuple(schema.storage[column] for column in columns)
        return cls(features, np.array(columns, dtype=np.int64), fixed, typical)

    def table(self, rows: Floats) -> Any:
        """Return encoded rows as a DataFrame, or as an array without pandas."""
        if len(self.fixed):
            rows = rows.copy()
            rows[:, self.fixed] = self.typical[self.fixed]
        cells = [rows[:, column] for column in self.columns.tolist()]
        try:
            pd = import_module("pandas")
        except ImportError:
            return self._array(cells)
        made = {
            feature.name: _cells(pd, one, feature)
            for one, feature in zip(cells, self.features, strict=True)
        }
        return pd.DataFrame(made, index=range(len(rows)))

    def _array(self, cells: list[Floats]) -> Any:
        if not any(map(is_category, self.features)):
            return np.column_stack([*map(_numbers, cells, self.features)])
        out = np.empty((len(cells[0]), len(cells)), dtype=object)
        for place, (one, feature) in enumerate(zip(cells, self.features, strict=True)):
            if is_category(feature):
                listed = [*(feature.categories or ()), None]
                out[:, place] = [listed[code] for code in _codes(one, feature).tolist()]
            else:
                out[:, place] = _numbers(one, feature)
        return out

    def described(self) -> str:
        """Describe the columns in words."""
        named = [repr(one.name) for one in self.features if is_category(one)]
        numbers = [repr(one.name) for one in self.features if not is_category(one)]
        kinds = [("numbers", numbers), ("categories", named)]
        return " and ".join(f"{kind} {_listed(names)}" for kind, names in kinds if names)


def is_category(feature: Feature) -> bool:
    """Return whether estimators receive a feature as categories rather than as floats."""
    if feature.kind is Kind.NOMINAL:
        return True
    return feature.listed and feature.family != "number"


def take(table: Any, places: Any) -> Any:
    """Return some rows of what `EstimatorInput.table` returned."""
    return table.iloc[places] if hasattr(table, "iloc") else table[places]


def _numbers(cells: Floats, feature: Feature) -> Floats:
    if not feature.listed:
        return decode_numbers(cells, feature)
    listed = np.array([*map(float, feature.categories or ()), np.nan])
    return listed[_codes(cells, feature)]


def _cells(pd: Any, cells: Floats, feature: Feature) -> Any:
    if not is_category(feature):
        return _numbers(cells, feature)
    listed, ordered = list(feature.categories or ()), feature.kind is Kind.ORDINAL
    return pd.Categorical.from_codes(_codes(cells, feature), listed, ordered=ordered)


def _codes(cells: Floats, feature: Feature) -> Places:
    """Return the place of each category; −1 where missing or never seen."""
    known = cells < len(feature.categories or ()) - 0.5  # which NaN is not
    return np.where(known, cells, -1.0).round().astype(np.intp)


def _listed(names: list[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
