"""What an index holds, and what it refuses."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.exceptions import ParameterError, TableError
from vicinal.index.exact import ExactIndex
from vicinal.index.threads import available_threads

KINDS = np.array([NUMERIC, NOMINAL], dtype=np.uint8)


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=n), rng.integers(0, 4, size=n)])


@pytest.mark.parametrize("n", [1, 70, 3000])
def test_cases_are_given_back_in_the_order_of_their_numbers(n):
    cases = rows(n)
    index = ExactIndex(cases, KINDS, np.arange(n) + 1.0)
    np.testing.assert_array_equal(index.storage.values, cases)
    np.testing.assert_array_equal(index.storage.weights, np.arange(n) + 1.0)
    np.testing.assert_array_equal(index.storage.column(1), cases[:, 1])
    np.testing.assert_array_equal(index.rows([n - 1, 0]), cases[[n - 1, 0]])


def test_the_callers_array_is_not_ours():
    cases = rows(70)
    index = ExactIndex(cases, KINDS)
    cases[:] = 0.0
    np.testing.assert_array_equal(index.storage.values, rows(70))


def test_a_large_table_takes_little_more_than_its_numbers():
    n, d = 50_000, 20
    index = ExactIndex(np.random.default_rng(0).normal(size=(n, d)), np.zeros(d, dtype=np.uint8))
    # Three times the table in float32, of which float64 takes two.
    assert index.nbytes < 3 * 4 * n * d
    weighted = ExactIndex(index.storage.values, np.zeros(d, dtype=np.uint8), np.ones(n))
    assert weighted.nbytes == index.nbytes + 8 * n


def test_a_copy_of_a_changed_index_is_the_same():
    index = ExactIndex(rows(3000), KINDS)
    index.remove(np.arange(0, 3000, 3))
    index.add(rows(10, seed=1))
    twin = pickle.loads(pickle.dumps(index))
    metric = make_metric(index.storage.values, KINDS, [0.5, 1.0])
    found, expected = (i.search(rows(9, seed=2), metric, 5) for i in (twin, index))
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((3, 3)), "must have 2 columns; got an array of shape"),
        (np.zeros(2), "must have 2 columns; got an array of shape"),
        (np.array([[0.0, -1.0]]), "Category codes must be at least 0"),
        (np.array([[0.0, 2.0**31]]), "Category codes must be at least 0 and below"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_is_added(values, message):
    index = ExactIndex(rows(5), KINDS)
    for method in (index.add, lambda values: ExactIndex(values, KINDS)):
        with pytest.raises(TableError, match=message):
            method(values)
    assert len(index) == 5
    assert index.add(rows(1)).tolist() == [5]


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [np.nan, 1.0], [1.0, np.inf]])
def test_weights_that_do_not_fit_are_refused_and_nothing_is_added(weights):
    index = ExactIndex(rows(5), KINDS)
    with pytest.raises(ParameterError, match=r"[cC]ase weights"):
        index.add(rows(2), np.array(weights))
    assert len(index) == 5
    assert index.storage.weights is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": -1.0}, "p must be a finite number, at least 0; got -1"),
        ({"p": np.inf}, "p must be a finite number"),
        ({"weights": [1.0, -1.0]}, "not negative; got -1.0 in column 1"),
        ({"weights": [np.nan, 1.0]}, "not negative; got nan in column 0"),
    ],
)
def test_a_metric_outside_its_range_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        make_metric(rows(5), KINDS, [0.5, 1.0], **change)


def test_k_below_one_is_refused():
    metric = make_metric(rows(5), KINDS, [0.5, 1.0])
    with pytest.raises(ParameterError, match="k must be at least 1; got 0"):
        ExactIndex(rows(5), KINDS).search(rows(1), metric, 0)


def test_all_processors_are_used_where_none_is_forbidden(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert available_threads() == 7


@pytest.mark.parametrize("scales", [None, [0.1, 3.0], [np.inf, 0.0]])
def test_scales_change_the_layout_and_no_answer(scales):
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.0], size=3000)
    index = ExactIndex(rows(3000), KINDS, weights)
    index.remove(np.arange(100, 900))
    scales = None if scales is None else np.array(scales)
    rebuilt = index.rebuilt_by(lambda values: values.copy(), KINDS, scales)
    metric = make_metric(rows(3000), KINDS, [0.5, 1.0])
    found, expected = (one.search(rows(40, 2), metric, 7) for one in (rebuilt, index))
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    for one in (rebuilt, index):  # there is room for more
        assert one.add(rows(300, 3), np.ones(300))[0] == 3000
    found, expected = (one.search(rows(40, 4), metric, 7) for one in (rebuilt, index))
    np.testing.assert_array_equal(found.indices, expected.indices)
