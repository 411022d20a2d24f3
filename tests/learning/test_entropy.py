"""Entropy weights: stationary points of the naive objective, for classes and for numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import distance as naive
from tests.naive import prediction as naive_prediction
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.learning.entropy import all_pairs, entropy_weights
from vicinal.learning.views import Views

LOWEST, HIGHEST = -8.0, 6.0


def table(classes, n=60, d=4, seed=0):
    """A target in column 0 that the first two of the other columns tell about."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    told = x[:, 0] + 0.5 * x[:, 1] + 0.3 * rng.normal(size=n)
    target = np.digitize(told, [-0.6, 0.6]).astype(float) if classes else told
    cases = np.column_stack([target, x])
    kinds = [NOMINAL if classes else NUMERIC] + [NUMERIC] * d
    metric = make_metric(cases, kinds, 0.5, weights=[0.0] + [1.0] * d)
    index = ExactIndex(cases, metric.kinds)
    return cases, metric, index, Target.of(index, 0, n_classes=3 if classes else 0)


def candidates_of(cases, metric, chosen, count, log_weights):
    """Excess terms and outcomes of the nearest cases of each, leave-one-out."""
    weights = np.append(0.0, np.exp(log_weights))
    found, _ = naive.neighbors(
        cases[chosen], cases, metric.with_weights(weights), count, exclude=chosen
    )
    excess = [
        naive.terms(cases[q], cases[near], metric)[:, 1:] - SAME
        for q, near in zip(chosen, found, strict=True)
    ]
    return excess, [cases[near, 0] for near in found]


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_learned_weights_are_a_stationary_point_of_the_naive_objective(classes):
    cases, metric, index, target = table(classes)
    chosen = np.arange(0, 60, 2)
    start = np.full(4, -0.5 * np.log(4))
    weights = entropy_weights(
        Views(index), metric, target, chosen, candidates=20, rounds=1, iterations=300
    )
    assert weights[0] == 0
    learned = np.log(weights[1:])
    excess, outcomes = candidates_of(cases, metric, chosen, 20, start)

    def objective(logs):
        if classes:
            return naive_prediction.entropy_objective(
                logs, excess, outcomes, cases[chosen, 0], target.shares, start=start
            )
        return naive_prediction.number_objective(
            logs, excess, outcomes, cases[chosen, 0], target.scale, start=start
        )

    assert objective(learned) < objective(start)
    free = (learned > LOWEST + 1e-3) & (learned < HIGHEST - 1e-3)
    gradient = naive_prediction.finite_differences(objective, learned)
    np.testing.assert_allclose(gradient[free], 0.0, atol=2e-3)
    rng = np.random.default_rng(1)
    near = [objective(learned + 0.05 * rng.normal(size=4) * free) for _ in range(10)]
    assert min(near) > objective(learned) - 1e-5


@settings(max_examples=40)
@given(seed=st.integers(0, 9999), k=st.integers(2, 12), d=st.integers(1, 4))
def test_the_gradient_is_the_mean_term_to_hits_less_that_to_all(seed, k, d):
    rng = np.random.default_rng(seed)
    excess, weights = rng.exponential(size=(k, d)), rng.exponential(size=d)
    outcomes = rng.integers(0, 2, size=k)
    outcomes[0] = 1

    def loss(w):
        shares = naive_prediction.probability_shares(excess @ w, 1.0)
        return -np.log(shares[outcomes == 1].sum())

    np.testing.assert_allclose(
        naive_prediction.finite_differences(loss, weights),
        naive_prediction.hit_gradient(weights, excess, outcomes, 1),
        atol=1e-5,
    )


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_what_tells_weighs_more_than_noise(classes):
    _cases, metric, index, target = table(classes, n=200)
    weights = entropy_weights(Views(index), metric, target, np.arange(200))
    assert weights[1:3].min() > weights[3:].max()


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_columns_of_weight_zero_stay_out(classes):
    _, metric, index, target = table(classes)
    metric = metric.with_weights(np.array([0.0, 1.0, 0.0, 1.0, 0.0]))
    weights = entropy_weights(Views(index), metric, target, np.arange(60))
    np.testing.assert_array_equal(weights > 0, metric.weights > 0)


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_weights_stay_within_their_bounds(classes):
    # A target that one column gives away, and one that nothing tells.
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 2, size=(40, 3)).astype(float)
        cases = np.column_stack([x[:, 0], x])
        kinds = [NOMINAL if classes else NUMERIC] + [NUMERIC] * 3
        metric = make_metric(cases, kinds, 0.01, weights=[0.0, 1.0, 1.0, 1.0])
        index = ExactIndex(cases, metric.kinds)
        target = Target.of(index, 0, n_classes=2 if classes else 0)
        weights = entropy_weights(Views(index), metric, target, np.arange(40))[1:]
        assert np.isfinite(weights).all()
        logs = np.log(weights)
        assert np.all((logs >= LOWEST - 1e-9) & (logs <= HIGHEST + 1e-9))


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_threads_change_no_bit(classes):
    _, metric, index, target = table(classes)
    one = entropy_weights(Views(index), metric, target, np.arange(60), threads=1)
    three = entropy_weights(Views(index), metric, target, np.arange(60), threads=3)
    np.testing.assert_array_equal(three, one)


@pytest.mark.parametrize("whole", [True, False], ids=["all pairs", "searched"])
@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_learning_may_begin_with_what_some_cases_taught(classes, whole):
    _, metric, index, target = table(classes, n=200)
    views, cases, some = Views(index), np.arange(200), np.arange(0, 200, 3)
    pairs = all_pairs(views, metric, target, cases) if whole else None

    def learn(cases, **options):
        return entropy_weights(views, metric, target, cases, pairs=pairs, **options)

    first = learn(some, rounds=2)
    begun = learn(cases, begin=first, rounds=1)
    assert (begun != learn(cases, rounds=1)).any()
    assert (begun != first).any()
    assert begun[1:3].min() > begun[3:].max()
    # Two rounds are one after the other, unless the first one settles.
    again = learn(some, begin=learn(some, rounds=1), rounds=1)
    np.testing.assert_allclose(again, first, rtol=1e-2)


@pytest.mark.parametrize(("values", "paired"), [(3, True), (400, False)])
def test_larger_tables_are_compared_as_a_whole_where_columns_have_few_values(values, paired):
    rng = np.random.default_rng(4)
    cases = rng.integers(0, values, size=(4000, 10)).astype(float)
    metric = make_metric(cases, [NUMERIC] * 10, 1.0, weights=[0.0] + [1.0] * 9)
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=0)
    pairs = all_pairs(Views(index), metric, target, np.arange(50))
    assert (pairs is not None) == paired
