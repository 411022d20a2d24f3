"""Weights of features by name, as weights of the encoded columns."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.schema.schema import Schema
from vicinal.typing import Floats


def feature_weights(given: Mapping[str, float] | None, schema: Schema) -> Floats:
    """Return the weights of the encoded columns; features that are not named have 1.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.weights import feature_weights
    >>> feature_weights({"age": 0.5}, infer_schema({"job": ["cook"], "age": [31]}))
    array([0.5, 1. ])
    """
    weights = np.ones(len(schema))
    for name, weight in (given or {}).items():
        number = isinstance(weight, Real)
        if not (number and np.isfinite(float(weight)) and weight >= 0):
            raise ParameterError(
                f"feature_weights must be finite and not negative; got {weight!r} for {name!r}."
            )
        weights[schema.column(name)] = weight
    return weights
