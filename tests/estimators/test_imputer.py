"""VicinalImputer beyond scikit-learn's own checks."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from vicinal import ParameterError, VicinalImputer


@pytest.fixture(scope="module")
def lines():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 1))
    whole = np.hstack([x, 2 * x, -x]) + 0.05 * rng.normal(size=(60, 3))
    holes = rng.random(whole.shape) < 0.2
    return whole, np.where(holes, np.nan, whole), holes


def test_holes_are_filled_and_the_rest_stays(lines):
    whole, lacking, holes = lines
    filled = VicinalImputer().fit_transform(lacking)
    np.testing.assert_array_equal(filled[~holes], lacking[~holes])
    assert np.abs(filled - whole)[holes].mean() < 0.3


def test_dataframes_become_dataframes_with_their_types():
    table = pd.DataFrame(
        {"n": [1.0, None, 3.0, 3.1], "c": pd.Categorical(["a", "a", None, "b"])},
        index=[3, 5, 7, 9],
    )
    filled = VicinalImputer(effort="low").fit_transform(table)
    assert filled.dtypes.to_dict() == table.dtypes.to_dict()
    assert filled.index.equals(table.index)
    assert not filled.isna().any().any()
    polars = VicinalImputer(effort="low").fit_transform(pl.from_pandas(table))
    assert isinstance(polars, pl.DataFrame)
    assert polars["n"].to_list() == filled["n"].tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_is_what_set_output_asks_for(lines, library):
    _, lacking, _ = lines
    imputer = VicinalImputer(effort="low").set_output(transform=library)
    filled = imputer.fit_transform(lacking)
    assert type(filled).__module__.startswith(library)
    assert list(filled.columns) == ["x0", "x1", "x2"]
    mixed = pd.DataFrame({"n": [1.0, None, 3.0], "c": ["a", None, "b"]})
    assert not pd.DataFrame(np.asarray(imputer.fit_transform(mixed))).isna().any().any()


def test_strings_in_arrays_are_filled(lines):
    rows = np.array([["a", 1.0], ["a", 1.1], [None, 1.2], ["b", 9.0]], dtype=object)
    filled = VicinalImputer(effort="low").fit_transform(rows)
    assert filled.dtype == object
    assert filled[2, 0] == "a"


def test_it_works_in_pipelines_and_copies(lines):
    whole, lacking, _ = lines
    pipeline = make_pipeline(VicinalImputer(effort="low"), LinearRegression())
    assert cross_val_score(pipeline, lacking, whole.sum(axis=1), cv=3).mean() > 0.8
    imputer = VicinalImputer(effort="low").fit(lacking)
    again = pickle.loads(pickle.dumps(imputer))
    np.testing.assert_array_equal(again.transform(lacking), imputer.transform(lacking))
    assert clone(imputer).effort == "low"
    columns = make_column_transformer((VicinalImputer(effort="low"), [0, 1]), remainder="drop")
    assert columns.fit_transform(lacking).shape == (60, 2)


def test_columns_without_any_value_stay_where_they_are():
    rows = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan]])
    filled = VicinalImputer().fit_transform(rows)
    assert filled.shape == (3, 2)
    assert np.isnan(filled[:, 1]).all()
    assert filled[2, 0] == 1.5


def test_cells_come_with_intervals_and_convictions(lines):
    _, lacking, holes = lines
    found = VicinalImputer(effort="low").fit(lacking).impute(lacking)
    assert len(found) == holes.sum()
    assert (found.conviction > 0).all()


def test_wrong_parameters_are_refused_in_fit():
    with pytest.raises(ParameterError, match="effort"):
        VicinalImputer(effort="most").fit([[1.0], [2.0]])
