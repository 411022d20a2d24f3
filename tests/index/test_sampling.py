"""A sample depends on what the cases hold, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.index import sampling
from vicinal.index.exact import ExactIndex
from vicinal.index.hashes import row_hashes
from vicinal.index.sampling import content_order, sample_cases, sample_distinct, split_cases


def mixed_cases(n, seed=0):
    rng = np.random.default_rng(seed)
    cases = np.column_stack(
        [
            rng.normal(size=n),
            rng.lognormal(sigma=2, size=n),
            rng.integers(0, 5, size=n) ** 2,
            np.floor(4 * rng.random(n) ** 2),
        ]
    )
    cases[rng.random(cases.shape) < 0.1] = np.nan
    return cases


def as_set(rows):
    """The rows as they are, whatever their order."""
    return sorted(row.tobytes() for row in np.asarray(rows) + 0.0)


@pytest.mark.parametrize("count", [1, 20, 299])
def test_so_many_cases_are_chosen_once_each_in_order(count):
    chosen = sample_cases(mixed_cases(300), count)
    assert len(chosen) == count
    assert (np.diff(chosen) > 0).all()


@pytest.mark.parametrize("count", [300, 301, 10_000])
def test_a_small_table_is_taken_whole(count):
    assert sample_cases(mixed_cases(300), count).tolist() == list(range(300))


def test_the_same_cases_are_chosen_in_any_order_of_rows():
    cases = mixed_cases(500)
    shuffled = cases[np.random.default_rng(1).permutation(500)]
    expected = cases[sample_cases(cases, 60)]
    assert as_set(shuffled[sample_cases(shuffled, 60)]) == as_set(expected)


def test_a_balanced_design_is_sampled_alike_in_any_order_of_rows():
    # Every column is the mirror image of itself, so that nothing but its values tells its ends.
    design = np.array(np.meshgrid(*[np.arange(4.0)] * 4)).reshape(4, -1).T
    shuffled = design[np.random.default_rng(1).permutation(len(design))]
    expected = design[sample_cases(design, 50)]
    assert as_set(shuffled[sample_cases(shuffled, 50)]) == as_set(expected)


@pytest.mark.parametrize(("factor", "shift"), [(7.3, 0.0), (1e-9, 5.0), (-1.0, 0.0), (-0.3, 1e3)])
def test_the_same_cases_are_chosen_in_any_unit(factor, shift):
    cases = mixed_cases(500)[:, :2]
    expected = sample_cases(cases, 60)
    # A shift far beyond the values would round them.
    moved = np.where([True, False], cases * factor + shift * abs(factor), cases)
    np.testing.assert_array_equal(sample_cases(moved, 60), expected)


def test_another_state_chooses_other_cases():
    cases = mixed_cases(500)
    assert set(sample_cases(cases, 60)) != set(sample_cases(cases, 60, random_state=1))


def test_equal_cases_are_chosen_one_by_one():
    cases = np.repeat([[0.0, 1.0], [1.0, 5.0]], 200, axis=0)
    chosen = cases[sample_cases(cases, 100), 0]
    assert 25 < chosen.sum() < 75


def test_a_sample_looks_like_the_table():
    cases = np.random.default_rng(3).normal(size=(20_000, 2))
    sample = cases[sample_cases(cases, 2_000)]
    np.testing.assert_allclose(sample.mean(axis=0), 0.0, atol=0.08)
    np.testing.assert_allclose(np.corrcoef(sample.T), np.eye(2), atol=0.08)


def test_columns_of_nothing_and_of_one_value_are_no_trouble():
    cases = mixed_cases(100)
    cases = np.column_stack([cases, np.full(100, np.nan), np.full(100, 7.0)])
    assert len(sample_cases(cases, 10)) == 10


def test_the_content_order_is_the_same_for_any_order_of_rows():
    cases = mixed_cases(500)
    cases = np.vstack([cases, cases[:50]])
    shuffled = cases[np.random.default_rng(1).permutation(len(cases))]
    np.testing.assert_array_equal(shuffled[content_order(shuffled)], cases[content_order(cases)])


def test_the_content_order_tells_values_apart_that_are_almost_equal():
    cases = np.array([[0.0], [1.0], [1.0 + 1e-12], [1e6]])
    expected = cases[content_order(cases)]
    np.testing.assert_array_equal(cases[::-1][content_order(cases[::-1])], expected)


def test_the_content_order_is_not_that_of_any_column():
    cases = np.sort(mixed_cases(500)[:, :1], axis=0)
    place = np.argsort(content_order(cases))
    assert abs(np.corrcoef(place, np.arange(500))[0, 1]) < 0.15


def test_the_content_order_of_weighted_cases_is_that_of_repeated_ones():
    cases = mixed_cases(100)
    weights = np.random.default_rng(2).integers(1, 5, size=100)
    repeated = np.repeat(cases, weights, axis=0)
    order = content_order(cases)
    np.testing.assert_array_equal(
        repeated[content_order(repeated)], np.repeat(cases[order], weights[order], axis=0)
    )


# --- the hashes against their naive twin -----------------------------------------------------


def scattered(x):
    """SplitMix64's finaliser, by whole numbers of any size."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def places_of(column):
    """Steps from the middle of the range, turned towards the side where more of them lie."""
    known = [x for x in column if x == x]
    if not known:
        return [4 * 2**21] * len(column)
    low, high = min(known), max(known)
    span = high - low or 1.0
    middle = (low / span + high / span) / 2
    places = {x: round((x / span - middle) * 2**22) for x in known}
    counted = list(set(places.values())) if len(column) <= 4096 else [places[x] for x in known]
    sign = -1 if sum(counted) < -len(counted) else 1
    return [sign * places[x] if x == x else 4 * 2**21 for x in column]


def naive_hashes(values, seed):
    places = [places_of(column) for column in values.T.tolist()]
    hashes = []
    for row in range(len(values)):
        hashed = scattered(seed)
        for of_column in places:
            hashed = scattered(hashed ^ scattered(of_column[row] % 2**64))
        hashes.append(hashed)
    return hashes


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("n", [1, 2, 300, 4096, 4097])
def test_hashes_are_those_of_their_naive_twin(n, seed):
    cases = mixed_cases(n, seed=n)
    cases[:, 1] *= -1e200
    cases = np.column_stack([cases, np.full(n, 3.0), np.full(n, np.nan), np.arange(n) % 17.0])
    assert row_hashes(cases, seed).tolist() == naive_hashes(cases, seed)


def test_a_table_without_rows_or_columns_has_hashes_all_the_same():
    assert row_hashes(np.empty((0, 3))).tolist() == []
    assert row_hashes(np.empty((2, 0)), 5).tolist() == [scattered(5)] * 2


def test_values_at_the_edge_of_what_a_double_holds_are_hashed():
    huge = np.array([[1e308], [1e308], [-1e308]])
    hashes = row_hashes(huge)
    assert hashes[0] == hashes[1]
    assert len(set(row_hashes(huge[:2]).tolist())) == 1


def test_only_cases_with_a_target_and_a_weight_are_asked():
    cases = np.random.default_rng(0).normal(size=(80, 4))
    cases[:10, 0] = np.nan
    weights = np.ones(80)
    weights[70:] = 0
    index = ExactIndex(cases, np.zeros(4, dtype=np.uint8), weights)
    np.testing.assert_array_equal(index.sample(100, required=0)[0], np.arange(10, 70))
    assert len(index.sample(20, required=0)[0]) == 20


def test_binary_tables_can_be_split():
    grid = np.array(np.meshgrid(*[[0.0, 1.0]] * 6)).reshape(6, -1).T
    parts = split_cases(grid, 2)
    assert np.bincount(parts).tolist() == [32, 32]
    order = np.random.default_rng(0).permutation(64)
    np.testing.assert_array_equal(split_cases(grid[order], 2), parts[order])
    np.testing.assert_array_equal(split_cases(np.repeat(grid, 3, axis=0), 2), np.repeat(parts, 3))


def test_a_split_does_not_depend_on_units_or_signs():
    x = np.random.default_rng(1).lognormal(size=(300, 3))
    x[::7, 1] = np.nan
    moved = x * [-3.0, 1e-9, 7.0] + [1.0, 0.0, 1e3]
    np.testing.assert_array_equal(split_cases(moved, 2), split_cases(x, 2))


@pytest.mark.parametrize("distinct", [False, True])
def test_many_cases_are_sampled_block_by_block_as_all_at_once(distinct, monkeypatch):
    monkeypatch.setattr(sampling, "_BLOCK", 999)
    values = np.repeat(mixed_cases(2500), 2, axis=0)
    index = ExactIndex(values, np.zeros(4, dtype=np.uint8))
    choose = sample_distinct if distinct else sample_cases
    expected = choose(values, 700, random_state=3)
    numbers, found = index.sample(700, random_state=3, distinct=distinct)
    np.testing.assert_array_equal(numbers, expected)
    np.testing.assert_array_equal(found, values[expected])
