"""The area under the ROC curve, by counting pairs."""

import numpy as np
import pytest

from benchmarks.quality.scores import auc


def area_by_pairs(positive, score):
    pairs = [(a > b) + 0.5 * (a == b) for a in score[positive] for b in score[~positive]]
    return np.mean(pairs)


def test_two_classes():
    truth = np.array([0, 1, 1, 0, 1])
    p = np.array([0.2, 0.6, 0.2, 0.4, 0.9])
    both = np.column_stack([1 - p, p])
    expected = area_by_pairs(truth == 1, p)
    assert auc(truth, both, np.array([0, 1])) == pytest.approx(expected)


def test_several_classes_are_averaged_over_those_of_the_test_rows():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=40)
    p = rng.dirichlet(np.ones(4), size=40)
    expected = np.mean([area_by_pairs(truth == c, p[:, c]) for c in range(3)])
    assert auc(truth, p, np.arange(4)) == pytest.approx(expected)


def test_two_of_three_classes_in_the_test_rows():
    p = np.array([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
    truth = np.array([0, 2, 2])
    expected = np.mean([area_by_pairs(truth == c, p[:, c]) for c in (0, 2)])
    assert auc(truth, p, np.arange(3)) == pytest.approx(expected)


def test_a_class_that_the_model_does_not_know_counts_as_chance():
    truth = np.array([0, 0, 2])
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]])
    assert auc(truth, np.column_stack([p, 1 - p[:, 0]]), np.array([0, 1, 3])) == pytest.approx(
        0.75
    )


def test_a_single_class_has_no_area():
    assert np.isnan(auc(np.zeros(3), np.ones((3, 2)) / 2, np.array([0, 1])))
