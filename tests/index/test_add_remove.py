"""An index that has changed answers like one built anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.comparison import assert_same_neighbors
from tests.naive import distance as naive
from tests.strategies import NUMERIC, few_rows, make_metric, tables
from vicinal import Model
from vicinal.exceptions import VicinalError
from vicinal.index.exact import ExactIndex


class Ledger:
    """What an index should hold: numbers, rows and weights, kept in the plainest way."""

    def __init__(self, rows, weights):
        self.rows = dict(enumerate(rows))
        self.weights = dict(enumerate(weights))
        self.next = len(rows)

    def add(self, rows, weights):
        numbers = list(range(self.next, self.next + len(rows)))
        self.rows.update(zip(numbers, rows, strict=True))
        self.weights.update(zip(numbers, weights, strict=True))
        self.next += len(rows)
        return numbers

    def remove(self, numbers):
        for number in numbers:
            del self.rows[number], self.weights[number]

    @property
    def numbers(self):
        return np.array(sorted(self.rows), dtype=np.int64)

    def search(self, queries, metric, k):
        numbers = self.numbers
        if not len(numbers):
            return np.full((len(queries), k), -1), np.full((len(queries), k), np.inf)
        cases = np.array([self.rows[number] for number in numbers])
        weights = [self.weights[number] for number in numbers]
        places, distances = naive.neighbors(queries, cases, metric, k, weights=weights)
        return np.where(places >= 0, numbers[places], -1), distances

    def everything(self, width):
        """All rows ever seen, by number, for the order of equal cases."""
        table = np.full((self.next, width), np.nan)
        for number, row in self.rows.items():
            table[number] = row
        return table


@settings(max_examples=60)
@given(table=tables(few_rows | st.just(500)), weighted=st.booleans(), data=st.data())
def test_adding_and_removing_gives_what_building_anew_gives(table, weighted, data):
    pool, queries, metric, _ = table
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    draw_weights = (lambda n: rng.choice([0.0, 1.0, 2.0], size=n)) if weighted else np.ones
    start = data.draw(st.integers(1, len(pool)))
    weights = draw_weights(start)
    index = ExactIndex(pool[:start], metric.kinds, weights if weighted else None)
    ledger = Ledger(pool[:start], weights)
    for step in data.draw(st.lists(st.sampled_from(["add", "remove"]), max_size=6)):
        if step == "add":
            rows = pool[rng.integers(0, len(pool), size=rng.integers(1, len(pool) + 1))]
            weights = draw_weights(len(rows))
            numbers = index.add(rows, weights if weighted else None)
            assert numbers.tolist() == ledger.add(rows, weights)
        elif len(ledger.rows):
            gone = rng.permutation(ledger.numbers)[: rng.integers(1, len(ledger.rows) + 1)]
            index.remove(gone)
            ledger.remove(gone)
        assert len(index) == len(ledger.rows)
        np.testing.assert_array_equal(index.storage.numbers, ledger.numbers)
        expected = ledger.search(queries, metric, max(9, len(ledger.rows)))
        actual = index.search(queries, metric, 9)[:2]
        assert_same_neighbors(actual, expected, cases=ledger.everything(pool.shape[1]))


@pytest.fixture
def cases():
    return np.random.default_rng(0).normal(size=(2000, 4))


def test_a_changed_index_gives_the_same_bits_as_one_built_anew(cases):
    metric = make_metric(cases, NUMERIC, 1.0)
    index = ExactIndex(cases[:1500], metric.kinds)
    index.add(cases[1500:])
    gone = np.arange(0, 2000, 3)
    index.remove(gone)
    kept = np.setdiff1d(np.arange(2000), gone)
    expected = ExactIndex(cases[kept], metric.kinds).search(cases[:50], metric, 7)
    actual = index.search(cases[:50], metric, 7)
    np.testing.assert_array_equal(actual.indices, kept[expected.indices])
    np.testing.assert_array_equal(actual.distances, expected.distances)


def test_rows_far_outside_the_first_ones_are_found(cases):
    metric = make_metric(cases, NUMERIC, 1.0)
    index = ExactIndex(cases, metric.kinds)
    far = cases[:600] * 1000 + 1e6
    numbers = index.add(far)
    found = index.search(far[:20], metric, 1)
    np.testing.assert_array_equal(found.indices[:, 0], numbers[:20])


def test_missing_values_may_come_with_later_rows(cases):
    metric = make_metric(cases, NUMERIC, 1.0)
    index = ExactIndex(cases, metric.kinds)
    later = cases[:5].copy()
    later[:, 1] = np.nan
    index.add(later)
    everything = np.vstack([cases, later])
    expected = naive.neighbors(everything[-5:], everything, metric, 100)
    actual = index.search(everything[-5:], metric, 10)[:2]
    assert_same_neighbors(actual, expected, cases=everything)


def test_numbers_are_never_used_twice(cases):
    index = ExactIndex(cases[:10], np.zeros(4))
    index.remove([9])
    np.testing.assert_array_equal(index.add(cases[:2]), [10, 11])
    index.remove(index.storage.numbers)
    np.testing.assert_array_equal(index.add(cases[:1]), [12])


def test_values_and_weights_come_in_the_order_of_the_numbers(cases):
    index = ExactIndex(cases[:5], np.zeros(4), np.arange(5.0))
    index.remove([1, 2])
    index.add(cases[7:8])
    np.testing.assert_array_equal(index.storage.numbers, [0, 3, 4, 5])
    np.testing.assert_array_equal(index.storage.values, cases[[0, 3, 4, 7]])
    np.testing.assert_array_equal(index.storage.weights, [0, 3, 4, 1])


def test_an_emptied_index_finds_nothing_and_can_be_filled_again(cases):
    metric = make_metric(cases, NUMERIC, 1.0)
    index = ExactIndex(cases[:3], metric.kinds)
    index.remove([0, 1, 2])
    found = index.search(cases[:2], metric, 2)
    np.testing.assert_array_equal(found.indices, -1)
    np.testing.assert_array_equal(found.distances, np.inf)
    index.add(cases[:3])
    np.testing.assert_array_equal(index.search(cases[:2], metric, 1).indices, [[3], [4]])


@pytest.mark.parametrize("wrong", [[7], [-1], [0, 99]])
def test_removing_what_is_not_there_is_an_error_and_removes_nothing(cases, wrong):
    index = ExactIndex(cases[:5], np.zeros(4))
    with pytest.raises(VicinalError, match=str(wrong[-1])):
        index.remove(wrong)
    assert len(index) == 5


def test_a_case_cannot_be_removed_twice(cases):
    index = ExactIndex(cases[:5], np.zeros(4))
    index.remove([2])
    with pytest.raises(VicinalError, match="2"):
        index.remove([2])


def test_growing_one_by_one_keeps_every_row(cases):
    metric = make_metric(cases, NUMERIC, 1.0)
    index = ExactIndex(cases[:1], metric.kinds)
    for row in cases[1:300]:
        index.add(row[None])
    np.testing.assert_array_equal(index.storage.values, cases[:300])
    found = index.search(cases[:300], metric, 1)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(300))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([1, 63, 64, 65, 130, 2500]))
@example(seed=0, n=2500)
def test_updated_cases_are_found_where_they_are_now(seed, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(n, 3)).astype(float)
    kinds = np.array([0, 0, 2], dtype=np.uint8)
    index = ExactIndex(values, kinds)
    for _ in range(3):
        some = rng.permutation(n)[: rng.integers(1, n + 1)]
        fresh = rng.integers(0, 5, (len(some), 3)).astype(float)
        fresh[rng.random(fresh.shape) < 0.1] = np.nan
        index.update(some, fresh)
        values[some] = fresh
    np.testing.assert_array_equal(index.storage.values, values)
    np.testing.assert_array_equal(index.storage.numbers, np.arange(n))
    table = {"a": [0.0, 1, 2], "b": [0.0, 1, 4], "c": ["x", "y", "x"]}
    metric = Model(max_rounds=1).fit(table).metric_
    found = index.search(values[:20], metric, k=5)
    expected = ExactIndex(values, kinds).search(values[:20], metric, k=5)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
