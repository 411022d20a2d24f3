"""What the user declares about features, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.schema.examples import PARCELS, kinds_of
from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema


@pytest.mark.parametrize(
    "chosen",
    [["zip"], ("zip",), {"zip"}, [1], np.array([1]), [False, True, False, False],
     np.array([False, True, False, False])],
)  # fmt: skip
def test_categorical_features_are_names_numbers_or_a_mask(chosen):
    schema = infer_schema(PARCELS, categorical_features=chosen)
    assert kinds_of(schema) == {
        "age": "continuous",
        "zip": "nominal",
        "size": "nominal",
        "hour": "continuous",
    }
    assert schema["zip"].categories == (200, 100, 300)


@pytest.mark.parametrize("nothing", ["from_dtype", None, [], [False] * 4])
def test_without_categorical_features_the_dtype_decides(nothing):
    kinds = kinds_of(infer_schema(PARCELS, categorical_features=nothing))
    assert [name for name, kind in kinds.items() if kind == "nominal"] == ["size"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"categorical_features": ["zipp"]}, FeatureError,
         "categorical_features names 'zipp', .*Did you mean 'zip'"),
        ({"ordinal_features": ["sizes"]}, FeatureError,
         "ordinal_features names 'sizes'.*Did you mean 'size'"),
        ({"ordinal_features": {"sise": ["S"]}}, FeatureError, "Did you mean 'size'"),
        ({"cyclic_features": {"hours": 24}}, FeatureError,
         "cyclic_features names 'hours'.*Did you mean 'hour'"),
        ({"kinds": {"agee": "nominal"}}, FeatureError, "kinds names 'agee'.*Did you mean 'age'"),
        ({"kinds": {3: "nominal"}}, FeatureError, "kinds names 3.*The columns are 'age', 'zip'"),
        ({"missing_values": {"agee": -1}}, FeatureError, "missing_values names 'agee'"),
        ({"kinds": {"age": "nominl"}}, FeatureError, "'nominl'.*Did you mean 'nominal'"),
        ({"kinds": "nominal"}, ParameterError, "kinds='nominal'; expected a dict"),
        ({"categorical_features": "zip"}, ParameterError, "categorical_features='zip'; expected"),
        ({"categorical_features": 3}, ParameterError, "categorical_features=3; expected"),
        ({"categorical_features": [4]}, FeatureError, "column number 4; expected .* 0 to 3"),
        ({"categorical_features": [-1]}, FeatureError, "column number -1"),
        ({"categorical_features": [True]}, ParameterError, "1 bools and the table 4 columns"),
        ({"ordinal_features": "size"}, ParameterError, "ordinal_features='size'; expected a list"),
        ({"ordinal_features": {"size": "SML"}}, ParameterError, "order 'SML'; expected a list"),
        ({"ordinal_features": {"size": []}}, FeatureError, "at least one category"),
        ({"ordinal_features": {"size": ["S", None]}}, FeatureError, "none that is missing"),
        ({"ordinal_features": {"size": ["S", "M", "L", "S"]}}, FeatureError, "have 'S' twice"),
        ({"ordinal_features": ["size"]}, FeatureError,
         r"'size' was declared ordinal.*'S'.*Give the order: ordinal_features=\{'size'"),
        ({"ordinal_features": {"size": ["s", "M", "L"]}}, TableError,
         "'size' has 'S' in row 0; expected one of .*Did you mean 's'"),
        ({"ordinal_features": {"zip": [100, 200]}}, TableError, "'zip' has 300 in row 3"),
        ({"ordinal_features": {"zip": ["100"]}}, TableError,
         r"'zip' has 100 \(int\) in row 0; expected strings"),
        ({"cyclic_features": ["hour"]}, ParameterError, "expected a dict of names and their peri"),
        ({"cyclic_features": {"hour": 0}}, FeatureError, "'hour' has the period 0; expected"),
        ({"cyclic_features": {"hour": -24}}, FeatureError, "period -24"),
        ({"cyclic_features": {"hour": np.nan}}, FeatureError, "period nan"),
        ({"cyclic_features": {"hour": "24"}}, FeatureError, "period '24'"),
        ({"cyclic_features": {"hour": True}}, FeatureError, "period True"),
        ({"cyclic_features": {"size": 3}}, FeatureError,
         r"'size' was declared cyclic by cyclic_features, but it holds string.*\(row 0: 'S'"),
        ({"kinds": {"size": "continuous"}}, FeatureError, "declared continuous by kinds.*numbers"),
        ({"kinds": {"hour": "cyclic"}}, FeatureError, "cyclic without a period.*cyclic_features="),
        ({"kinds": {"hour": "nominal"}, "cyclic_features": {"hour": 24}}, FeatureError,
         "'hour' was declared cyclic by cyclic_features and nominal by kinds"),
        ({"categorical_features": ["age"], "ordinal_features": ["age"]}, FeatureError,
         "nominal by categorical_features and ordinal by ordinal_features"),
        ({"missing_values": [["a"]]}, ParameterError, r"missing_values has \['a'\]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_a_reason(options, error, message):
    with pytest.raises(error, match=message):
        infer_schema(PARCELS, **options)


def test_markers_by_column_leave_other_columns_alone():
    table = {"x": [-1, 2], "y": [-1, 2]}
    schema = infer_schema(table, missing_values={"x": -1})
    assert schema["x"].missing_values == (-1,)
    assert schema["y"].missing_values == ()
    np.testing.assert_array_equal(encode(table, schema), [[np.nan, -1], [2, 2]])


def test_markers_count_for_later_rows_too():
    schema = infer_schema({"x": [1.5, 2.5]}, missing_values=("?", -999))
    for later in ({"x": ["?", 3]}, {"x": [-999, 3]}, pd.DataFrame({"x": [-999.0, 3]})):
        np.testing.assert_array_equal(encode(later, schema)[:, 0], [np.nan, 3])
