"""Equal cases as one that weighs more: neither repetition nor row order can be seen."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.index.sampling import distinct_cases


def test_distinct_cases_are_the_same_for_repeated_rows_as_for_weights():
    rng = np.random.default_rng(0)
    cases = rng.integers(0, 3, size=(20, 2)) + 0.0
    cases[3, 0] = cases[4, 0] = np.nan
    weights = rng.integers(1, 4, size=20)
    places, which, mass = distinct_cases(cases, weights + 0.0)
    repeated = rng.permutation(np.repeat(cases, weights, axis=0))
    places_of_repeated, _, mass_of_repeated = distinct_cases(repeated)
    np.testing.assert_array_equal(repeated[places_of_repeated], cases[places])
    np.testing.assert_array_equal(mass_of_repeated, mass)
    np.testing.assert_array_equal(cases[places][which], cases)
    assert mass.sum() == weights.sum()


def test_cases_without_repetition_and_weight_stay_without_weight():
    _, _, mass = distinct_cases(np.arange(5.0)[:, None])
    assert mass is None


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda"])
@pytest.mark.parametrize("target", ["number", "label"])
def test_integer_weights_teach_the_same_as_repeated_rows(weighting, target):
    rng = np.random.default_rng(1)
    n = 40
    table = {
        "a": rng.normal(size=n),
        "b": rng.integers(0, 4, size=n),
        "c": rng.choice(["x", "y"], size=n),
    }
    table["number"] = table["a"] + table["b"] + rng.normal(scale=0.1, size=n)
    table["label"] = np.where(table["number"] > 1, "high", "low")
    weights = rng.integers(0, 4, size=n)
    rows = rng.permutation(np.repeat(np.arange(n), weights))
    repeated = {name: values[rows] for name, values in table.items()}
    context = ["a", "b", "c"]
    by_weight = Model(weighting=weighting).fit(table, sample_weight=weights)
    by_rows = Model(weighting=weighting).fit(repeated)
    assert by_weight.residuals_ == by_rows.residuals_
    one, other = (model.tuning(target, context=context) for model in (by_weight, by_rows))
    assert one.loss == other.loss
    assert one.trials == other.trials
    assert one.ensemble.members == other.ensemble.members
    ask = "predict_proba" if target == "label" else "predict"
    expected, actual = (
        getattr(m, ask)(table, target, context=context) for m in (by_rows, by_weight)
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
