"""Why a prediction has no certificate."""

from __future__ import annotations

import numpy as np

from vicinal.index.kinds import NOMINAL
from vicinal.robustness.budget import Budget
from vicinal.robustness.derived_ranges import extended_box
from vicinal.robustness.margins import Bounds

#: The smallest change that is looked at, in residuals.
_TINY = 1e-6
#: Below this, the margin of a prediction is less than what bounds give away for no change at all.
_CLOSE = 0.002
#: Features that are named, at most.
_MOST_NAMES = 4


def why_none(bounds: Bounds, own: float) -> str:
    """Return why nothing could be proved about a row.

    Parameters
    ----------
    bounds : Bounds
        The bounds that are too wide.
    own : float
        The margin of the row itself.
    """
    changes, derived = bounds.changes, bounds.predictor.derived
    if bounds.target.n_classes and own < _CLOSE:
        return "Two classes are almost equally likely."
    budget = Budget.of(derived, changes, _TINY)
    box = extended_box(derived, changes, _TINY, bounds.folds.within(_TINY)[0])
    moved = np.flatnonzero(box.upper[: len(changes.row)] > box.lower[: len(changes.row)])
    unknown = named = unbalanced = 0.0
    read_as_categories: set[int] = set()
    for space, members in bounds.members.items():
        metric = bounds.found[space][0].metric
        share = sum(one.share for one in members)
        columns = np.intersect1d(moved, metric.active)
        columns = columns[metric.kinds[columns] == NOMINAL]
        parts = bounds.parts(space, budget, box)
        if parts is None:
            unknown += share
            continue
        if len(columns):
            named += share
            read_as_categories.update(columns.tolist())
        unbalanced += sum(
            one.share for one in members if not all(part.is_bounded(one) for part in parts)
        )
    said = []
    if unknown:
        said.append(f"{unknown:.0%} of it rests on estimators whose scores have no known bounds.")
    if named:
        storage = bounds.predictor.fitted.schema.storage
        names = sorted(storage[i].name for i in read_as_categories)
        if len(names) > _MOST_NAMES:
            names[_MOST_NAMES:] = [f"{len(names) - _MOST_NAMES} more"]
        said.append(
            f"{named:.0%} of it rests on numbers read as categories, which any change makes "
            f"another one: {', '.join(names)}. With steps=True they change by whole steps."
        )
    if unbalanced:
        said.append(
            f"{unbalanced:.0%} of it rests on balanced influences that have no bound here."
        )
    return " ".join(said) or "The bounds of its neighbors are too wide for its margin."
