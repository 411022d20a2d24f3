"""The paper's way: k, p and MDA weights as a naive search over all of them chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.naive import prediction as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.learning.mda_weights import FIBONACCI
from vicinal.learning.paper import INVERSE_POWERS, POWERS, tune_paper

kinds = pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])


def table(classes, n=30, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    told = x[:, 0] + 0.4 * rng.normal(size=n)
    target = (told > 0.2).astype(float) if classes else told
    cases = np.column_stack([target, x])
    cases[3, 0] = np.nan
    metric = make_metric(
        cases, [NOMINAL if classes else NUMERIC] + [NUMERIC] * 3, 0.7, weights=[0, 1.0, 1.0, 1.0]
    )
    index = ExactIndex(cases, metric.kinds)
    return cases, metric, index, Target.of(index, 0, n_classes=2 if classes else 0)


def losses_of(cases, metric, target, k, power=1.0):
    """What decides (wrong classes first, for classes), and the loss that is reported."""
    n_classes = target.n_classes
    known, predictions = naive.classic_predictions(cases, metric, 0, k, n_classes, power)
    truth = cases[known, 0]
    if n_classes:
        loss = naive.log_loss(predictions, truth, target.shares)
        return np.mean(predictions.argmax(axis=1) != truth) + 1e-3 * loss, loss
    loss = naive.relative_error(predictions[:, 0], truth)
    return loss, loss


def least_loss(cases, metric, target, power=1.0):
    """Least loss over every k, as MDA compares it."""
    return min(losses_of(cases, metric, target, k, power)[1] for k in FIBONACCI if k <= len(cases))


@kinds
def test_k_and_p_are_those_of_the_naive_search(classes):
    cases, metric, index, target = table(classes)
    tuning = tune_paper(index, metric, target)
    scores = {
        (p, k): losses_of(cases, replace(metric, p=p), target, k)
        for p in POWERS
        for k in FIBONACCI
        if k <= len(cases)
    }
    best = min(scores, key=lambda key: scores[key][0])
    ensemble = tuning.ensemble
    np.testing.assert_allclose(
        scores[ensemble.spaces[0].metric.p, ensemble.k][0], scores[best][0], rtol=1e-9
    )
    reported = {trial.reading: trial.loss for trial in tuning.trials}
    for (p, k), (_, loss) in scores.items():
        np.testing.assert_allclose(reported[f"p = {p:g}, k = {k}"], loss, rtol=1e-9)
    assert [t.loss for t in tuning.trials] == sorted(t.loss for t in tuning.trials)


@kinds
def test_predictions_of_left_out_cases_are_the_naive_ones(classes):
    cases, metric, index, target = table(classes)
    tuning = tune_paper(index, metric, target, powers=(1.0,))
    known, expected = naive.classic_predictions(
        cases, metric, 0, tuning.ensemble.k, target.n_classes
    )
    trace = tuning.ensemble.background
    if classes:
        expected = (1 - trace) * expected + trace * target.shares
    np.testing.assert_array_equal(tuning.queries, known)
    np.testing.assert_allclose(tuning.predictions, expected, rtol=1e-9)


@kinds
def test_mda_weights_are_the_rises_of_the_loss(classes):
    cases, metric, index, target = table(classes)
    tuning = tune_paper(index, metric, target, weighting="mda")
    without = [
        least_loss(cases, metric.restricted(np.setdiff1d([1, 2, 3], [i])), target)
        for i in (1, 2, 3)
    ]
    expected = naive.mda_weights(np.array(without) - least_loss(cases, metric, target))
    actual = tuning.ensemble.spaces[0].metric.weights
    np.testing.assert_allclose(actual, np.append(0.0, expected), rtol=1e-6)
    assert actual[1] == 1.0


@kinds
def test_the_preset_tries_weights_by_what_features_tell_and_powers_of_the_distance(classes):
    cases, metric, index, target = table(classes, n=16)
    tuning = tune_paper(index, metric, target, weighting="paper", powers=(1.0,))
    losses = {(trial.reading, trial.bandwidth): trial.loss for trial in tuning.trials}
    sizes = [k for k in FIBONACCI if k <= 14]
    plain = {
        (k, power): losses_of(cases, metric, target, k, power)
        for k in sizes
        for power in INVERSE_POWERS
    }
    for (k, power), (_, loss) in plain.items():
        np.testing.assert_allclose(losses[f"p = 1, k = {k}", power], loss, rtol=1e-9)
    # What features tell is asked with the power that is best for equal weights.
    _, power = min(plain, key=lambda key: plain[key][0])

    def loss_with(*features):
        return least_loss(cases, metric.restricted(np.array(features)), target, power)

    nothing = np.tile(target.expected, (15, 1))
    truth = np.delete(cases[:, 0], 3)
    if classes:
        none = naive.log_loss(nothing, truth, target.shares)
    else:
        none = naive.relative_error(nothing[:, 0], truth)
    whole = loss_with(1, 2, 3)
    lost = [max(loss_with(*rest) - whole, 0) for rest in ((2, 3), (1, 3), (1, 2))]
    told = [lost[i - 1] + max(none - loss_with(i), 0) for i in (1, 2, 3)]
    weighted = metric.with_weights(np.append(0.0, naive.mda_weights(told, 2.0)))
    for k in sizes:
        expected = losses_of(cases, weighted, target, k, 8.0)[1]
        actual = losses[f"lost and alone ^ 2, p = 1, k = {k}", 8.0]
        np.testing.assert_allclose(actual, expected, rtol=1e-7)
    member = tuning.ensemble.members[0]
    assert (member.rule, member.bandwidth in INVERSE_POWERS) == ("inverse", True)


def test_a_single_feature_keeps_its_weight_under_mda():
    _, metric, index, target = table(False)
    tuning = tune_paper(index, metric.restricted(np.array([1])), target, weighting="mda")
    np.testing.assert_array_equal(tuning.ensemble.spaces[0].metric.weights, [0, 1, 0, 0])


@kinds
def test_shares_and_background_sum_to_one(classes):
    _, metric, index, target = table(classes)
    ensemble = tune_paper(index, metric, target).ensemble
    assert ensemble.members[0].rule == "inverse"
    total = ensemble.background + sum(member.share for member in ensemble.members)
    np.testing.assert_allclose(total, 1.0)
