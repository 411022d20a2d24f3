"""An index that shares columns with another answers as one that holds all of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison import assert_same_neighbors
from tests.index.scored import all_chains
from tests.strategies import make_metric
from vicinal.index import _native, extending
from vicinal.index.brute_force import BruteForce
from vicinal.index.coalitions import CoalitionTree, predict_coalitions
from vicinal.index.exact import ExactIndex
from vicinal.index.shared_rows import SharedRows
from vicinal.index.shares import balanced_shares
from vicinal.index.terms import case_excess, case_offsets, case_terms

#: Numbers, categories and a cycle; what is appended are numbers.
KINDS = np.array([0, 2, 1, 0], dtype=np.uint8)
WIDER = np.append(KINDS, np.zeros(3, dtype=np.uint8))
PERIODS = [0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0]


@pytest.fixture(autouse=True)
def _share_always(monkeypatch):
    monkeypatch.setattr(extending, "FEWEST_CELLS", 0)


def rows(seed, count):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(count, 4)) / 2 + [0.0, 0.0, 0.0, 0.1]
    values[:, 1] = np.floor(values[:, 1])
    values[:, 3] += rng.normal(size=count)
    values[rng.random(values.shape) < 0.05] = np.nan
    return values


def extended(values):
    """Append columns that are made of the others."""
    ranks = np.where(np.isnan(values[:, :1]), 0.0, values[:, :1]) ** 2
    sums = np.nansum(values, axis=1, keepdims=True)
    return np.concatenate([values, ranks, sums, np.sin(3 * sums)], axis=1)


def three(count=3000, weights=None):
    """Return an index, its extension, and the same with all columns; and a naive twin."""
    cases = rows(0, count)
    index = ExactIndex(cases, KINDS, weights)
    shared = index.rebuilt_by(extended, WIDER, np.ones(7))
    assert isinstance(shared.storage._values, SharedRows)
    whole = ExactIndex(extended(cases), WIDER, weights)
    return index, shared, whole, BruteForce(extended(cases), WIDER, weights)


def assert_same_search(one, other, metric, k, **how):
    queries = extended(rows(1, 15))
    found, expected = (
        index.search(queries, metric, k, with_keys=True, **how) for index in (one, other)
    )
    assert_same_neighbors(found[:2], expected[:2])
    return found


weighings = st.sampled_from(
    [[1.0] * 7, [1.0, 0.5, 2.0, 0.3, 0.0, 0.0, 0.0], [0.0] * 4 + [1.0, 2.0, 1.0]]
)


@settings(max_examples=15, deadline=None)
@given(weights=weighings, p=st.sampled_from([0.0, 0.5, 1.0, 2.0]), weighted=st.booleans())
def test_shared_columns_are_searched_like_own_ones(weights, p, weighted):
    case_weights = np.random.default_rng(2).choice([0.0, 1.0, 3.0], 300) if weighted else None
    _, shared, whole, naive = three(300, case_weights)
    values = whole.rows(np.arange(300))
    metric = make_metric(values, WIDER, 0.5, weights=weights, periods=PERIODS, p=p)
    found = assert_same_search(shared, naive, metric, 7)
    bits = whole.search(extended(rows(1, 15)), metric, 7, with_keys=True)
    np.testing.assert_array_equal(found.keys, bits.keys)
    np.testing.assert_array_equal(found.distances, bits.distances)


@pytest.mark.parametrize("path", _native.paths())
@pytest.mark.parametrize("pruned", [True, False])
def test_large_tables_are_searched_alike_on_every_path(path, pruned):
    _, shared, whole, _ = three()
    metric = make_metric(whole.rows(np.arange(3000)), WIDER, 0.5, periods=PERIODS)
    queries = extended(rows(1, 40))
    one, other = (
        index._searched(queries, metric, 20, required=3, path=path, pruned=pruned)
        for index in (shared, whole)
    )
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.distances, other.distances)


def test_terms_offsets_and_shares_are_the_same():
    _, shared, whole, _ = three()
    metric = make_metric(whole.rows(np.arange(3000)), WIDER, 0.5, periods=PERIODS)
    queries = extended(rows(1, 12))
    near = whole.search(queries, metric, 9)
    for question in (case_terms, case_excess, case_offsets):
        np.testing.assert_array_equal(
            *(question(one, queries, near.indices, metric) for one in (shared, whole))
        )
    rules = [("centered", 0.5, 0.1), ("linear", 1.0, 1.0)]
    given = (queries, near.indices, metric, near.distances, None, rules)
    np.testing.assert_array_equal(*(balanced_shares(one, *given) for one in (shared, whole)))


def test_coalitions_of_features_predict_the_same():
    _, shared, whole, _ = three(500)
    weights = [1.0, 0.5, 2.0, 0.0, 0.0, 0.7, 1.0]
    metric = make_metric(whole.rows(np.arange(500)), WIDER, 0.5, weights=weights, periods=PERIODS)
    tree = CoalitionTree.of_chains(all_chains([0, 1, 2, 5, 6]))
    members = [("linear", 0.5, 0.3, 0.6), ("inverse", 1.0, 1.0, 0.4)]
    queries = extended(rows(1, 4))
    queries[0, 0] = np.nan
    given = (metric, tree, queries, lambda values: values[:, None], members)
    one, other = (predict_coalitions(index, *given, target=3, k=9)[0] for index in (shared, whole))
    np.testing.assert_array_equal(one, other)


def test_values_are_read_as_from_one_array():
    index, shared, whole, _ = three()
    numbers = np.array([7, 0, 2999])
    np.testing.assert_array_equal(shared.rows(numbers), whole.rows(numbers))
    for column in range(7):
        np.testing.assert_array_equal(shared.cells(numbers, column), whole.cells(numbers, column))
    for one, other in zip(shared.blocks(), whole.blocks(), strict=True):
        np.testing.assert_array_equal(one[1], other[1])
    assert shared.nbytes < whole.nbytes - 3000 * 4 * 8 + 3000 * 8
    arrays = shared.to_arrays()
    loaded = ExactIndex.from_arrays({name: array.copy() for name, array in arrays.items()})
    np.testing.assert_array_equal(loaded.rows(numbers), whole.rows(numbers))
    both = pickle.loads(pickle.dumps((index, shared)))
    np.testing.assert_array_equal(both[1].rows(numbers), whole.rows(numbers))


def test_each_changes_on_its_own():
    index, shared, whole, _ = three()
    copy, new, some = shared.copied(), rows(5, 40), np.array([3, 100, 2000])
    metric = make_metric(whole.rows(np.arange(3000)), WIDER, 0.5, periods=PERIODS)
    index.update(some, new[:3])
    index.remove([5, 6])
    assert_same_search(shared, whole, metric, 8)
    for one in (shared, whole):
        one.add(extended(new))
        one.remove(some)
    assert_same_search(shared, whole, metric, 8)
    np.testing.assert_array_equal(copy.rows(some), extended(rows(0, 3000))[some])
    np.testing.assert_array_equal(index.rows(some), new[:3])
    np.testing.assert_array_equal(index.rows([0, 2999]), rows(0, 3000)[[0, 2999]])


def test_columns_that_change_are_not_shared():
    index, *_ = three(300)
    changed = index.rebuilt_by(lambda values: extended(values + 1.0), WIDER)
    assert not isinstance(changed.storage._values, SharedRows)
    np.testing.assert_array_equal(changed.rows([4]), extended(index.rows([4]) + 1.0))


def test_an_extension_of_an_extension_shares_the_first_columns_alone():
    index, shared, *_ = three()
    index.remove([4])
    shared.remove([4])
    shared = index.rebuilt_by(extended, WIDER)

    def wider(values):
        return np.concatenate([values[:, :5], 2 * values[:, 4:]], axis=1)

    more = shared.rebuilt_by(wider, np.append(WIDER, np.uint8(0)))
    stored = more.storage._values
    assert stored.shared is shared.storage._values.shared
    assert stored.own.shape[1] == 4
    expected = ExactIndex.of_cases(
        index.storage.numbers, wider(extended(index.storage.values)), more.kinds, next_number=3000
    )
    numbers = np.array([7, 0, 2999])
    np.testing.assert_array_equal(more.rows(numbers), expected.rows(numbers))
    metric = make_metric(expected.storage.values, more.kinds, 0.5, periods=[*PERIODS, 0.0])
    queries = wider(extended(rows(1, 15)))
    found, other = (one.search(queries, metric, 7) for one in (more, expected))
    np.testing.assert_array_equal(found.indices, other.indices)
    np.testing.assert_array_equal(found.distances, other.distances)
    index.update([0], rows(5, 1))
    shared.add(extended(rows(6, 2)))
    np.testing.assert_array_equal(more.rows(numbers), expected.rows(numbers))


def test_removed_cases_are_left_out_of_an_extension():
    index, *_ = three(300)
    index.remove([0, 17, 299])
    shared = index.rebuilt_by(extended, WIDER)
    assert isinstance(shared.storage._values, SharedRows)
    assert len(shared) == 297
    assert not shared.contains([0, 17, 299]).any()
    np.testing.assert_array_equal(shared.rows([1, 298]), extended(index.rows([1, 298])))


def test_a_place_beyond_the_shared_rows_is_refused():
    own, first = np.zeros((2, 1)), np.zeros((2, 1))
    with pytest.raises(ValueError, match="place is out of range"):
        _native.Rows(own, first, np.array([0, 2], dtype=np.int32))
    with pytest.raises(ValueError, match="places do not fit"):
        _native.Rows(own, first, np.array([0], dtype=np.int32))
