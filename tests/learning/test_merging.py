"""Equal cases as one that weighs more: neither repetition nor row order can be seen."""

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC
from vicinal import Model
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import distinct_cases
from vicinal.influence.target import Target
from vicinal.learning.merging import sampled_cases


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


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda", "paper"])
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


@pytest.mark.parametrize("seed", range(5))
def test_merged_cases_with_equal_features_are_sampled_together(seed):
    # 60 features with both outcomes each, one of them of many rows.
    x = np.repeat(np.arange(60.0), 2)
    told = np.tile([0.0, 1.0], 60)
    weights = np.ones(120)
    weights[:2] = 200.0
    index = ExactIndex(np.c_[told, x], np.array([NOMINAL, NUMERIC], dtype=np.uint8), weights)
    target = Target.of(index, 0, n_classes=2)
    cases = sampled_cases(index, target, np.array([1]), 20, random_state=seed)
    assert len(cases) == 40
    assert all(set(told[cases][x[cases] == one]) == {0, 1} for one in set(x[cases]))
