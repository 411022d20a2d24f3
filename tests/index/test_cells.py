"""What becomes of cells, in native loops, against plain ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import cells as naive
from vicinal.index.cells import bin_codes, interpolate, range_hashes

values = st.floats(-4, 4).map(lambda x: round(x, 1)) | st.just(np.nan) | st.floats(-1e300, 1e300)


@st.composite
def cut_rows(draw):
    """Rows, and an ascending list of distinct numbers for each of some columns."""
    d = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=0, max_size=8))
    columns = draw(st.lists(st.integers(0, d - 1), max_size=4))
    point = st.floats(-4, 4).map(lambda x: round(x, 1))
    lists = [sorted(draw(st.sets(point, max_size=6))) for _ in columns]
    return np.array(rows, dtype=float).reshape(-1, d), np.array(columns, dtype=np.int64), lists


def joined(lists):
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return starts, np.array([one for some in lists for one in some], dtype=float)


@settings(max_examples=60)
@given(cut=cut_rows(), nominal=st.integers(0, 15))
def test_bins_are_those_of_a_plain_search(cut, nominal):
    rows, columns, lists = cut
    named = np.array([bool(nominal >> at & 1) for at in range(len(columns))], dtype=bool)
    actual = bin_codes(rows, columns, named, *joined(lists), others=62)
    expected = [
        [
            naive.bin_code(row[column], edges, nominal=one)
            for column, edges, one in zip(columns, lists, named, strict=True)
        ]
        for row in rows
    ]
    np.testing.assert_array_equal(actual, np.reshape(expected, actual.shape))


@settings(max_examples=60)
@given(cut=cut_rows(), seed=st.integers(0, 99))
def test_interpolated_values_have_the_bits_of_the_formula_and_of_numpy(cut, seed):
    rows, columns, lists = cut
    rng = np.random.default_rng(seed)
    heights = [rng.normal(size=len(one)).tolist() for one in lists]
    actual = interpolate(rows, columns, *joined(lists), joined(heights)[1])
    for place, column in enumerate(columns):
        expected = [naive.interpolated(x, lists[place], heights[place]) for x in rows[:, column]]
        np.testing.assert_array_equal(actual[:, place], expected)
        known = ~np.isnan(rows[:, column])
        if lists[place]:
            by_numpy = np.interp(rows[known, column], lists[place], heights[place])
            np.testing.assert_array_equal(actual[known, place], by_numpy)


@settings(max_examples=60)
@given(cut=cut_rows(), nominal=st.integers(0, 15), seed=st.integers(0, 2**63 - 1))
def test_hashes_are_those_of_a_plain_loop(cut, nominal, seed):
    rows, columns, _ = cut
    named = np.array([bool(nominal >> at & 1) for at in range(len(columns))], dtype=bool)
    rows = np.where(np.abs(rows) > 1e9, 3.0, np.abs(rows))
    middles, halves = np.linspace(-1, 1, len(columns)), np.linspace(0.5, 2, len(columns))
    given_ranges = {"steps": 2.0**20, "farthest": 1e6, "seed": seed}
    actual = range_hashes(rows, columns, named, middles, halves, **given_ranges)
    expected = [
        naive.range_hash(row[columns], named, middles, halves, **given_ranges) for row in rows
    ]
    assert actual.tolist() == expected


def test_sizes_that_do_not_fit_are_refused():
    rows, one, cuts = np.zeros((2, 1)), np.array([0]), (np.array([0, 1]), np.array([1.5]))
    with pytest.raises(ValueError, match="column is out of range"):
        bin_codes(rows, np.array([1]), np.array([False]), *cuts, others=62)
    with pytest.raises(ValueError, match="starts do not fit"):
        bin_codes(rows, one, np.array([False]), np.array([0, 2]), np.array([1.5]), others=62)
    falling = (np.array([0, 0]), np.array([0, 2, 1]))
    with pytest.raises(ValueError, match="starts must not decrease"):
        interpolate(rows, *falling, np.array([1.0]), np.array([1.0]))
    many = (np.array([0, 70]), np.arange(70.0))
    with pytest.raises(ValueError, match="too many bins"):
        bin_codes(rows, one, np.array([False]), *many, others=62)
    with pytest.raises(ValueError, match="heights do not fit"):
        interpolate(rows, one, *cuts, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="ranges do not fit"):
        range_hashes(
            rows, one, np.array([False]), np.zeros(2), np.ones(1), steps=1.0, farthest=1.0, seed=0
        )
