"""Greedy averages: no worse than the best candidate, and no case chooses for itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.tables import kinds, table
from vicinal.index.exact import ExactIndex
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.losses import Judge, target_loss
from vicinal.influence.target import Target
from vicinal.learning.greedy_average import expected_without, greedy_average
from vicinal.learning.scoring import Candidate

QUERIES = np.arange(80)


def candidates(target, count=6, seed=0):
    """Predictions of various quality: the truth, mixed with noise."""
    rng = np.random.default_rng(seed)
    truth = target.outcomes_of(QUERIES)
    for number in range(count):
        if target.n_classes:
            sure = np.eye(target.n_classes)[truth.astype(int)]
            noise = rng.dirichlet(np.ones(target.n_classes), len(QUERIES))
            found = 0.3 * sure + 0.7 * noise
        else:
            found = (truth + (1 + number / 4) * rng.normal(size=len(QUERIES)))[:, None]
        yield candidate(target, number, found)


def candidate(target, number, found):
    judge = Judge(QUERIES, target)
    named = ("as given", (0,), "probability", 1.0 + number, np.inf)
    return Candidate(*named, judge.guesses(found), judge.loss(found), lambda: found)


def averaged(target, found, members=20):
    draft = Ensemble(target.column, (), (), 5, 0.0)
    contents = target.index.rows(QUERIES)
    return greedy_average(draft, (), found, target, QUERIES, contents, members)


@kinds
def test_the_chosen_average_is_no_worse_than_the_best_candidate(classes):
    *_, target = table(classes)
    found = list(candidates(target))
    ensemble = averaged(target, found).ensemble
    trace = 1e-3 if classes else 0.0
    mean = (ensemble.background - trace) * expected_without(target, QUERIES)
    for member in ensemble.members:
        mean = mean + member.share * found[int(member.bandwidth) - 1].predict()
    loss = target_loss(mean / (1 - trace), QUERIES, target)
    assert loss <= min(one.loss for one in found) + 1e-9


@kinds
def test_no_case_takes_part_in_the_choice_of_its_own_prediction(classes):
    # However good or bad a candidate is at case 0, its share in that prediction is the same.
    *_, target = table(classes)
    first, second = candidates(target, 2)
    steps = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]] if classes else [[0.0], [1.0], [2e3]])
    answers = []
    for step in steps:
        told = second.predict().copy()
        told[0, : len(step)] = step
        answers.append(averaged(target, [first, candidate(target, 1, told)]))
    found = np.array([one.predictions[0, : steps.shape[1]] for one in answers])
    share = (found[1] - found[0]) / (steps[1] - steps[0])
    assert np.all(share > 0)
    np.testing.assert_allclose(found[2] - found[0], share * (steps[2] - steps[0]), rtol=1e-9)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 3.0, 1.0])])
def test_the_prior_of_a_case_is_the_mean_of_all_others(weights):
    outcomes = np.array([1.0, 2.0, 4.0, 8.0])
    index = ExactIndex(outcomes[:, None], np.zeros(1, dtype=np.uint8), weights)
    target = Target.of(index, 0, n_classes=0)
    masses = np.ones(4) if weights is None else weights
    expected = []
    for case in range(4):
        left = masses - (np.arange(4) == case)
        expected.append([(left * outcomes).sum() / left.sum()])
    np.testing.assert_allclose(expected_without(target, np.arange(4)), expected)


def test_a_single_case_expects_what_is_known():
    index = ExactIndex(np.array([[3.0]]), np.zeros(1, dtype=np.uint8))
    target = Target.of(index, 0, n_classes=0)
    np.testing.assert_array_equal(expected_without(target, np.array([0])), [[3.0]])
