"""Weights of features by name."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.infer import infer_schema
from vicinal.schema.weights import feature_weights

SCHEMA = infer_schema({"job": ["cook"], "zip": [1], "age": [31]})


def test_weights_stand_in_storage_order_and_are_one_by_default():
    assert feature_weights(None, SCHEMA).tolist() == [1, 1, 1]
    assert feature_weights({"job": 0, "age": 2.5}, SCHEMA).tolist() == [2.5, 1, 0]


@pytest.mark.parametrize("weight", [-1, np.inf, np.nan])
def test_weights_must_be_finite_and_not_negative(weight):
    with pytest.raises(ParameterError, match=f"not negative; got {weight} for 'age'"):
        feature_weights({"age": weight}, SCHEMA)


def test_unknown_features_get_a_suggestion():
    with pytest.raises(FeatureError, match="Did you mean 'age'"):
        feature_weights({"agee": 1}, SCHEMA)
