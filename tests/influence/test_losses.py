"""Losses are those of the naive twin."""

from __future__ import annotations

import numpy as np

from tests.learning.tables import kinds, table
from tests.naive import prediction as naive
from vicinal.influence.losses import target_loss


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
