"""The radius that a robust prediction of a class can afford, by leave-one-out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.influence.losses import CaseLosses, error_of_mean
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.greedy_average import EQUAL_LOSSES

#: Radii that are tried, in standard deviations, largest first.
RADII = (0.5, 0.25, 0.1, 0.0)


def affordable(tuned: Callable[[float], Tuning], target: Target) -> Tuning:
    """Return what is tuned with the largest radius that costs no more than chance may explain.

    Cases are judged where they are, each left out: what is lost where nobody attacks counts, not
    what is gained where somebody does. The loss must be within one standard error of the lowest,
    that of the differences case by case.

    Parameters
    ----------
    tuned : callable
        Tunes the prediction for a radius, from the same cases for all of them.
    target : Target
        A target with classes.
    """
    every = [tuned(radius) for radius in RADII]
    cases = every[-1].queries
    losses = [CaseLosses.of(one.predictions, cases, target).entropy_parts for one in every]
    weights = target.weights_of(cases)
    lowest = min(losses, key=lambda found: float(found @ weights))
    for one, found in zip(every, losses, strict=True):
        error = np.nan_to_num(error_of_mean(found - lowest, cases, target))
        if float((found - lowest) @ weights) <= error + EQUAL_LOSSES:
            return one
    return every[-1]
