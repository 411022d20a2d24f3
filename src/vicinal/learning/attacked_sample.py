"""Some of the left-out cases where an attacker would move them, for a choice of members."""

from __future__ import annotations

import numpy as np

from vicinal.index.hashes import sampling_keys
from vicinal.index.metric import Metric
from vicinal.influence.target import Target
from vicinal.learning.moved_cases import movable, moved_cases
from vicinal.learning.views import Views
from vicinal.typing import Ints

#: How far numbers move, in standard deviations.
RADIUS = 0.25
#: Cases that are moved, at most, and at most this part of all: each takes a search in every space.
MOST_ATTACKED, PART = 100, 1 / 2
#: With fewer cases than this, those that choose members are too few to be divided among two goals.
FEWEST = 150


def attacked_sample(
    views: Views, metric: Metric, target: Target, cases: Ints, *, random_state: int = 0
) -> Views | None:
    """Return views in which some cases, ascending, are judged where an attacker would move them.

    The sample depends on the content of the cases alone. It has cases of few folds, if cases of
    each fold see an index of their own, because every index takes a search. None if the target has
    no classes, if no number can move, or if cases are few.
    """
    if not target.n_classes or not len(movable(views, metric)) or len(cases) < FEWEST:
        return None
    some = _sampled(views, cases, random_state)
    return moved_cases(views, metric, target, some, RADIUS, random_state=random_state)


def _sampled(views: Views, cases: Ints, random_state: int) -> Ints:
    most = min(MOST_ATTACKED, int(PART * len(cases)))
    parts = [cases[at] for _, at in views.split(cases)]
    enough = int(np.searchsorted(np.cumsum([len(one) for one in parts]), most))
    some = np.concatenate(parts[: enough + 1])
    keys = sampling_keys(views.index.rows(some), random_state)
    return np.sort(some[np.argsort(keys, kind="stable")[:most]])
