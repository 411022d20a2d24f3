"""Means by kernels of several widths, beside sums written out neighbor by neighbor."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.index._native import paths
from vicinal.index.outcome_sums import kernel_means

BANDWIDTHS = (2.0, 1.0, 0.5, 0.03)


def naive_mean(excess, counts, outcomes, classes, bandwidth):
    pairs = list(zip(excess, counts, strict=True))
    least = min(far for far, count in pairs if count)
    kernel = [
        count * math.exp(-bandwidth * (far - least)) if count and far < math.inf else 0.0
        for far, count in pairs
    ]
    if not classes:
        return [sum(k * y for k, y in zip(kernel, outcomes, strict=True)) / sum(kernel)]
    return [
        sum(k for k, y in zip(kernel, outcomes, strict=True) if y == one) / sum(kernel)
        for one in range(classes)
    ]


@settings(max_examples=60)
@given(
    k=st.integers(1, 21),
    classes=st.sampled_from([0, 2, 5]),
    counted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_means_are_those_of_the_definition(k, classes, counted, seed):
    rng = np.random.default_rng(seed)
    excess = rng.exponential(rng.choice([0.1, 3.0, 500.0]), size=(7, k))
    excess[:, 1:][rng.random((7, k - 1)) < 0.2] = np.inf
    counts = rng.choice([0.0, 0.25, 1.0, 7.0], size=(7, k)) if counted else np.ones((7, k))
    counts[:, 0] = 1.0  # some neighbor counts
    outcomes = rng.integers(0, classes, (7, k)) if classes else rng.normal(size=(7, k))
    given = counts if counted else None
    found = kernel_means(excess, given, outcomes, classes, BANDWIDTHS)
    for of_one, bandwidth in zip(found, BANDWIDTHS, strict=True):
        for row in range(7):
            wanted = naive_mean(
                excess[row].tolist(), counts[row], outcomes[row], classes, bandwidth
            )
            np.testing.assert_allclose(of_one[row], wanted, rtol=1e-9, atol=1e-12)
    for path in paths():
        same = kernel_means(excess, given, outcomes, classes, BANDWIDTHS, threads=2, path=path)
        np.testing.assert_array_equal(same, found)
    # One width, or one row, at a time.
    alone = kernel_means(
        excess[2:3], None if given is None else given[2:3], outcomes[2:3], classes, [0.5]
    )
    np.testing.assert_array_equal(alone[0, 0], found[2, 2])


def test_a_class_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="out of range"):
        kernel_means(np.zeros((1, 2)), None, np.array([[0.0, 2.0]]), 2, [1.0])
