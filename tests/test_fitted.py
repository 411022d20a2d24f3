"""A fit leaves cases behind; a question reads its rows once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mixed_table import OPTIONS, mixed_table
from tests.model.parts import odd_queries
from vicinal import Model
from vicinal.counterfactual.observed import has_many_values, values_between
from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.fitted import Rows
from vicinal.schema.encode import encode

N = 40


@pytest.fixture
def fitted():
    return Model(max_rounds=1, **OPTIONS).fit(mixed_table(N))._ready()


@pytest.fixture
def table():
    return odd_queries()


# --- rows ----------------------------------------------------------------------------------------


def test_a_table_is_encoded_with_all_its_columns(fitted, table):
    rows = fitted.rows(table)
    np.testing.assert_array_equal(rows.values, encode(table, fitted.schema))
    assert rows.names == tuple(table)
    assert rows.columns.tolist() == list(range(len(fitted.schema)))
    assert not rows.stored
    assert rows.numbers.tolist() == list(range(12))


def test_the_column_of_the_target_is_not_even_read(fitted, table):
    expected = fitted.rows(table, "colour")
    rows = fitted.rows({**table, "colour": [object()] * 12}, "colour")
    np.testing.assert_array_equal(rows.values, expected.values)
    column = fitted.schema.column("colour")
    assert np.isnan(rows.values[:, column]).all()
    assert column not in rows.columns
    assert "colour" not in rows.names


def test_several_features_may_be_asked_for_at_once(fitted, table):
    rows = fitted.rows(table, "colour", without=["weight", "colour"])
    hidden = fitted.schema.columns(["colour", "weight"])
    assert np.isnan(rows.values[:, hidden]).all()
    assert not np.isin(hidden, rows.columns).any()


def test_only_the_context_counts_but_all_columns_are_read(fitted, table):
    rows = fitted.rows(table, "colour", ["income", "hour"])
    assert rows.columns.tolist() == fitted.schema.columns(["hour", "income"]).tolist()
    np.testing.assert_array_equal(rows.values, fitted.rows(table, "colour").values)
    assert fitted.rows(table, context="hour").columns.tolist() == [fitted.schema.column("hour")]


def test_rows_may_lack_columns(fitted, table):
    rows = fitted.rows({"hour": table["hour"], "weight": table["weight"]})
    assert rows.names == ("hour", "weight")
    assert rows.columns.tolist() == fitted.schema.columns(rows.names).tolist()
    others = np.setdiff1d(np.arange(len(fitted.schema)), rows.columns)
    assert np.isnan(rows.values[:, others]).all()


def test_nothing_stands_for_the_stored_cases(fitted):
    fitted.index.remove([3, 7])
    rows = fitted.rows(None, "colour")
    kept = np.setdiff1d(np.arange(N), [3, 7])
    assert rows.stored
    assert rows.exclude.tolist() == rows.numbers.tolist() == kept.tolist()
    np.testing.assert_array_equal(rows.values, fitted.index.rows(kept))
    assert fitted.schema.column("colour") not in rows.columns


def test_rows_that_were_read_are_not_read_again(fitted, table):
    rows = fitted.rows(table, "colour")
    assert fitted.rows(rows, "weight", ["hour"]) is rows


def test_what_cannot_be_asked_is_refused(fitted, table):
    with pytest.raises(FeatureError, match="Did you mean 'colour'"):
        fitted.rows(table, "color")
    with pytest.raises(TableError, match="The rows lack 'hour'"):
        fitted.rows({"weight": [1.0]}, context=["hour"])
    with pytest.raises(ParameterError, match="names no feature"):
        fitted.rows(table, context=[])
    with pytest.raises(TableError, match="There is no feature to predict 'weight'"):
        fitted.rows({"weight": [1.0]}, "weight")


def test_cases_are_rows_that_leave_themselves_out(fitted):
    numbers = np.array([5, 0, 9])
    rows = fitted.cases(numbers, "colour", ["hour", "colour"])
    np.testing.assert_array_equal(rows.values, fitted.index.rows(numbers))
    assert rows.exclude.tolist() == [5, 0, 9]
    assert rows.columns.tolist() == [fitted.schema.column("hour")]
    assert "colour" not in rows.names
    everything = fitted.cases(numbers)
    assert everything.columns.tolist() == list(range(len(fitted.schema)))


# --- parts of rows -------------------------------------------------------------------------------


def test_some_rows_are_taken_with_all_that_belongs_to_them(fitted, table):
    mask = np.arange(12) % 5 == 1
    for rows in (fitted.rows(table), fitted.cases(np.arange(12))):
        for places, expected in [
            (np.array([4, 1]), [4, 1]),
            (mask, [1, 6, 11]),
            (slice(2, 4), [2, 3]),
            (slice(0, 0), []),
        ]:
            some = rows.take(places)
            assert len(some) == len(expected)
            np.testing.assert_array_equal(some.values, rows.values[expected])
            assert some.stored == rows.stored
            assert some.names == rows.names
            assert some.columns is rows.columns
            if rows.stored:
                assert some.exclude.tolist() == expected
            else:
                hours = [some.table.columns["hour"].value(at) for at in range(len(some))]
                assert hours == [rows.table.columns["hour"].value(at) for at in expected]


@pytest.mark.parametrize("size", [1, 5, 12, 100])
def test_batches_of_any_size_make_up_all_rows(fitted, table, size):
    for rows in (fitted.rows(table), fitted.cases(np.arange(12))):
        batches = list(rows.batches(size))
        assert all(0 < len(one) <= size for one in batches)
        np.testing.assert_array_equal(np.concatenate([one.values for one in batches]), rows.values)
        if rows.stored:
            numbers = np.concatenate([one.numbers for one in batches])
            assert numbers.tolist() == rows.numbers.tolist()


def test_no_rows_have_no_batches():
    assert list(Rows(np.empty((0, 2)), ("a", "b"), np.arange(2)).batches(3)) == []


# --- what is kept --------------------------------------------------------------------------------


def test_what_was_made_is_kept_until_the_cases_change(fitted):
    made = []

    def make():
        made.append(len(fitted.index))
        return made[-1]

    assert [fitted.cached("count", make) for _ in range(3)] == [N, N, N]
    assert made == [N]
    assert fitted.cached("other", make) == N
    for change, count in [
        (lambda: fitted.index.remove([1]), N - 1),
        (lambda: fitted.index.add(fitted.index.rows([0])), N),
        (lambda: fitted.index.update([0], fitted.index.rows([2])), N),
    ]:
        before = len(made)
        change()
        assert [fitted.cached("count", make) for _ in range(2)] == [count, count]
        assert len(made) == before + 1


def test_metrics_and_distributions_are_made_once_until_the_cases_change(fitted):
    column = fitted.schema.column("colour")
    columns = np.array([0, column])
    metric, distribution = fitted.metric_of(columns), fitted.distribution(column)
    assert metric.active.tolist() == columns.tolist()
    assert fitted.metric_of(columns.copy()) is metric
    assert fitted.distribution(column) is distribution
    known = np.flatnonzero(~np.isnan(fitted.index.cells(np.arange(N), column)))
    fitted.index.remove(known[:4])
    assert fitted.distribution(column)["counts"].sum() == distribution["counts"].sum() - 4


def test_distributions_of_very_many_values_are_not_kept(fitted, monkeypatch):
    column = fitted.schema.column("weight")
    kept = fitted.distribution(column)
    assert not has_many_values(fitted, column)
    assert fitted.distribution(column) is kept
    monkeypatch.setattr("vicinal.index.statistics.MOST_KEPT_VALUES", 3)
    fitted.index.update([0], fitted.index.rows([0]))  # forgets what was kept
    found = fitted.distribution(column)
    assert has_many_values(fitted, column)
    assert fitted.distribution(column) is not found
    np.testing.assert_array_equal(found["values"], kept["values"])


@pytest.mark.parametrize("most", [3, 10**6])
def test_values_between_bounds_are_those_of_the_distribution(fitted, monkeypatch, most):
    monkeypatch.setattr("vicinal.index.statistics.MOST_KEPT_VALUES", most)
    for column in range(len(fitted.schema)):
        every = fitted.distribution(column)
        values = every["values"]
        for lower, upper in [(-np.inf, np.inf), (values[1], values[-1] - 1e-9), (values[0],) * 2]:
            within = (values >= lower) & (values <= upper)
            found = values_between(fitted, column, lower, upper)
            np.testing.assert_array_equal(found["values"], values[within])
            np.testing.assert_array_equal(found["counts"], every["counts"][within])
        assert not len(values_between(fitted, column, np.nan, np.nan)["values"])


# --- the truth and its terms ---------------------------------------------------------------------


def test_the_truth_is_what_rows_say_of_the_target(fitted, table):
    column = fitted.schema.column("weight")
    rows = fitted.rows(table, "weight")
    np.testing.assert_array_equal(
        fitted.truth(rows, "weight"), encode(table, fitted.schema)[:, column]
    )
    cases = fitted.cases(np.array([4, 2]), "weight")
    np.testing.assert_array_equal(
        fitted.truth(cases, "weight"), fitted.index.cells(np.array([4, 2]), column)
    )
    silent = fitted.rows({"hour": table["hour"]}, "weight")
    assert np.isnan(fitted.truth(silent, "weight")).all()
    nonsense = fitted.rows({**table, "weight": ["heavy"] * 12}, "weight")
    assert np.isnan(fitted.truth(nonsense, "weight")).all()
    with pytest.raises(TableError, match="expected numbers"):
        fitted.truth(nonsense, "weight", strict=True)
