"""Numbers by their ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.derived import ranks as module
from vicinal.derived.ranks import MOST_POINTS, Ranks, bend, ranked_columns

NAN = np.nan


def ranks_of(cells, weights=None):
    cells = np.asarray(cells, dtype=float)
    return Ranks.of(0, cells, np.ones(len(cells)) if weights is None else np.asarray(weights))


def values_of(ranks, cells):
    return ranks.values(np.asarray(cells, dtype=float)[:, None])


def naive_ranks(cells):
    """The share of known values below, and half of those that are equal."""
    known = [cell for cell in cells if cell == cell]
    return [
        sum(one < cell for one in known) / len(known)
        + sum(one == cell for one in known) / len(known) / 2
        for cell in cells
    ]


cells_with_ties = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=40)


@given(cells=cells_with_ties)
def test_a_rank_is_the_share_below_and_half_of_the_ties(cells):
    np.testing.assert_allclose(values_of(ranks_of(cells), cells), naive_ranks(cells), rtol=1e-12)


@given(cells=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40), more=cells_with_ties)
def test_ranks_rise_with_the_numbers_and_stay_within_0_and_1(cells, more):
    asked = np.sort([*cells, *more])
    found = values_of(ranks_of(cells), asked)
    assert (np.diff(found) >= -1e-15).all()  # interpolation rounds
    assert 0 <= found.min() <= found.max() <= 1


@pytest.mark.parametrize(
    "change", [np.exp, np.cbrt, lambda x: 7 * x - 3], ids=["exp", "root", "unit"]
)
def test_a_rising_map_does_not_matter_at_the_cases(change):
    cells = np.random.default_rng(0).normal(size=90)
    expected = values_of(ranks_of(cells), cells)
    np.testing.assert_array_equal(values_of(ranks_of(change(cells)), change(cells)), expected)


def test_a_falling_map_turns_them_round():
    cells = np.random.default_rng(0).normal(size=90)
    expected = 1 - values_of(ranks_of(cells), cells)
    np.testing.assert_allclose(values_of(ranks_of(-cells), -cells), expected, rtol=1e-12)


def test_between_two_points_ranks_are_interpolated_and_beyond_the_last_they_stay():
    ranks = ranks_of([0.0, 10.0])
    np.testing.assert_array_equal(
        values_of(ranks, [-9, 0, 5, 10, 99]), [0.25, 0.25, 0.5, 0.75, 0.75]
    )


@given(cells=cells_with_ties, seed=st.integers(0, 99))
def test_integer_weights_equal_repeated_rows(cells, seed):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(cells))
    weighed, repeated = ranks_of(cells, counts.astype(float)), ranks_of(np.repeat(cells, counts))
    np.testing.assert_array_equal(weighed.points, repeated.points)
    np.testing.assert_array_equal(weighed.shares, repeated.shares)


def test_the_order_of_rows_changes_no_bit():
    rng = np.random.default_rng(0)
    cells, weights = rng.integers(0, 20, size=300) / 7, rng.choice([0.5, 1.0, 2.0], size=300)
    order = rng.permutation(300)
    one, other = ranks_of(cells, weights), ranks_of(cells[order], weights[order])
    np.testing.assert_array_equal(other.shares, one.shares)


def test_a_missing_number_has_no_rank_and_gives_none():
    cells = [3.0, NAN, 1.0, NAN]
    np.testing.assert_array_equal(values_of(ranks_of(cells), cells), [0.75, NAN, 0.25, NAN])
    np.testing.assert_array_equal(values_of(ranks_of([NAN, NAN]), [1.0, NAN]), [NAN, NAN])


def test_a_single_value_has_the_rank_one_half():
    np.testing.assert_array_equal(values_of(ranks_of([4.0, 4.0]), [-1.0, 4.0, 9.0]), [0.5] * 3)


@pytest.mark.parametrize("style", ["spread", "one value has most of the mass"])
def test_many_distinct_values_are_kept_in_few_points(style):
    rng = np.random.default_rng(0)
    cells = rng.lognormal(sigma=2, size=5000)
    if style != "spread":
        cells[:4000] = 1.0
    ranks = ranks_of(cells)
    assert len(ranks.points) <= MOST_POINTS
    assert (np.diff(ranks.points) > 0).all()
    assert (np.diff(ranks.shares) > 0).all()
    assert (ranks.points[0], ranks.points[-1]) == (cells.min(), cells.max())
    np.testing.assert_allclose(values_of(ranks, cells), naive_ranks_fast(cells), atol=1 / 128)


def naive_ranks_fast(cells):
    ordered = np.sort(cells)
    below, upto = (np.searchsorted(ordered, cells, side=side) for side in ("left", "right"))
    return (below + upto) / 2 / len(cells)


def test_another_column_is_not_looked_at():
    ranks = Ranks.of(1, np.array([1.0, 2.0]), np.ones(2))
    np.testing.assert_array_equal(ranks.values(np.array([[NAN, 1.0], [9.0, 2.0]])), [0.25, 0.75])


def test_of_many_columns_those_that_are_bent_most_have_ranks(monkeypatch):
    monkeypatch.setattr(module, "MANY_COLUMNS", 3)
    monkeypatch.setattr(module, "MANY_CELLS", 0)
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(200, 4))
    values = np.column_stack([normal[:, 0], np.exp(normal[:, 1:3]), np.exp(3 * normal[:, 3])])
    values[::7, 2] = np.nan
    columns, ones = np.arange(4), np.ones(200)
    found = ranked_columns(values, columns, ones)
    assert found.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(ranked_columns(-7 * values, columns, ones), found)
    monkeypatch.setattr(module, "MOST_CELLS", 399)
    assert ranked_columns(values, columns, ones).tolist() == [3]
    assert ranked_columns(values, columns[:3], ones).tolist() == [0, 1, 2]
    monkeypatch.setattr(module, "MANY_CELLS", values.size)
    assert ranked_columns(values, columns, ones).tolist() == columns.tolist()


def test_columns_without_different_numbers_are_not_bent():
    ones = np.ones(3)
    for cells in ([2.0, 2.0, 2.0], [np.nan, np.nan, 1.0], [np.nan] * 3):
        assert bend(np.array(cells), ones) == 0.0
    assert abs(bend(np.array([-1.7e308, 0.0, 1.7e308]), ones)) < 1e-12
