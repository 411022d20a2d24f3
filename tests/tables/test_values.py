"""Every spelling of a missing value is missing."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.tables.libraries import only

MISSING = {
    "None": [1.5, None],
    "NaN": [1.5, float("nan")],
    "numpy NaN": [1.5, np.float32("nan")],
    "pandas NA": [1.5, pd.NA],
    "pandas NaT": [1.5, pd.NaT],
    "numpy NaT": [1.5, np.datetime64("NaT")],
    "numpy NaT of a duration": [1.5, np.timedelta64("NaT")],
    "masked": [1.5, np.ma.masked],
    "decimal NaN": [1.5, Decimal("NaN")],
}


@pytest.mark.parametrize("values", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("make", [dict, pd.DataFrame], ids=["dict", "pandas"])
def test_all_spellings_of_missing_are_missing_among_numbers(values, make):
    column = pd.Series(values, dtype=object) if make is pd.DataFrame else values
    feature, encoded = only(make({"x": column}))
    assert (feature.kind, feature.dtype) == ("continuous", "float")
    np.testing.assert_array_equal(encoded, [1.5, np.nan])


@pytest.mark.parametrize("missing", [values[1] for values in MISSING.values()], ids=MISSING)
@pytest.mark.parametrize(
    "value", ["a", True, dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), dt.timedelta(1), dt.time(1)]
)
def test_all_spellings_of_missing_are_missing_among_other_values(missing, value):
    feature, encoded = only({"x": [missing, value]})
    assert feature.dtype not in ("mixed", "null")
    np.testing.assert_array_equal(np.isnan(encoded), [True, False])


@pytest.mark.parametrize(
    "table",
    [
        {"x": [None, None]},
        pd.DataFrame({"x": pd.Series([None, None], dtype=object)}),
        pd.DataFrame({"x": pd.Series([pd.NA, np.nan], dtype=object)}),
        pl.DataFrame({"x": [None, None]}),
        pa.table({"x": pa.nulls(2)}),
        np.array([[None], [None]]),
        [{"x": None}, {"x": None}],
        [[None], [None]],
    ],
    ids=lambda table: type(table).__module__,
)
def test_a_column_of_nothing_is_continuous_and_missing(table):
    feature, encoded = only(table)
    assert (feature.kind, feature.dtype) == ("continuous", "null")
    assert np.isnan(encoded).all()
