"""The loss of feature weights, beside a plain reading of its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vicinal.index._native import paths
from vicinal.index.descent import PULL, SMOOTH, LeftOut, descend, weights_loss


def naive_loss(sample, logs):
    """Written out case by case, in the words of the definition."""
    weights = [math.exp(log) for log in logs]
    total = 0.0
    for q in range(len(sample.truth)):
        pool = []
        for j in range(sample.places.shape[1]):
            if sample.places[q, j] > 0:
                terms = sample.excess[sample.rows[q], :, j].tolist()
                far = sum(w * x for w, x in zip(weights, terms, strict=True))
                pool.append((far, j, sample.places[q, j], sample.outcomes[q, j]))
        left, kernel, outcomes = float(sample.k), [], []
        for far, _, places, outcome in sorted(pool)[: sample.k]:
            kernel.append(min(places, max(left, 0.0)) * math.exp(-far))
            outcomes.append(outcome)
            left -= places
        norm = sum(kernel) or 1.0
        shares = [one / norm for one in kernel]
        pairs = list(zip(shares, outcomes, strict=True))
        if sample.classes:
            hit = sum(share for share, outcome in pairs if outcome == sample.truth[q])
            one = -math.log((1 - sample.mix) * hit + sample.mix * sample.prior[q])
        else:
            error = sum(share * outcome for share, outcome in pairs) - sample.truth[q]
            one = math.sqrt(error**2 + SMOOTH**2)
        total += sample.weights[q] * one
    pull = sum((a - b) ** 2 for a, b in zip(logs, sample.start, strict=True)) / len(logs)
    return total + PULL * pull


def make_sample(seed, *, classes, weighted, cases=21, columns=5, pool=33, k=11):
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 3, (cases, pool)) if classes else rng.normal(size=(cases, pool))
    places = rng.integers(0, 4, (cases, pool)) if weighted else rng.random((cases, pool)) < 0.9
    weights = rng.random(cases)
    return LeftOut(
        excess=rng.exponential(size=(cases + 3, columns, pool)).astype(np.float32),
        rows=rng.permutation(cases + 3)[:cases],
        places=places.astype(float),
        outcomes=outcomes.astype(float),
        truth=rng.integers(0, 3, cases).astype(float) if classes else rng.normal(size=cases),
        prior=np.full(cases, 1 / 3),
        weights=weights / weights.sum(),
        start=np.full(columns, -0.5),
        k=k,
        classes=classes,
        mix=0.01,
    )


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_loss_and_its_slope_equal_the_naive_ones(classes, weighted):
    for seed in range(5):
        sample = make_sample(seed, classes=classes, weighted=weighted)
        logs = np.random.default_rng(seed).normal(size=5)
        loss, slope = weights_loss(sample, logs)
        np.testing.assert_allclose(loss, naive_loss(sample, logs), rtol=1e-5)
        for i in range(5):
            step = np.eye(5)[i] * 1e-5
            # So small a step leaves the same candidates near.
            rise = (naive_loss(sample, logs + step) - naive_loss(sample, logs - step)) / 2e-5
            np.testing.assert_allclose(slope[i], rise, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("classes", [True, False])
def test_every_instruction_path_descends_alike(classes):
    sample = make_sample(1, classes=classes, weighted=True)
    reached = [descend(sample, np.zeros(5), 20, path=path) for path in paths()]
    for one in reached[1:]:
        np.testing.assert_array_equal(one, reached[0])


@pytest.mark.parametrize("classes", [True, False])
def test_descending_lowers_the_loss(classes):
    # With k as large as the pool, no candidate comes or goes.
    sample = make_sample(2, classes=classes, weighted=False, k=33)
    before = naive_loss(sample, np.zeros(5))
    assert naive_loss(sample, descend(sample, np.zeros(5), 20)) < before - 1e-3


def test_a_case_without_candidates_counts_by_what_is_known_before():
    sample = make_sample(3, classes=True, weighted=False, cases=1)
    sample.places[:] = 0
    loss, slope = weights_loss(sample, sample.start)
    np.testing.assert_allclose(loss, -np.log(0.01 / 3), rtol=1e-6)
    np.testing.assert_array_equal(slope, 0)
