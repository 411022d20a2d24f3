"""Which cases pairs of features are compared on: a sample, and all with values that are rare."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.index.case_weights import units_of
from vicinal.index.protocol import Index
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints

#: Numbers whose mean deviation a plain sample would get wrong by more than this part of it have a
#: sample of their own: where nearly all are 0, the few others may be missed, and decide.
_MOST_ERROR = 0.1


class HeldOutCases(NamedTuple):
    """Cases that are left out and predicted, and what each counts in mean losses.

    Parameters
    ----------
    numbers : ndarray of int64
        The cases.
    weights : ndarray, optional
        They sum to 1; without them, cases count as they weigh.
    """

    numbers: Ints
    weights: Floats | None = None


def held_out(index: Index, target: Target, cases: Ints, *, random_state: int) -> HeldOutCases:
    """Return the cases that a column is predicted of: some, or those that it needs.

    Half of the cases that a heavy-tailed column needs are those of the greatest deviations, as far
    as these differ; the others are sampled from the rest, and stand for it.

    Parameters
    ----------
    cases : ndarray of int64
        A sample of the cases.
    """
    known = cases[~np.isnan(target.outcomes_of(cases))]
    if target.n_classes or target.period or len(known) < 2 or len(cases) >= len(index):
        return HeldOutCases(known)
    everyone = np.concatenate([numbers for numbers, _ in index.blocks()])
    outcomes = target.outcomes_of(everyone)
    everyone, outcomes = everyone[~np.isnan(outcomes)], outcomes[~np.isnan(outcomes)]
    deviations = np.abs(outcomes - target.mean)
    mass = units_of(index, everyone)
    if not _is_heavy(deviations, mass, len(known)):
        return HeldOutCases(known)
    far = _farthest(deviations, len(known) // 2)
    count = len(known) - len(far)
    others, _ = index.sample(
        count, random_state=random_state, required=target.column, without=everyone[far]
    )
    rest = units_of(index, others)
    left = mass.sum() - mass[far].sum()
    weights = np.concatenate([mass[far], rest * (left / max(float(rest.sum()), 1e-300))])
    numbers = np.concatenate([everyone[far], others])
    order = np.argsort(numbers)
    return HeldOutCases(numbers[order], weights[order] / weights.sum())


def _is_heavy(deviations: Floats, mass: Floats, count: int) -> bool:
    """Return whether a sample of so many tells little of the mean deviation."""
    unit = deviations.max(initial=0.0)
    if not unit > 0:
        return False
    parts, shares = deviations / unit, mass / mass.sum()
    mean = float(parts @ shares)
    spread = np.sqrt(max(float(parts**2 @ shares) - mean**2, 0.0))
    # In single precision, because rounding must not choose.
    return bool(np.float32(spread) > np.float32(_MOST_ERROR * mean * np.sqrt(count)))


def _farthest(deviations: Floats, most: int) -> Ints:
    """Return where the greatest are, without ties for the last places."""
    if len(deviations) <= most:
        return np.arange(len(deviations))
    least = np.partition(deviations, len(deviations) - most - 1)[len(deviations) - most - 1]
    return np.flatnonzero(deviations > least)
