"""Results as dataframes of any library."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.schema.examples import SCHEMA, TABLE
from vicinal.exceptions import ParameterError
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.tables import to_frame
from vicinal.tables.to_frame import build_frame


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_decoded_columns_make_a_table_that_encodes_the_same(backend):
    frame = build_frame(decode(encode(TABLE, SCHEMA), SCHEMA), backend)
    np.testing.assert_array_equal(encode(frame, SCHEMA), encode(TABLE, SCHEMA))


def test_without_a_choice_the_first_library_installed_is_taken():
    assert isinstance(build_frame({"x": [1]}), pd.DataFrame)


def test_a_library_that_is_not_there_is_refused_with_the_way_out(monkeypatch):
    with pytest.raises(ParameterError, match=r"'panda' is not one of .*Did you mean 'pandas'"):
        build_frame({"x": [1]}, "panda")
    monkeypatch.setattr(to_frame, "find_spec", lambda name: None)
    with pytest.raises(ParameterError, match="none is installed; install one of them"):
        build_frame({"x": [1]})
