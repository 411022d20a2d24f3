import numpy as np

from tests.report.reading import fit
from vicinal.report.grids import grid_of, places_of, with_margin


def test_few_values_are_all_in_the_grid_and_many_by_their_quantiles():
    fitted = fit({"x": np.arange(1000.0), "k": np.arange(1000) % 4})
    assert grid_of(fitted, "k", 9).tolist() == [0.0, 1.0, 2.0, 3.0]
    grid = grid_of(fitted, "x", 9)
    assert len(grid) == 9
    assert grid[0] == 19.0
    assert grid[4] == 499.0


def test_the_most_frequent_categories_are_kept():
    names = [f"k{at}" for at in range(8) for _ in range(at + 1)]
    fitted = fit({"x": np.arange(36.0), "y": names})
    column = fitted.schema.column("y")
    kept = fitted.decoded(grid_of(fitted, "y", 3), column)
    assert sorted(kept) == ["k5", "k6", "k7"]


def test_categories_stand_evenly_and_missing_numbers_before_the_others():
    assert places_of(np.array([3.0, 7.0]), ordered=False) == (0.25, 0.75)
    assert places_of(np.array([1.0, 2.0, 5.0]), ordered=True) == (0.0, 0.25, 1.0)
    assert places_of(np.array([np.nan, 0.0, 10.0]), ordered=True) == (0.0, 0.15, 1.0)


def test_a_margin_is_left_on_both_sides():
    values = with_margin(np.array([0.0, 100.0]))
    assert (values.min(), values.max()) == (-6.0, 106.0)
    assert not len(with_margin(np.empty(0)))
