"""Columns of results have the types of their values."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from vicinal import Model
from vicinal.tables.to_frame import build_frame
from vicinal.tables.typed_columns import typed_column

COLUMNS = {
    "whole": [1, None, 3],
    "part": [1, 2.5, None],
    "yes": [True, None, False],
    "day": [dt.date(2024, 1, 31), None, dt.date(9999, 12, 31)],
    "moment": [dt.datetime(2024, 1, 31, 12), None, dt.datetime(1, 1, 1)],
    "word": ["a", None, "b"],
    "several": [1, "a", None],
    "nothing": [None, None, None],
}


def test_pandas_columns_have_types():
    frame = build_frame(COLUMNS, "pandas")
    found = {name: str(dtype) for name, dtype in frame.dtypes.items()}
    assert found["whole"] == "Int64"
    assert found["part"] == "float64"
    assert found["yes"] == "boolean"
    assert found["day"].startswith("datetime64")
    assert found["moment"].startswith("datetime64")
    assert found["nothing"] == "float64"
    assert frame["several"].tolist()[:2] == ["1", "a"]
    assert frame["day"][2].year == 9999
    assert frame.isna().sum().tolist() == [1, 1, 1, 1, 1, 1, 1, 3]


def test_polars_columns_have_types():
    frame = build_frame(COLUMNS, "polars")
    expected = [pl.Int64, pl.Float64, pl.Boolean, pl.Date, pl.Datetime, pl.String, pl.String]
    assert [one.base_type() for one in frame.dtypes[:7]] == expected


def test_pyarrow_columns_have_types():
    frame = build_frame(COLUMNS, "pyarrow")
    assert [str(one) for one in frame.schema.types[:4]] == [
        "int64",
        "double",
        "bool",
        "date32[day]",
    ]


def test_arrays_stay_as_they_are():
    values = np.array([1.5, np.nan])
    assert typed_column(values, "pandas") is values
    assert typed_column([], "pandas") == []


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_synthetic_rows_have_the_types_of_the_fitted_table(library):
    days = [dt.date(2024, 1, 1 + at % 28) for at in range(30)]
    table = pd.DataFrame(
        {
            "job": pd.Categorical(["cook", "smith"] * 15),
            "size": pd.Categorical(["S", "M", "L"] * 10, ["S", "M", "L"], ordered=True),
            "n": np.arange(30),
        }
    )
    model = Model(n_jobs=1).fit(table.assign(day=days))
    frame = model.synthesize(6).to_frame(library)
    if library == "pandas":
        assert frame["job"].dtype == "category"
        assert frame["size"].cat.categories.tolist() == ["S", "M", "L"]
        assert frame["size"].cat.ordered
        assert frame["n"].dtype.kind in "if"
        assert frame["day"].dtype.kind == "M"
    else:
        assert frame["job"].dtype == pl.Categorical
        assert frame["size"].dtype == pl.Enum(["S", "M", "L"])
        assert frame["day"].dtype == pl.Date


def test_one_feature_of_an_imputation_has_one_type():
    table = {"x": [1.0, 2.0, None, 4.0] * 5, "word": ["a", None, "b", "a"] * 5}
    found = Model(n_jobs=1, max_queries=10).fit(table).impute(effort="low")
    assert found.to_frame("pandas")["value"].map(type).eq(str).all()
    assert found.to_frame("pandas", feature="x")["value"].dtype == np.float64
    with pytest.raises(ValueError, match="No cell of 'y' was imputed"):
        found.to_frame("pandas", feature="y")
