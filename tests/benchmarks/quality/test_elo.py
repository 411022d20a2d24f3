"""Elo ratings: hand-made tables with known answers, and the equations of the maximum."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from benchmarks.quality.elo import POINTS, elo


def rated(errors, anchor, **options):
    return elo(pd.DataFrame(errors), anchor=anchor, rounds=0, **options)["elo"]


def test_ten_wins_of_eleven_are_400_points():
    ratings = rated({"weak": [2.0] * 10 + [0.0], "strong": [1.0] * 11}, "weak")
    assert ratings.to_dict() == pytest.approx({"strong": 1400, "weak": 1000}, abs=0.01)


def test_three_in_a_circle_are_equal():
    errors = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 1.0], "c": [3.0, 1.0, 2.0]}
    assert rated(errors, "a").to_numpy() == pytest.approx(1000, abs=0.01)


def test_a_tie_is_half_a_win_for_both():
    ratings = rated({"a": [1.0, 1.0], "b": [1.0, 1.0]}, "a")
    assert ratings.to_numpy() == pytest.approx(1000, abs=0.01)
    # Nine wins and two ties are ten wins of eleven.
    ratings = rated({"a": [1.0] * 11, "b": [2.0] * 9 + [1.0] * 2}, "b")
    assert ratings["a"] == pytest.approx(1400, abs=0.01)


def test_at_the_maximum_every_method_is_expected_to_win_as_often_as_it_did():
    errors = np.random.default_rng(3).random((30, 5)) + np.arange(5) * 0.1
    table = elo(pd.DataFrame(errors, columns=list("abcde")), anchor="c", rounds=0)
    strength = table["elo"].to_numpy() / POINTS
    expected = expit(strength[:, None] - strength[None, :])
    np.fill_diagonal(expected, 0)
    assert expected.sum(axis=1) / 4 == pytest.approx(table["wins"].to_numpy(), abs=1e-4)
    assert table.loc["c", "elo"] == 1000


def test_a_method_that_always_wins_has_a_finite_rating_above_all_others():
    ratings = rated({"best": [0.0] * 3, "a": [1.0, 2.0, 1.0], "b": [2.0, 1.0, 2.0]}, "a")
    assert np.isfinite(ratings["best"])
    assert ratings.idxmax() == "best"


def test_the_interval_holds_the_rating_and_repeats_itself():
    errors = pd.DataFrame(np.random.default_rng(0).random((12, 3)), columns=list("abc"))
    first, second = (elo(errors, anchor="a", rounds=40, seed=1) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert (first["low"] <= first["elo"]).all()
    assert (first["elo"] <= first["high"]).all()
    assert first.loc["a", ["low", "high"]].tolist() == [1000, 1000]


def test_a_missing_error_is_refused():
    with pytest.raises(ValueError, match="missing"):
        rated({"a": [1.0, np.nan], "b": [1.0, 2.0]}, "a")
