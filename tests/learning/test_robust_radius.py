"""The radius that leave-one-out chooses."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.learning.test_moved_cases import brittle
from vicinal import Model, VicinalClassifier
from vicinal.exceptions import ParameterError
from vicinal.index.brute_force import BruteForce
from vicinal.influence.target import Target
from vicinal.learning.robust_radius import RADII, affordable


@dataclass
class Tuned:
    """What is looked at of a tuning."""

    radius: float
    queries: np.ndarray
    predictions: np.ndarray


def chosen(right):
    """The radius chosen, given the probabilities of the true class, (radii, cases)."""
    cases = np.arange(right.shape[1])
    outcomes = (cases % 2).astype(float)
    index = BruteForce(outcomes[:, None], np.ones(1, dtype=np.uint8))
    target = Target.of(index, 0, n_classes=2)

    def tuned(radius):
        given = right[RADII.index(radius)]
        odd = np.where(outcomes == 1, given, 1 - given)
        return Tuned(radius, cases, np.stack([1 - odd, odd], axis=1))

    return affordable(tuned, target).radius


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_radius_within_one_standard_error_is_chosen(seed):
    rng = np.random.default_rng(seed)
    right = rng.uniform(0.6, 0.8, (len(RADII), 60))
    right *= rng.uniform(0.93, 1.0, (len(RADII), 1))
    losses = -np.log(right)
    best = losses[losses.mean(axis=1).argmin()]
    gaps = losses - best
    # Standard errors of so many cases, far from where they would decide otherwise.
    within = gaps.mean(axis=1) <= gaps.std(axis=1, ddof=1) / np.sqrt(60)
    assert chosen(right) == RADII[int(np.argmax(within))]


def test_nothing_is_given_up_where_only_a_hair_tells_the_classes():
    table, new = brittle(100, 0), brittle(100, 1)
    truth = np.array(new.pop("y"))
    settings = {"n_jobs": 1, "max_members": 4}
    found = Model(robust_radius="auto", **settings).fit(table).predict(new, "y")
    assert (found == truth).mean() > 0.95


def test_what_costs_nothing_is_taken():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    side = np.where(y == 1, 1.0, -1.0)
    x = np.stack([0.1 * side + 3 * rng.choice([-1, 1], 120), side], axis=1)
    x += 0.01 * rng.normal(size=x.shape)
    model = VicinalClassifier(robust_radius="auto", max_members=4, n_jobs=1).fit(x[:80], y[:80])
    attacked = x[80:].copy()
    attacked[:, 0] -= 0.2 * side[80:]
    assert (model.predict(attacked) == y[80:]).mean() > 0.95


def test_other_words_are_refused():
    with pytest.raises(ParameterError, match="'auto' or a finite number"):
        Model(robust_radius="large").fit({"x": [1.0, 2.0], "y": ["a", "b"]})
