"""A `ShardedIndex` answers as one index of all cases does, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.pair import CHANGES, Pair, arguments_of, carry_out, excluded
from tests.strategies import few_rows, tables
from vicinal.exceptions import ParameterError
from vicinal.index.brute_force import BruteForce
from vicinal.index.divide import divide_cases
from vicinal.index.exact import ExactIndex
from vicinal.index.shard_floors import floors
from vicinal.index.statistics import STATISTICS
from vicinal.index.ties import search_ties

SHARDS = [1, 3, 8]


@st.composite
def pairs(draw, rows=few_rows, **options):
    """Both indexes, with or without weights, fresh or after changes; some shards have one row."""
    table = draw(tables(rows=rows, **options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, kinds = len(table.cases), table.metric.kinds
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if draw(st.booleans()) else None
    parts = rng.integers(0, draw(st.sampled_from(SHARDS)), size=n)
    if draw(st.booleans()):  # cases in different shards differ, as if routed
        parts = np.argsort(np.argsort(table.cases[:, 0], kind="stable")) * (parts.max() + 1) // n
    pilot = rng.permutation(n)[: draw(st.sampled_from([0, 1, n // 3]))]
    pair = Pair(
        divide_cases(table.cases, kinds, weights, parts=parts, pilot=pilot),
        ExactIndex(table.cases, kinds, weights),
        table,
    )
    for change in draw(CHANGES):
        carry_out(pair, change, rng)
    return pair


def check_search(pair, k, **options):
    everyone, metric = pair.table.queries, pair.table.metric
    options = {**options, "with_keys": True, "with_values": True}
    actual, expected = (one.search(everyone, metric, k, **options) for one in pair[:2])
    for name in ("indices", "distances", "keys", "values"):
        np.testing.assert_array_equal(getattr(actual, name), getattr(expected, name), name)


@settings(max_examples=100)
@given(pair=pairs(), k=st.sampled_from([1, 3, 200]), leave_out=st.booleans(), data=st.data())
def test_neighbors_are_the_same(pair, k, leave_out, data):
    column = data.draw(st.none() | st.integers(0, pair.table.cases.shape[1] - 1))
    ceilings = data.draw(st.sampled_from([None, 1.7]))
    check_search(
        pair,
        k,
        exclude=excluded(pair) if leave_out else None,
        required=column,
        ceilings=None if ceilings is None else np.full(len(pair.table.queries), ceilings),
    )


@settings(max_examples=20)
@given(
    pair=pairs(rows=st.sampled_from([400, 1100, 2500])),
    k=st.sampled_from([1, 10]),
    threads=st.sampled_from([1, 2]),
)
def test_neighbors_are_the_same_where_rows_are_ruled_out_by_bounds(pair, k, threads):
    check_search(pair, k, exclude=excluded(pair), threads=threads)


@settings(max_examples=40)
@given(pair=pairs(), k=st.sampled_from([1, 3]))
def test_ties_for_the_last_places_are_the_same(pair, k):
    found = [
        search_ties(one, pair.table.queries, pair.table.metric, k, exclude=excluded(pair))
        for one in pair[:2]
    ]
    for name in ("indices", "distances", "keys", "masses", "cases"):
        actual, expected = (getattr(one, name) for one in found)
        assert (actual is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(actual, expected, name)


@settings(max_examples=60)
@given(pair=pairs())
def test_no_case_of_a_shard_is_nearer_than_its_box(pair):
    brute = BruteForce(pair.table.cases, pair.table.metric.kinds)
    index = divide_cases(pair.table.cases, pair.table.metric.kinds)
    queries, metric = pair.table.queries, pair.table.metric
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
@given(pair=pairs(), seed=st.integers(0, 99))
def test_cases_are_the_same_by_number(pair, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(pair.numbers)
    assert len(pair.other) == len(pair.exact) == len(numbers)
    assert pair.other.next_number == pair.exact.next_number
    pair.do("rows", numbers)
    pair.do("contains", np.arange(-2, pair.exact.next_number + 2))
    for column in range(pair.table.cases.shape[1]):
        pair.do("cells", numbers, column)
        if len(numbers):
            pair.do("cells", rng.choice(numbers, size=(2, 3)), column)
    weights = [one.weights_of(numbers) for one in pair[:2]]
    assert (weights[0] is None) == (weights[1] is None)
    if weights[0] is not None:
        np.testing.assert_array_equal(*weights)
    gathered = pair.other.gathered()
    np.testing.assert_array_equal(gathered.rows(pair.numbers), pair.exact.rows(pair.numbers))
    assert gathered.next_number == pair.exact.next_number


@settings(max_examples=40)
@given(pair=pairs(), size=st.sampled_from([1, 7, 64, 10_000]), clustered=st.booleans())
def test_blocks_of_any_size_make_up_all_cases(pair, size, clustered):
    blocks = list(pair.other.blocks(size=size, clustered=clustered))
    assert all(0 < len(numbers) <= size for numbers, _ in blocks)
    numbers = np.concatenate([np.empty(0, dtype=int), *(one for one, _ in blocks)])
    if not clustered:
        assert numbers.tolist() == sorted(numbers.tolist())
    assert sorted(numbers.tolist()) == pair.numbers.tolist()
    for some, values in blocks:
        np.testing.assert_array_equal(values, pair.exact.rows(some))


@settings(max_examples=60)
@given(pair=pairs(), seed=st.integers(0, 9), distinct=st.booleans(), data=st.data())
def test_samples_are_the_same(pair, seed, distinct, data):
    check_samples(pair, data.draw(st.sampled_from([1, 5, 1000])), seed, distinct, data)


@settings(max_examples=25)
@given(
    pair=pairs(rows=st.sampled_from([5000, 9000]), max_columns=3),
    seed=st.integers(0, 9),
    distinct=st.booleans(),
    data=st.data(),
)
def test_samples_of_many_cases_are_the_same(pair, seed, distinct, data):
    check_samples(pair, data.draw(st.sampled_from([20, 4000])), seed, distinct, data)


def check_samples(pair, count, seed, distinct, data):
    column = data.draw(st.none() | st.integers(0, pair.table.cases.shape[1] - 1))
    without = data.draw(st.sampled_from([None, pair.numbers[::2], pair.numbers[:3]]))
    options = {"random_state": seed, "required": column, "without": without, "distinct": distinct}
    actual, expected = (one.sample(count, **options) for one in pair[:2])
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
@given(pair=pairs(), data=st.data())
def test_every_statistic_is_the_same(name, pair, data):
    column = data.draw(st.integers(0, pair.table.cases.shape[1] - 1))
    arguments = arguments_of(name, pair, column)
    actual, expected = (one.reduce(name, **arguments) for one in pair[:2])
    assert actual.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_array_equal(actual[key], values, err_msg=key)


@settings(max_examples=40)
@given(pair=pairs(), data=st.data())
def test_distributions_within_bounds_are_the_same(pair, data):
    column = data.draw(st.integers(0, pair.table.cases.shape[1] - 1))
    every = pair.exact.reduce("distribution", column=column)
    lower, upper = sorted(data.draw(st.tuples(*[st.floats(-5, 5)] * 2)))
    within = (every["values"] >= lower) & (every["values"] <= upper)
    for one in pair[:2]:
        found = one.reduce("distribution", column=column, lower=lower, upper=upper)
        assert found["missing"] == every["missing"]
        for name in ("values", "counts", "mass"):
            np.testing.assert_array_equal(found[name], every[name][within])


# --- changes -------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(pair=pairs())
def test_a_copy_changes_on_its_own(pair):
    copy = pair.other.copied()
    before = [(numbers.tolist(), values.tolist()) for numbers, values in pair.other.blocks()]
    copy.add(pair.table.cases[:2])
    copy.remove(copy.numbers[:1])
    again = [(numbers.tolist(), values.tolist()) for numbers, values in pair.other.blocks()]
    assert str(again) == str(before)  # NaN equals NaN as text


@settings(max_examples=25)
@given(pair=pairs())
def test_other_columns_are_made_of_the_cases(pair):
    def make(rows):
        return np.concatenate([rows, 2 * rows], axis=1)

    kinds = np.zeros(2 * len(pair.exact.kinds), dtype=np.uint8)
    rebuilt = [one.rebuilt_by(make, kinds) for one in pair[:2]]
    for one in rebuilt:
        np.testing.assert_array_equal(one.rows(pair.numbers), make(pair.exact.rows(pair.numbers)))


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
