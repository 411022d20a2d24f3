"""Missing values imputed."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.naive import domain as naive
from tests.quality.tables import ODD
from vicinal import Model, ParameterError


def table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "double": 2 * x + 0.01 * rng.normal(size=n),
            "sign": np.where(x > 0, "plus", "minus"),
            "noise": rng.normal(size=n),
        }
    )


def with_missing(whole, share=0.15, seed=1):
    missing = np.random.default_rng(seed).random(whole.shape) < share
    return whole.mask(missing), missing


@pytest.fixture(scope="module")
def incomplete():
    whole = table()
    given, missing = with_missing(whole)
    return whole, given, missing


@pytest.fixture(scope="module")
def imputed(incomplete):
    return Model(n_jobs=1).fit(incomplete[1]).impute(incomplete[1])


def test_what_follows_from_the_others_is_found_again(incomplete, imputed):
    whole, given, _ = incomplete
    both = given["double"].isna() & given["x"].notna()
    error = np.abs(imputed.table["double"] - whole["double"])[both]
    assert error.mean() < 0.15 * whole["double"].abs().mean()
    known = given["sign"].isna() & given["x"].notna() & (whole["x"].abs() > 0.2)
    assert (imputed.table["sign"] == whole["sign"])[known].mean() > 0.8


def test_intervals_cover_what_they_promise():
    held = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(300, 1))
        whole = pd.DataFrame(z + 0.6 * rng.normal(size=(300, 4)), columns=list("abcd"))
        found = Model(n_jobs=1).fit(with_missing(whole, seed=seed)[0]).impute(alpha=0.2)
        truth = [whole[name][row] for row, name in zip(found.rows, found.features, strict=True)]
        held += list((np.array(found.lower) <= truth) & (truth <= np.array(found.upper)))
    # Some 720 cells, and 200 cases for each of 16 calibrations: the standard error is 0.017.
    assert abs(np.mean(held) - 0.8) < 2 * 0.017


def test_what_was_there_stays_and_nothing_is_missing(incomplete, imputed):
    _, given, missing = incomplete
    assert not imputed.table.isna().to_numpy().any()
    assert imputed.table.where(~missing).equals(given.where(~missing))
    assert len(imputed) == missing.sum()
    pairs = {(row, name) for row, name in zip(imputed.rows, imputed.features, strict=True)}
    assert pairs == {
        (r, incomplete[1].columns[c]) for r, c in zip(*np.nonzero(missing), strict=True)
    }


def test_intervals_and_sets_hold_their_value(imputed):
    for at, feature in enumerate(imputed.features):
        if feature == "sign":
            assert imputed.values[at] in imputed.classes[at]
            assert imputed.lower[at] is None
        else:
            assert imputed.lower[at] <= imputed.values[at] <= imputed.upper[at]
            assert imputed.classes[at] == ()


def test_a_cell_whose_context_tells_is_surer_than_one_whose_context_is_empty(incomplete):
    model = Model(n_jobs=1).fit(incomplete[1])
    rows = {"x": [0.5, None], "double": [None, None], "sign": ["plus", None]}
    found = model.impute(rows)
    cells = zip(found.rows.tolist(), found.features, strict=True)
    sure = dict(zip(cells, found.conviction, strict=True))
    assert sure[0, "double"] > sure[1, "double"]


@pytest.mark.parametrize("library", [pl.from_pandas, pa.Table.from_pandas, dict, pd.DataFrame])
def test_every_library_gets_its_own_table_with_the_same_values(incomplete, imputed, library):
    given = incomplete[1]
    given = given.where(given.notna(), None) if library is dict else given
    made = library(given) if library is not dict else {n: given[n].tolist() for n in given}
    again = Model(n_jobs=1).fit(made).impute(made)
    assert type(again.table) is (dict if library is dict else type(made))
    assert again.values == imputed.values
    np.testing.assert_array_equal(again.conviction, imputed.conviction)


def test_arrays_stay_arrays_whatever_the_model_calls_their_columns(incomplete):
    given = incomplete[1][["x", "double", "noise"]]
    model = Model(n_jobs=1).fit(given)
    array = model.impute(given.to_numpy(), effort="low").table
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, model.impute(given, effort="low").table)


def test_neither_row_order_nor_batches_nor_threads_matter(incomplete, imputed):
    given = incomplete[1]
    order = np.random.default_rng(3).permutation(len(given))
    shuffled = given.iloc[order].reset_index(drop=True)
    again = Model(n_jobs=2).fit(shuffled)
    one_by_one = pd.concat([again.impute(given.iloc[[i]]).table for i in range(12)])
    pd.testing.assert_frame_equal(one_by_one, imputed.table.iloc[:12])


def test_whole_weights_equal_repeated_rows():
    given, _ = with_missing(table(30), 0.1)
    weights = np.random.default_rng(0).integers(1, 3, size=30)
    repeated = given.loc[np.repeat(np.arange(30), weights)].reset_index(drop=True)
    one = Model(n_jobs=1).fit(given, sample_weight=weights).impute(given)
    other = Model(n_jobs=1).fit(repeated).impute(given)
    pd.testing.assert_frame_equal(one.table, other.table, rtol=1e-6)


def test_stored_cases_are_imputed_under_their_numbers(incomplete, imputed):
    model = Model(n_jobs=1).fit(incomplete[1])
    stored = model.impute()
    assert stored.values == imputed.values
    assert set(stored.table) == set(incomplete[1].columns)
    model.remove([0])
    assert 0 not in model.impute(effort="low").rows


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
def test_every_effort_imputes_all(effort):
    given, _ = with_missing(table(25), 0.2)
    assert not Model(n_jobs=1).fit(given).impute(given, effort=effort).table.isna().any().any()


def test_degenerate_tables():
    empty = Model().fit({"x": [1.0, 2.0], "never": [None, None]})
    found = empty.impute({"x": [None], "never": [None]})
    assert found.features == ("x",)
    assert found.table["never"] == [None]
    assert found.table["x"] == [1.5]
    single = Model().fit({"x": [4.0], "c": ["a"]}).impute({"x": [None], "c": [None]})
    assert single.table == {"x": [4.0], "c": ["a"]}
    assert len(Model().fit({"x": [1.0, 2.0]}).impute({"x": [1.0]})) == 0


def test_kinds_keep_their_types():
    dates = pd.to_datetime(["2020-01-01", "2020-01-03", None, "2020-01-07"])
    rows = pd.DataFrame(
        {
            "when": dates,
            "size": pd.Categorical(["S", "M", "M", None], ["S", "M", "L"], ordered=True),
            "hour": [23.0, 1.0, 0.0, np.nan],
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    found = Model(cyclic_features={"hour": 24}).fit(rows).impute(rows, effort="low")
    assert found.table.dtypes.to_dict() == rows.dtypes.to_dict()
    assert not found.table.isna().any().any()


def test_results_are_plain(imputed):
    frame = imputed.to_frame()
    assert list(frame.columns) == [
        "row", "feature", "value", "lower", "upper", "classes", "conviction",
    ]  # fmt: skip
    assert len(frame) == len(imputed)
    cells = imputed.to_dict()["cells"]
    assert {"classes", "value"} <= set(next(c for c in cells if c["feature"] == "sign"))
    assert "conviction" in repr(imputed)


def test_without_intervals_the_values_are_the_same(incomplete, imputed):
    bare = Model(n_jobs=1).fit(incomplete[1]).impute(incomplete[1], intervals=False)
    assert bare.values == imputed.values
    assert np.isnan(bare.conviction).all()
    assert set(bare.lower) == {None}
    assert "Imputation of" in repr(bare)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"effort": "hi"}, "effort='hi'; expected"), ({"alpha": 1.0}, "alpha")],
)
def test_wrong_arguments_are_refused(imputed, arguments, message):
    with pytest.raises(ParameterError, match=message):
        Model().fit({"x": [1.0, 2.0]}).impute(**arguments)


@pytest.mark.parametrize("name", ODD)
def test_all_that_is_missing_in_an_odd_table_is_imputed(name):
    table = ODD[name]
    imputed = Model(n_jobs=1, max_queries=20).fit(table).impute(table)
    assert len(imputed) == sum(
        value is None for column in table.values() if any(column) for value in column
    )


@pytest.mark.slow
def test_intervals_and_sets_hold_the_truth_as_often_as_they_say():
    held, inside, in_set, sets = 0, 0, 0, 0
    for seed in range(6):
        whole = table(300, seed)
        given, _ = with_missing(whole, 0.1, seed)
        found = Model().fit(given).impute(given, alpha=0.2)
        for at, (row, name) in enumerate(zip(found.rows, found.features, strict=True)):
            truth = whole.loc[row, name]
            if name == "sign":
                sets += 1
                in_set += truth in found.classes[at]
            else:
                held += 1
                inside += found.lower[at] <= truth <= found.upper[at]
    assert 0.75 <= inside / held <= 0.86
    assert in_set / sets >= 0.75


def test_imputed_numbers_are_possible():
    rng = np.random.default_rng(3)
    n = 150
    wealth = rng.lognormal(sigma=2, size=n)
    whole = pd.DataFrame(
        {
            "assets": np.round(wealth * 100, 2),
            "debts": np.where(rng.random(n) < 0.4, 0.0, np.round(wealth * 30)),
            "children": rng.integers(0, 4, size=n).astype(float),
            "share": np.round(1 / (1 + wealth), 3),
        }
    )
    given, _ = with_missing(whole)
    for effort in ("low", "medium"):
        imputed = Model(n_jobs=1).fit(given).impute(given, effort=effort)
        cells = zip(imputed.features, imputed.values, imputed.lower, imputed.upper, strict=True)
        for name, value, lower, upper in cells:
            assert naive.is_possible(value, given[name].dropna())
            assert 0 <= lower <= value <= upper
            assert name != "share" or upper <= 1


def test_a_table_of_more_columns_than_rows_is_imputed_as_without_its_constant_columns():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(24, 5)), columns=list("abcde"))
    table["kind"] = np.where(table["a"] > 0, "x", "y")
    table["b"] += table["a"]
    table = table.mask(rng.random(table.shape) < 0.1)
    wide = table.assign(**{f"constant {i}": 1.0 for i in range(30)})
    expected = Model(n_jobs=1).fit(table).impute(effort="low")
    actual = Model(n_jobs=1).fit(wide).impute(effort="low")
    assert (actual.features, actual.classes) == (expected.features, expected.classes)
    for found, wanted in zip(actual.values, expected.values, strict=True):
        assert found == (wanted if isinstance(wanted, str) else pytest.approx(wanted, rel=1e-9))
    known = [one for one in expected.lower if one is not None]
    assert [one for one in actual.lower if one is not None] == pytest.approx(known, rel=1e-9)


def test_imputed_cells_go_by_the_labels_of_their_rows_and_times_by_whole_seconds():
    x = np.random.default_rng(0).uniform(0, 100, 60)
    start = pd.Timestamp("2024-01-01")
    table = pd.DataFrame(
        {"x": x, "when": start + pd.to_timedelta((60 * x).round(), unit="min")},
        index=[f"P-{at}" for at in range(60)],
    )
    gaps = table.copy()
    gaps.loc[["P-7", "P-9"], "when"] = pd.NaT
    model = Model(n_jobs=1).fit(gaps)
    named = Model(n_jobs=1).fit(gaps.reset_index(names="patient"), id="patient")
    for found in (
        model.impute(gaps),
        model.impute(),
        named.impute(gaps.reset_index(names="patient")),
        named.impute(case=["P-7", "P-9"]),
    ):
        assert found.labels == ("P-7", "P-9")
        assert found.to_frame(feature="when")["row"].tolist() == ["P-7", "P-9"]
        assert [one["label"] for one in found.to_dict()["cells"]] == ["P-7", "P-9"]
        assert "P-7  " in str(found)
        assert not re.search(r":\d\d\.\d", str(found))
        assert all(isinstance(end, dt.datetime) for end in (*found.lower, *found.upper))
    plain = Model(n_jobs=1).fit(gaps.reset_index(drop=True)).impute()
    assert plain.labels is None
    assert plain.to_frame()["row"].tolist() == [7, 9]


def test_large_tables_are_imputed_from_a_sample_whose_intervals_cover_what_they_promise(
    monkeypatch,
):
    monkeypatch.setattr("vicinal.quality.filler.MOST_CASES", 150)
    rng = np.random.default_rng(4)
    x = rng.normal(size=900)
    model = Model().fit({"x": x[:600], "y": x[:600] + 0.3 * rng.normal(size=600)})
    found = model.impute({"x": x[600:], "y": [None] * 300})
    assert found.n_cases == 150
    truth = x[600:] + 0.3 * rng.normal(size=300)
    inside = (np.array(found.lower) <= truth) & (truth <= np.array(found.upper))
    # A calibration by 150 cases and a test by 300 rows each tell the share to two hundredths.
    assert 0.83 <= inside.mean() <= 0.97
    again = model.impute({"x": x[600:], "y": [None] * 300})
    assert (again.lower, again.upper) == (found.lower, found.upper)
