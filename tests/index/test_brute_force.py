"""`BruteForce` and `ExactIndex` are two indexes of one protocol, and answer alike."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison import assert_same_neighbors
from tests.index.pair import CHANGES, Pair, arguments_of, carry_out, excluded
from tests.strategies import few_rows, make_metric, tables
from vicinal.exceptions import ParameterError
from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Index
from vicinal.index.statistics import STATISTICS

INDEXES = (BruteForce, ExactIndex)
both = pytest.mark.parametrize("kind", INDEXES)


@st.composite
def pairs(draw, rows=few_rows, **options):
    """Both indexes, with or without weights, fresh or after changes."""
    table = draw(tables(rows=rows, **options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = len(table.cases)
    weights = None
    if draw(st.booleans()):
        weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=n)
    pair = Pair(*(one(table.cases, table.metric.kinds, weights) for one in INDEXES), table)
    for change in draw(CHANGES):
        carry_out(pair, change, rng)
    return pair


# --- the protocol --------------------------------------------------------------------------------


@both
def test_an_index_offers_all_that_the_protocol_names_with_the_same_parameters(kind):
    for name, wanted in vars(Index).items():
        if name.startswith("_") or not callable(wanted):
            continue
        offered = inspect.signature(getattr(kind, name)).parameters
        takes_any = any(one.kind is one.VAR_KEYWORD for one in offered.values())
        missing = inspect.signature(wanted).parameters.keys() - offered.keys()
        assert takes_any or not missing, f"{kind.__name__}.{name} lacks {missing}"
    made = kind(np.ones((2, 1)), np.zeros(1, dtype=np.uint8))
    assert made.version == 0
    assert made.kinds.tolist() == [0]
    assert len(made) == 2


@both
def test_every_change_counts_as_a_version(kind):
    index = kind(np.arange(4.0)[:, None], np.zeros(1, dtype=np.uint8))
    index.add(np.ones((1, 1)))
    index.update([0], np.ones((1, 1)))
    index.remove([1])
    assert index.version == 3


@both
def test_what_is_not_there_is_refused(kind):
    index = kind(np.arange(4.0)[:, None], np.zeros(1, dtype=np.uint8))
    index.remove([1])
    for ask in (index.rows, index.remove, lambda numbers: index.update(numbers, np.ones((1, 1)))):
        with pytest.raises(ParameterError, match="no case number 1"):
            ask([1])
    with pytest.raises(ParameterError, match="no statistic 'mas'"):
        index.reduce("mas")
    assert len(index) == 3


# --- search --------------------------------------------------------------------------------------


def check_search(pair, k, **options):
    table, everyone = pair.table, pair.table.queries
    actual = pair.exact.search(everyone, table.metric, k, **options)
    # Wider than what is compared, so that a tie at the end is seen as one.
    expected = pair.other.search(everyone, table.metric, max(k, len(pair.other)), **options)
    held = dict(zip(pair.numbers.tolist(), pair.exact.rows(pair.numbers), strict=True))
    assert_same_neighbors(actual[:2], expected[:2], cases=held)
    cut = pair.other.search(everyone, table.metric, k, **options)
    np.testing.assert_array_equal(cut.indices, expected.indices[:, :k])
    np.testing.assert_array_equal(cut.distances, expected.distances[:, :k])


@settings(max_examples=60)
@given(pair=pairs(), k=st.sampled_from([1, 3, 200]), leave_out=st.booleans())
def test_neighbors_are_the_same(pair, k, leave_out):
    check_search(pair, k, exclude=excluded(pair) if leave_out else None)


@settings(max_examples=30)
@given(pair=pairs(), k=st.sampled_from([1, 4]), data=st.data())
def test_neighbors_that_have_a_column_are_the_same(pair, k, data):
    column = data.draw(st.integers(0, pair.table.cases.shape[1] - 1))
    check_search(pair, k, exclude=excluded(pair), required=column)


@settings(max_examples=8)
@given(pair=pairs(rows=st.sampled_from([400, 1100])), k=st.sampled_from([1, 10]))
def test_neighbors_are_the_same_where_rows_are_ruled_out_by_bounds(pair, k):
    check_search(pair, k, exclude=excluded(pair))


# --- cases ---------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(pair=pairs(), seed=st.integers(0, 99))
def test_cases_are_the_same_by_number(pair, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(pair.numbers)
    assert len(pair.other) == len(pair.exact) == len(numbers)
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


@settings(max_examples=40)
@given(pair=pairs(), size=st.sampled_from([1, 7, 64, 10_000]), clustered=st.booleans())
def test_blocks_of_any_size_make_up_all_cases(pair, size, clustered):
    for index in pair[:2]:
        blocks = list(index.blocks(size=size, clustered=clustered))
        assert all(0 < len(numbers) <= size for numbers, _ in blocks)
        numbers = np.concatenate([np.empty(0, dtype=int), *(one for one, _ in blocks)])
        if not clustered:
            assert numbers.tolist() == sorted(numbers.tolist())
        assert sorted(numbers.tolist()) == pair.numbers.tolist()
        if blocks:
            values = np.concatenate([one for _, one in blocks])
            np.testing.assert_array_equal(values, index.rows(numbers))


@settings(max_examples=40)
@given(
    pair=pairs(),
    count=st.sampled_from([1, 5, 1000]),
    seed=st.integers(0, 9),
    distinct=st.booleans(),
    data=st.data(),
)
def test_samples_are_the_same(pair, count, seed, distinct, data):
    column = data.draw(st.none() | st.integers(0, pair.table.cases.shape[1] - 1))
    without = data.draw(st.sampled_from([None, pair.numbers[::2]]))
    options = {"random_state": seed, "required": column, "without": without, "distinct": distinct}
    actual, expected = (one.sample(count, **options) for one in pair[:2])
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(one, other)


# --- statistics ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(STATISTICS))
@settings(max_examples=25)
@given(pair=pairs(), data=st.data())
def test_every_statistic_is_the_same(name, pair, data):
    column = data.draw(st.integers(0, pair.table.cases.shape[1] - 1))
    arguments = arguments_of(name, pair, column)
    actual, expected = (one.reduce(name, **arguments) for one in pair[:2])
    assert actual.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_array_equal(actual[key], values, err_msg=key)


@pytest.mark.parametrize("gaps", [0.0, 0.02])
@pytest.mark.parametrize("spread", ["even", "ties", "outlier", "equal"])
def test_long_lists_of_neighbors_are_in_the_order_of_brute_force(spread, gaps):
    # Long lists are dealt out by their keys before they are sorted, wherever these lie.
    rng = np.random.default_rng(4)
    values = rng.normal(size=(700, 3))
    if spread == "ties":
        values = np.round(values)
    if spread == "outlier":
        values[::50] *= 1e200
    if spread == "equal":
        values[:] = 1.0
    values[rng.random(values.shape) < gaps] = np.nan
    kinds = np.zeros(3, dtype=np.uint8)
    metric, asked = make_metric(values, kinds, 1.0), np.arange(0, 700, 9)
    expected, actual = (
        kind(values, kinds).search(values[asked], metric, k, exclude=asked)
        for kind, k in ((BruteForce, 200), (ExactIndex, 150))
    )
    assert_same_neighbors(actual[:2], expected[:2], cases=values)
