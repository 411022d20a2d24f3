"""What a user hands to the Model, checked before anything is done with it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError, TableError
from vicinal.schema.schema import Schema
from vicinal.typing import Floats

#: Differences beyond this, and below its inverse, are too near the limits of floats.
_WIDEST = 1e300


def check_power(p: object) -> None:
    """Refuse a power that is not a finite number, at least 0."""
    if not isinstance(p, float | int | np.number) or not (math.isfinite(p) and p >= 0):
        raise ParameterError(f"p must be a finite number, at least 0; got {p!r}.")


def check_whole(what: str, value: object, least: int) -> None:
    """Refuse what is not a whole number, or is too small."""
    if not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{what} must be a whole number, at least {least}; got {value!r}.")


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


def feature_weights(given: Mapping[str, float] | None, schema: Schema) -> Floats:
    """Return the weights over the encoded columns; features that are not named have 1."""
    weights = np.ones(len(schema))
    for name, weight in (given or {}).items():
        if not (np.isfinite(weight) and weight >= 0):
            raise ParameterError(
                f"feature_weights must be finite and not negative; got {weight!r} for {name!r}."
            )
        weights[schema.column(name)] = weight
    return weights


def case_weights(sample_weight: ArrayLike | None, count: int) -> Floats | None:
    """Return the weights of so many cases as an array, or None where all are 1."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (count,):
        raise ParameterError(
            f"sample_weight must have one number per row, shape ({count},); got {weights.shape}."
        )
    if (weights < 0).any() or not np.isfinite(weights).all():
        row = int(np.argmax((weights < 0) | ~np.isfinite(weights)))
        raise ParameterError(
            f"sample_weight must be finite and not negative; got {weights[row]} in row {row}."
        )
    if not weights.any():
        raise ParameterError("sample_weight is 0 throughout; at least one case must count.")
    return weights
