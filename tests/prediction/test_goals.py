"""Goals of decisions, by hand; test_decision.py compares them with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.prediction.goals import GOALS, counts
from vicinal.validation import CHOICES

TRUTH = np.array([0, 0, 0, 1])


@pytest.mark.parametrize(
    ("goal", "expected"),
    [("accuracy", 0.75), ("balanced_accuracy", 5 / 6), ("f1", 2 / 3), ("mcc", 3**-0.5)],
)
def test_goals_of_four_cases_are_those_found_by_hand(goal, expected):
    found = counts(TRUTH, np.array([0, 0, 1, 1]), np.ones(4), 2)
    assert GOALS[goal](*found, np.array([3.0, 1.0])) == pytest.approx(expected)


def test_no_correlation_is_defined_if_one_class_is_always_predicted():
    found = counts(TRUTH, np.zeros(4, dtype=int), np.ones(4), 2)
    assert GOALS["mcc"](*found, np.array([3.0, 1.0])) == 0.0


def test_the_goals_are_those_that_parameters_may_name():
    assert tuple(GOALS) == CHOICES["decision"]
