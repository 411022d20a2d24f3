"""Losses are those of the naive twin."""

from __future__ import annotations

import numpy as np

from tests.learning.tables import kinds, table
from tests.naive import prediction as naive
from vicinal.influence.losses import Judge, target_loss


@kinds
def test_losses_equal_the_naive_ones(classes):
    cases, _, _, target = table(classes)
    rng = np.random.default_rng(4)
    chosen = rng.permutation(80)[:30]
    truth = cases[chosen, 0]
    if classes:
        predictions = rng.dirichlet([1.0, 1.0], size=30)
        expected = naive.log_loss(predictions, truth, target.shares)
    else:
        predictions = rng.normal(size=(30, 1))
        expected = naive.relative_error(predictions[:, 0], truth)
    np.testing.assert_allclose(target_loss(predictions, chosen, target), expected, rtol=1e-12)


@kinds
def test_losses_weigh_cases(classes):
    weights = np.random.default_rng(5).integers(1, 4, size=80).astype(float)
    cases, _, _, target = table(classes, weights=weights)
    predictions = np.tile([0.3, 0.7] if classes else [0.1], (80, 1))
    everyone = np.arange(80)
    if classes:
        expected = naive.log_loss(predictions, cases[:, 0], target.shares, weights)
    else:
        expected = naive.relative_error(predictions[:, 0], cases[:, 0], weights)
    np.testing.assert_allclose(target_loss(predictions, everyone, target), expected, rtol=1e-12)


@kinds
def test_the_gap_between_two_predictions_is_that_of_their_losses(classes):
    cases, _, _, target = table(classes)
    rng, truth, judge = np.random.default_rng(6), cases[:, 0], Judge(np.arange(80), target)
    if classes:
        worse, better = (rng.uniform(low, 0.9, size=80) for low in (0.3, 0.7))
    else:
        worse, better = (truth + size * rng.normal(size=80) for size in (2.0, 1.0))
    factor, error = judge.gap(worse, better)
    np.testing.assert_allclose(factor, judge.losses(worse) / judge.losses(better))
    assert judge.gap(better, better) == (1.0, 0.0)
    # Its standard error is about the spread over random samples of the cases.
    drawn = rng.integers(0, 40, size=(400, 80))
    factors = [
        float(fewer.losses(worse[some]) / fewer.losses(better[some]))
        for some in drawn
        for fewer in [judge.taken(some)]
    ]
    assert 0.5 < error / np.std(factors) < 2.0
