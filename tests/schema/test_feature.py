"""Features, and what they refuse."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.feature import Feature


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "nominl"}, "kind 'nominl'; expected one of .* Did you mean 'nominal'"),
        ({"kind": 3}, "kind 3; expected one of continuous, ordinal, cyclic, nominal"),
        ({"dtype": "text"}, "dtype 'text'; expected one of float"),
        ({"categories": None}, "is nominal and has categories None"),
        ({"kind": "continuous"}, "is continuous and has categories"),
        ({"categories": ("x", "y", "x")}, "have 'x' twice"),
        ({"categories": (1, 1.0)}, "have 1.0 twice"),
        ({"classes": ("x", "x")}, "The classes .* have 'x' twice"),
        (
            {"kind": "continuous", "categories": None, "classes": ("x",)},
            "is continuous and has classes",
        ),
        ({"period": 3.0}, "is nominal and has the period 3.0"),
        ({"kind": "cyclic", "categories": None}, "is cyclic and has the period None"),
        ({"kind": "cyclic", "categories": None, "period": 0.0}, "period 0.0; expected a finite"),
        ({"kind": "cyclic", "categories": None, "period": np.inf}, "period inf"),
        ({"missing": "dropped"}, "missing='dropped'; expected 'expected' or 'distinct'"),
        ({"name": 3}, "name 3 is not a string"),
    ],
)
def test_features_refuse_what_does_not_fit(fields, message):
    given = {"name": "b", "kind": "nominal", "dtype": "string", "categories": ("x", "y"), **fields}
    with pytest.raises((FeatureError, ParameterError), match=message):
        Feature(**given)


def test_labels_of_different_types_are_different_categories():
    assert len(Feature("b", "nominal", "mixed", categories=(1, True, "1")).codes) == 3


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ({"name": "x", "kind": "continuous"}, "'dtype' is missing"),
        ({"name": "x", "kind": "continuous", "dtype": "int", "code": "x"}, "'code' is unknown"),
        (
            {"name": "x", "kind": "nominal", "dtype": "int", "categories": [None]},
            "None is not a category",
        ),
        (
            {"name": "x", "kind": "nominal", "dtype": "int", "categories": [{"eval": "1"}]},
            "is not a category",
        ),
    ],
)
def test_saved_features_that_are_wrong_are_refused(saved, message):
    with pytest.raises(ParameterError, match=message):
        Feature.from_dict(saved)


def test_a_decimal_category_is_the_number_that_it_is():
    with pytest.raises(FeatureError, match="twice"):
        Feature("x", "nominal", "decimal", categories=(Decimal("0.1"), 0.1))
