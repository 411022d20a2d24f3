"""Numbers far from what the other cases suggest."""

import numpy as np
import pytest

from vicinal.quality.label_numbers import suspect_numbers


def test_numbers_far_beyond_the_errors_of_the_others_are_suspected():
    errors = np.random.default_rng(0).laplace(size=500)
    errors[7] = 40.0
    found = suspect_numbers(errors, np.zeros(500), np.ones(500))
    assert found.likely[7]
    assert found.surprising[7]
    assert found.likely.sum() <= 3
    nothing = suspect_numbers(np.full(3, np.nan), np.zeros(3), np.ones(3))
    assert not nothing.likely.any()


def test_exact_predictions_raise_no_suspicion():
    found = suspect_numbers(np.zeros(20), np.zeros(20), np.ones(20))
    assert not found.likely.any()
    assert not found.surprising.any()


@pytest.mark.parametrize("draw", ["normal", "laplace", "heavy"])
def test_clean_numbers_are_seldom_called_wrong_even_with_heavy_tails(draw):
    rng = np.random.default_rng(1)
    draws = {
        "normal": lambda: rng.normal(size=1000),
        "laplace": lambda: rng.laplace(size=1000),
        "heavy": lambda: rng.standard_t(3, size=1000),
    }
    named = [
        suspect_numbers(draws[draw](), np.zeros(1000), np.ones(1000)).likely.any()
        for _ in range(200)
    ]
    assert np.mean(named) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
