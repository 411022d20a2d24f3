"""Category values in JSON and back."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.exceptions import ParameterError
from vicinal.schema.feature import Feature

values = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.dates(),
    st.times(),
    st.timedeltas(),
)


@given(values)
def test_every_category_value_survives_json_with_its_type(value):
    feature = Feature("x", "nominal", "mixed", categories=(value,), missing_values=(value,))
    again = Feature.from_dict(json.loads(json.dumps(feature.to_dict())))
    assert again == feature
    assert type(again.categories[0]) is type(value)


def test_unsavable_categories_are_refused():
    feature = Feature("x", "nominal", "mixed", categories=((1, 2),))
    with pytest.raises(ParameterError, match="A tuple cannot be a category"):
        feature.to_dict()
