"""Estimators of Dask collections are those of one machine, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import vicinal
from tests.mixed_table import mixed_table
from vicinal.dask import DaskVicinalClassifier, DaskVicinalRegressor
from vicinal.dask import collections as dask_collections
from vicinal.exceptions import ParameterError, TableError

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

SETTINGS = {"max_queries": 60, "max_members": 3}
TABLE = pd.DataFrame(mixed_table(240, seed=3))[["weight", "income", "visits", "colour"]]
TABLE = TABLE[TABLE["colour"].notna() & TABLE["income"].notna()].reset_index(drop=True)
X, COLOUR, INCOME = TABLE[["weight", "visits"]], TABLE["colour"], TABLE["income"]
WEIGHTS = pd.Series(np.arange(len(TABLE)) % 3.0)  # some are 0
NEW = pd.DataFrame({"weight": [60.0, 75.0, np.nan, 90.0], "visits": [3.0, 5.0, 6.0, np.nan]})

# Dask leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


def test_a_classifier_of_dataframes_with_weights(dask_client, tmp_path):
    store = tmp_path / "colour.vicinal.d"
    parts = (dd.from_pandas(one, npartitions=3) for one in (X, COLOUR, WEIGHTS))
    model = DaskVicinalClassifier(store=store, client=dask_client, **SETTINGS).fit(*parts)
    whole = vicinal.VicinalClassifier(**SETTINGS).fit(X, COLOUR, WEIGHTS)
    assert model.classes_.tolist() == whole.classes_.tolist()
    expected = whole.predict_proba(NEW)
    lazy = model.predict_proba(dd.from_pandas(NEW, npartitions=2))
    assert list(lazy.columns) == ["blue", "green", "red"]
    computed = lazy.compute()
    np.testing.assert_array_equal(computed.to_numpy(), expected)
    assert computed.index.tolist() == NEW.index.tolist()
    labels = model.predict(dd.from_pandas(NEW, npartitions=1))
    assert labels.name == "colour"
    assert labels.compute().tolist() == whole.predict(NEW).tolist()
    np.testing.assert_array_equal(model.predict_proba(NEW), expected)  # a table in memory
    local = model.to_local()
    assert type(local) is vicinal.VicinalClassifier
    np.testing.assert_array_equal(local.predict_proba(NEW), expected)
    for one, other in zip(model.kneighbors(NEW, 3), whole.kneighbors(NEW, 3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_regressor_of_arrays(dask_client, tmp_path):
    values, outcomes = X.to_numpy(dtype=float), INCOME.to_numpy()
    model = DaskVicinalRegressor(
        store=tmp_path / "income.vicinal.d", client=dask_client, **SETTINGS
    )
    model.fit(da.from_array(values, chunks=(90, 1)), da.from_array(outcomes, chunks=90))
    whole = vicinal.VicinalRegressor(**SETTINGS).fit(values, outcomes)
    lazy = model.predict(da.from_array(NEW.to_numpy(), chunks=(3, 2)))
    np.testing.assert_array_equal(lazy.compute(), whole.predict(NEW.to_numpy()))
    assert isinstance(model.to_local(), vicinal.VicinalRegressor)


def test_scores_are_those_of_one_machine_and_leave_out_what_is_missing(dask_client, tmp_path):
    gaps = COLOUR.where(COLOUR.index > 8, None)
    parts = [dd.from_pandas(one, npartitions=3) for one in (X, COLOUR, WEIGHTS)]
    store = tmp_path / "colour.vicinal.d"
    model = DaskVicinalClassifier(store=store, client=dask_client, **SETTINGS).fit(*parts)
    whole = vicinal.VicinalClassifier(**SETTINGS).fit(X, COLOUR, WEIGHTS)
    assert model.score(*parts) == pytest.approx(whole.score(X, COLOUR, WEIGHTS))
    asked = parts[0], dd.from_pandas(gaps, npartitions=3), parts[2]
    assert model.score(*asked) == pytest.approx(whole.score(X, gaps, WEIGHTS))


def test_parameters_are_those_of_one_machine_and_the_store():
    model = DaskVicinalClassifier(store="a.vicinal.d", client="somewhere", p=0.5)
    assert model.get_params().keys() == {*vicinal.VicinalClassifier().get_params(), "store"}
    copy = clone(model.set_params(n_neighbors=7))
    assert (copy.p, copy.n_neighbors, copy.store) == (0.5, 7, "a.vicinal.d")
    assert DaskVicinalRegressor(store="b").get_params()["store"] == "b"


def test_what_does_not_fit_is_an_error(dask_client, tmp_path):
    model = DaskVicinalClassifier(store=tmp_path / "a.vicinal.d", client=dask_client)
    some = dd.from_pandas(X, npartitions=2)
    with pytest.raises(TableError, match="2 and 3 partitions"):
        model.fit(some, dd.from_pandas(COLOUR, npartitions=3))
    with pytest.raises(TableError, match="expected a dataframe, series or array of Dask"):
        model.fit(X, dd.from_pandas(COLOUR, npartitions=2))
    with pytest.raises(ParameterError, match="all workers see under the same path"):
        DaskVicinalRegressor(client=dask_client).fit(some, some["visits"])


def test_without_a_client_there_is_an_error(monkeypatch):
    monkeypatch.setattr(distributed, "default_client", lambda: (_ for _ in ()).throw(ValueError))
    with pytest.raises(ParameterError, match="There is no Dask client"):
        dask_collections.current_client(None)
