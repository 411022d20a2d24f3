"""The range of encoded values: their differences must not come near the limits of floats."""

from __future__ import annotations

import numpy as np

from vicinal.exceptions import TableError
from vicinal.schema.schema import Schema
from vicinal.typing import Floats

#: Differences beyond this, and below its inverse, are too near the limits of floats.
_WIDEST = 1e300


def check_spans(values: Floats, schema: Schema) -> None:
    """Refuse encoded columns whose differences, or the inverse of them, no float can hold."""
    for column, feature in zip(values.T, schema.storage, strict=True):
        with np.errstate(over="ignore"):
            span = np.fmax.reduce(column) - np.fmin.reduce(column)
        if span > _WIDEST or 0 < span < 1 / _WIDEST:
            raise TableError(
                f"The values of {feature.name!r} are up to {span:.3g} apart; expected between "
                f"{1 / _WIDEST:g} and {_WIDEST:g}. Use another unit."
            )


def check_range(values: Floats, schema: Schema) -> None:
    """Refuse encoded rows that come later and whose differences no float could hold."""
    far = np.abs(values) > _WIDEST
    if far.any():
        row, column = (int(one[0]) for one in np.nonzero(far))
        raise TableError(
            f"Column {schema.storage[column].name!r} has {values[row, column]:.3g} in row {row}; "
            f"expected at most {_WIDEST:g}. Use another unit."
        )
