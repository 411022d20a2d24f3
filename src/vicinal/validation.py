"""What a user hands to the Model, checked before anything is done with it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError
from vicinal.typing import Floats


def check_power(p: object) -> None:
    """Refuse a power that is not a finite number, at least 0."""
    if not isinstance(p, float | int | np.number) or not (math.isfinite(p) and p >= 0):
        raise ParameterError(f"p must be a finite number, at least 0; got {p!r}.")


def check_whole(what: str, value: object, least: int) -> None:
    """Refuse what is not a whole number, or is too small."""
    if not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{what} must be a whole number, at least {least}; got {value!r}.")


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
