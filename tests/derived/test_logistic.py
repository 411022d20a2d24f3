"""Ridge logistic regression in several runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from vicinal.derived import logistic as module
from vicinal.derived.logistic import logistic

classes = pytest.mark.parametrize("n_classes", [2, 3, 5])


def table(n_classes, n=300, seed=0):
    """Rows with half of their cells zero, classes, weights, and what four runs are without."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.5)
    truth = np.digitize(rows[:, 0] + rng.normal(size=n), np.linspace(-0.8, 1.2, n_classes - 1))
    return rows, truth.astype(float), rng.random(n) + 0.5, rng.random((4, n)) < 0.3


def learn(rows, truth, weights, held, n_classes, penalty=2.0):
    design = sparse.csr_matrix(rows)
    return logistic(design, truth, weights, held, n_classes=n_classes, penalty=penalty)


@classes
def test_it_finds_what_scikit_learn_finds(n_classes, monkeypatch):
    monkeypatch.setattr(module, "TOLERANCE", 1e-9)
    rows, truth, weights, held = table(n_classes)
    found = learn(rows, truth, weights, held, n_classes)
    for run, given in enumerate(~held):
        model = LogisticRegression(C=0.5, tol=1e-10, max_iter=5000)
        model.fit(rows[given], truth[given], sample_weight=weights[given])
        np.testing.assert_allclose(found[run], model.coef_.T, atol=1e-5)


@classes
def test_runs_do_not_depend_on_each_other(n_classes):
    rows, truth, weights, held = table(n_classes)
    together = learn(rows, truth, weights, held, n_classes)
    for run in range(len(held)):
        alone = learn(rows, truth, weights, held[[run]], n_classes)
        np.testing.assert_array_equal(alone[0], together[run])


@classes
def test_outcomes_that_a_run_is_without_do_not_matter(n_classes):
    rows, truth, weights, held = table(n_classes)
    other = np.where(held[0], n_classes - 1 - truth, truth)
    before = learn(rows, truth, weights, held, n_classes)
    after = learn(rows, other, weights, held, n_classes)
    np.testing.assert_array_equal(after[0], before[0])
    assert (after[1] != before[1]).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_run_that_sees_one_class_or_nothing_learns_nothing(n_classes):
    rows, truth, weights, held = table(n_classes)
    held[0], held[1] = truth != 1, True
    found = learn(rows, truth, weights, held, n_classes)
    assert not found[:2].any()
    assert np.isfinite(found).all()
    assert found[2:].any()


def test_numbers_that_are_far_apart_do_not_overflow():
    rows, truth, weights, held = table(2)
    rows[:, 0] *= 1e6
    assert np.isfinite(learn(rows, truth, weights, held, 2)).all()
