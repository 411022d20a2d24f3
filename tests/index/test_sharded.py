"""A `ShardedIndex` answers as one index of all cases does, to the last bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.test_brute_force import arguments_of, carry_out, excluded
from tests.strategies import Table, few_rows, tables
from vicinal.exceptions import ParameterError
from vicinal.index.brute_force import BruteForce
from vicinal.index.divide import divide_cases
from vicinal.index.exact import ExactIndex
from vicinal.index.shard_floors import floors
from vicinal.index.sharded import ShardedIndex
from vicinal.index.statistics import STATISTICS
from vicinal.index.ties import search_ties

SHARDS = [1, 3, 8]


class Three(NamedTuple):
    """One index, the same cases in shards, and the table that these come from."""

    sharded: ShardedIndex
    exact: ExactIndex
    table: Table

    def do(self, method, *arguments):
        """Ask both to do the same, and check that they answer alike."""
        actual, expected = (getattr(one, method)(*arguments) for one in self[:2])
        np.testing.assert_array_equal(actual, expected)

    @property
    def numbers(self):
        return self.exact.storage.numbers

    def __repr__(self):
        return f"cases {self.exact.rows(self.numbers)!r} in {len(self.sharded.shards)} shards"


@st.composite
def threes(draw, rows=few_rows, **options):
    """Both indexes, with or without weights, fresh or after changes; some shards have one row."""
    table = draw(tables(rows=rows, **options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, kinds = len(table.cases), table.metric.kinds
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if draw(st.booleans()) else None
    parts = rng.integers(0, draw(st.sampled_from(SHARDS)), size=n)
    if draw(st.booleans()):  # cases in different shards differ, as if routed
        parts = np.argsort(np.argsort(table.cases[:, 0], kind="stable")) * (parts.max() + 1) // n
    pilot = rng.permutation(n)[: draw(st.sampled_from([0, 1, n // 3]))]
    three = Three(
        divide_cases(table.cases, kinds, weights, parts=parts, pilot=pilot),
        ExactIndex(table.cases, kinds, weights),
        table,
    )
    for change in draw(st.lists(st.sampled_from(["add", "update", "remove"]), max_size=4)):
        carry_out(three, change, rng)
    return three


def check_search(three, k, **options):
    everyone, metric = three.table.queries, three.table.metric
    options = {**options, "with_keys": True, "with_values": True}
    actual, expected = (one.search(everyone, metric, k, **options) for one in three[:2])
    for name in ("indices", "distances", "keys", "values"):
        np.testing.assert_array_equal(getattr(actual, name), getattr(expected, name), name)


@settings(max_examples=100)
@given(three=threes(), k=st.sampled_from([1, 3, 200]), leave_out=st.booleans(), data=st.data())
def test_neighbors_are_the_same(three, k, leave_out, data):
    column = data.draw(st.none() | st.integers(0, three.table.cases.shape[1] - 1))
    ceilings = data.draw(st.sampled_from([None, 1.7]))
    check_search(
        three,
        k,
        exclude=excluded(three) if leave_out else None,
        required=column,
        ceilings=None if ceilings is None else np.full(len(three.table.queries), ceilings),
    )


@settings(max_examples=20)
@given(
    three=threes(rows=st.sampled_from([400, 1100, 2500])),
    k=st.sampled_from([1, 10]),
    threads=st.sampled_from([1, 2]),
)
def test_neighbors_are_the_same_where_rows_are_ruled_out_by_bounds(three, k, threads):
    check_search(three, k, exclude=excluded(three), threads=threads)


@settings(max_examples=40)
@given(three=threes(), k=st.sampled_from([1, 3]))
def test_ties_for_the_last_places_are_the_same(three, k):
    found = [
        search_ties(one, three.table.queries, three.table.metric, k, exclude=excluded(three))
        for one in three[:2]
    ]
    for name in ("indices", "distances", "keys", "masses", "cases"):
        actual, expected = (getattr(one, name) for one in found)
        assert (actual is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(actual, expected, name)


@settings(max_examples=60)
@given(three=threes())
def test_no_case_of_a_shard_is_nearer_than_its_box(three):
    brute = BruteForce(three.table.cases, three.table.metric.kinds)
    index = divide_cases(three.table.cases, three.table.metric.kinds)
    queries, metric = three.table.queries, three.table.metric
    nearest = brute.search(queries, metric, 1, with_keys=True).keys[:, 0]
    assert (floors(index.boxes[0], queries, metric) <= nearest).all()


def test_shards_that_are_too_far_away_are_not_asked():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 2)) + np.repeat([0.0, 100.0], 200)[:, None]
    table = next_table(values)
    index = divide_cases(values, table.kinds, parts=np.repeat([0, 1], 200))
    asked = []
    run = index.shards.run
    index.shards.run = lambda job, tasks: (asked.extend(at for at, _ in tasks), run(job, tasks))[1]
    index.search(values[:5], table, 3)
    assert set(asked) == {0}


def next_table(values):
    from tests.strategies import make_metric

    return make_metric(values, 0, 1.0)


# --- cases ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(three=threes(), seed=st.integers(0, 99))
def test_cases_are_the_same_by_number(three, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(three.numbers)
    assert len(three.sharded) == len(three.exact) == len(numbers)
    assert three.sharded.next_number == three.exact.next_number
    three.do("rows", numbers)
    three.do("contains", np.arange(-2, three.exact.next_number + 2))
    for column in range(three.table.cases.shape[1]):
        three.do("cells", numbers, column)
        if len(numbers):
            three.do("cells", rng.choice(numbers, size=(2, 3)), column)
    weights = [one.weights_of(numbers) for one in three[:2]]
    assert (weights[0] is None) == (weights[1] is None)
    if weights[0] is not None:
        np.testing.assert_array_equal(*weights)
    gathered = three.sharded.gathered()
    np.testing.assert_array_equal(gathered.rows(three.numbers), three.exact.rows(three.numbers))
    assert gathered.next_number == three.exact.next_number


@settings(max_examples=40)
@given(three=threes(), size=st.sampled_from([1, 7, 64, 10_000]), clustered=st.booleans())
def test_blocks_of_any_size_make_up_all_cases(three, size, clustered):
    blocks = list(three.sharded.blocks(size=size, clustered=clustered))
    assert all(0 < len(numbers) <= size for numbers, _ in blocks)
    numbers = np.concatenate([np.empty(0, dtype=int), *(one for one, _ in blocks)])
    if not clustered:
        assert numbers.tolist() == sorted(numbers.tolist())
    assert sorted(numbers.tolist()) == three.numbers.tolist()
    for some, values in blocks:
        np.testing.assert_array_equal(values, three.exact.rows(some))


@settings(max_examples=60)
@given(three=threes(), seed=st.integers(0, 9), distinct=st.booleans(), data=st.data())
def test_samples_are_the_same(three, seed, distinct, data):
    check_samples(three, data.draw(st.sampled_from([1, 5, 1000])), seed, distinct, data)


@settings(max_examples=25)
@given(
    three=threes(rows=st.sampled_from([5000, 9000]), max_columns=3),
    seed=st.integers(0, 9),
    distinct=st.booleans(),
    data=st.data(),
)
def test_samples_of_many_cases_are_the_same(three, seed, distinct, data):
    check_samples(three, data.draw(st.sampled_from([20, 4000])), seed, distinct, data)


def check_samples(three, count, seed, distinct, data):
    column = data.draw(st.none() | st.integers(0, three.table.cases.shape[1] - 1))
    without = data.draw(st.sampled_from([None, three.numbers[::2], three.numbers[:3]]))
    options = {"random_state": seed, "required": column, "without": without, "distinct": distinct}
    actual, expected = (one.sample(count, **options) for one in three[:2])
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_equal_cases_on_both_sides_of_a_split_are_told_apart_as_in_one_table():
    # Values so close that they share a hash, some of them beyond the split, and later copies.
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.choice([-1.0, 0.0, 1e-12, 1.0], size=(6000, 1))])
    kinds = np.zeros(1, dtype=np.uint8)
    index = divide_cases(values, kinds, parts=(values[:, 0] > 1e-13).astype(int))
    index.splits = (np.array([0]), np.array([1e-13]))
    exact = ExactIndex(values, kinds)
    for one in (index, exact):
        one.add(np.array([[0.0], [1.0], [1.0]]))
        one.remove([2, 5])
        one.update([7], np.array([[-1.0]]))
    for seed in range(4):
        np.testing.assert_array_equal(
            index.sample(700, random_state=seed)[0], exact.sample(700, random_state=seed)[0]
        )


# --- statistics ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(STATISTICS))
@settings(max_examples=40)
@given(three=threes(), data=st.data())
def test_every_statistic_is_the_same(name, three, data):
    column = data.draw(st.integers(0, three.table.cases.shape[1] - 1))
    arguments = arguments_of(name, three, column)
    actual, expected = (one.reduce(name, **arguments) for one in three[:2])
    assert actual.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_array_equal(actual[key], values, err_msg=key)


# --- changes -------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(three=threes())
def test_a_copy_changes_on_its_own(three):
    copy = three.sharded.copied()
    before = [(numbers.tolist(), values.tolist()) for numbers, values in three.sharded.blocks()]
    copy.add(three.table.cases[:2])
    copy.remove(copy.numbers[:1])
    again = [(numbers.tolist(), values.tolist()) for numbers, values in three.sharded.blocks()]
    assert str(again) == str(before)  # NaN equals NaN as text


@settings(max_examples=25)
@given(three=threes())
def test_other_columns_are_made_of_the_cases(three):
    def make(rows):
        return np.concatenate([rows, 2 * rows], axis=1)

    kinds = np.zeros(2 * len(three.exact.kinds), dtype=np.uint8)
    rebuilt = [one.rebuilt_by(make, kinds) for one in three[:2]]
    for one in rebuilt:
        np.testing.assert_array_equal(
            one.rows(three.numbers), make(three.exact.rows(three.numbers))
        )


def test_what_is_not_there_is_refused():
    index = divide_cases(np.arange(4.0)[:, None], np.zeros(1, dtype=np.uint8))
    index.remove([1])
    for ask in (index.rows, index.remove, lambda numbers: index.update(numbers, np.ones((1, 1)))):
        with pytest.raises(ParameterError, match="no case number 1"):
            ask([1])
    with pytest.raises(ParameterError, match="whole numbers"):
        index.rows([0.5])
    with pytest.raises(ParameterError, match="each case once"):
        index.update([0, 0], np.ones((2, 1)))
    with pytest.raises(ParameterError, match="k must be at least 1"):
        index.search(np.ones((1, 1)), next_table(np.ones((2, 1))), 0)
    assert len(index) == 3


def test_too_many_cases_are_not_gathered(monkeypatch):
    monkeypatch.setattr("vicinal.index.sharded.MOST_GATHERED", 3)
    index = divide_cases(np.arange(4.0)[:, None], np.zeros(1, dtype=np.uint8))
    with pytest.raises(ParameterError, match="there are 4 in shards; expected at most 3"):
        index.gathered()
