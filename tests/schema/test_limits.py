"""Values whose differences no float can hold are refused."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.exceptions import TableError
from vicinal.schema.infer import infer_schema
from vicinal.schema.limits import check_range, check_spans

SCHEMA = infer_schema({"mass": [1.0], "age": [1.0]})


@pytest.mark.parametrize(
    ("low", "high", "span"),
    [(0, 2e300, r"2e\+300"), (-1.7e308, 1.7e308, "inf"), (0, 1e-301, "1e-301")],
)
def test_columns_that_span_too_much_or_too_little_are_named(low, high, span):
    values = np.array([[1.0, low], [np.nan, np.nan], [2.0, high]])
    with pytest.raises(
        TableError, match=f"'mass' are up to {span} apart; expected between 1e-300"
    ):
        check_spans(values, SCHEMA)


def test_constant_and_missing_columns_span_nothing():
    check_spans(np.array([[1e305, np.nan], [1e305, np.nan]]), SCHEMA)
    check_spans(np.array([[0.0, -5e299], [1e-300, 5e299]]), SCHEMA)


def test_later_rows_out_of_range_are_named_by_column_and_row():
    with pytest.raises(
        TableError, match=r"'mass' has -2e\+300 in row 1; expected at most 1e\+300"
    ):
        check_range(np.array([[1.0, np.nan], [1.0, -2e300]]), SCHEMA)
    check_range(np.array([[1e300, np.nan]]), SCHEMA)
