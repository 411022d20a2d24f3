"""How probably labels are wrong: disagreements that fade, and disagreements anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.quality.label_noise import likely_wrong, most_probable, probability_wrong


def drawn(rate, seed, n=1500):
    """Margins, disagreements of a logistic model with wrong labels at a rate, and which are."""
    rng = np.random.default_rng(seed)
    margins = rng.gamma(2.0, size=n)
    predicted_is_true = rng.random(n) > 1 / (1 + np.exp(4 * margins**0.5))
    wrong = rng.random(n) < rate
    return margins, predicted_is_true == wrong, wrong


def test_disagreements_that_fade_away_from_the_boundary_are_not_errors():
    named = []
    for seed in range(40):
        margins, disagrees, _ = drawn(0.0, seed)
        named.append(likely_wrong(margins, disagrees, disagrees, 2, 0.05))
    assert np.mean([one.any() for one in named]) <= 0.05


@pytest.mark.parametrize(("rate", "least"), [(0.1, 0.5), (0.03, 0.3)])
def test_most_errors_are_named_at_the_false_discovery_rate(rate, least):
    rates, found = [], []
    for seed in range(20):
        margins, disagrees, wrong = drawn(rate, seed)
        named = likely_wrong(margins, disagrees, disagrees, 2, 0.05)
        rates.append((named & ~wrong).sum() / max(named.sum(), 1))
        found.append((named & wrong).sum() / wrong.sum())
    assert np.mean(rates) <= 0.05 + 2 * np.std(rates) / np.sqrt(20)
    assert np.mean(found) > least


def test_whole_weights_count_as_repeated_cases():
    margins, disagrees, _ = drawn(0.1, 0, 200)
    weighted = probability_wrong(margins, disagrees, 3, np.full(200, 2.0))
    repeated = probability_wrong(np.repeat(margins, 2), np.repeat(disagrees, 2), 3)
    np.testing.assert_allclose(weighted, repeated[::2], atol=0.02)


def test_without_margins_no_label_is_called_wrong():
    for margins in (np.zeros(5), np.full(5, np.inf), np.full(5, -1.0)):
        assert not probability_wrong(margins, np.ones(5, dtype=bool), 2).any()


@given(st.lists(st.sampled_from([0.2, 0.9, 0.94, 0.97, 1.0]), max_size=12))
def test_the_largest_set_is_named_of_which_few_are_expected_to_be_right(given_probabilities):
    probabilities = np.array(given_probabilities)
    named = most_probable(probabilities, np.ones(len(probabilities), dtype=bool), 0.05)
    expected = 0
    for level in set(given_probabilities):
        above = [1 - p for p in given_probabilities if p >= level]
        if sum(above) / len(above) <= 0.05 + 1e-12:
            expected = max(expected, len(above))
    assert named.sum() == expected
    assert not named.any() or probabilities[named].min() >= probabilities[~named].max(initial=0)
