"""Why a prediction has no certificate."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from vicinal.index.kinds import NOMINAL
from vicinal.influence.ensemble import Member
from vicinal.robustness.budget import Budget
from vicinal.robustness.derived_ranges import extended_box
from vicinal.robustness.margins import Bounds, SpaceBounds
from vicinal.robustness.perturbation import Perturbation
from vicinal.robustness.spread import EXACT_COLUMNS

#: The smallest change that is looked at, in residuals.
_TINY = 1e-6
#: Below this, the margin of a prediction is less than what bounds give away for no change at all.
_CLOSE = 0.001
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
    radius = _first_change(changes)
    budget = Budget.of(derived, changes, radius)
    box = extended_box(derived, changes, radius, bounds.folds.within(radius)[0])
    moved = np.flatnonzero(box.upper[: len(changes.row)] > box.lower[: len(changes.row)])
    shares: dict[str, float] = defaultdict(float)
    named: set[int] = set()
    for space, members in bounds.members.items():
        metric = bounds.found[space][0].metric
        parts = bounds.parts(space, budget, box)
        categories = np.intersect1d(moved, metric.active)
        categories = categories[metric.kinds[categories] == NOMINAL].tolist()
        named.update(categories)
        for one in members:
            if parts is None:
                shares["estimators whose scores have no known bounds"] += one.share
            elif categories:
                shares["numbers read as categories, which any change makes another one"] += (
                    one.share
                )
            else:
                for part in parts:
                    if not part.is_bounded(one):
                        shares[_unbalanced(part, one)] += one.share
                        break
    said = [f"{share:.0%} of it rests on {what}." for what, share in shares.items()]
    if named:
        said.append(f"Such numbers are {_listed(bounds, named)}.")
        said += [] if changes.domains else ["With steps=True they change by whole steps."]
    return " ".join(said) or "The bounds of its neighbors are too wide for its margin."


def _first_change(changes: Perturbation) -> float:
    """Return the smallest radius within which anything can change, if numbers change by steps."""
    first = [
        domain.step / float(changes.units[column]) for column, domain in changes.domains.items()
    ]
    return max(_TINY, min(first, default=0.0))


def _unbalanced(part: SpaceBounds, member: Member) -> str:
    """Return a kind of members whose balance has no bound."""
    near = part.near
    if member.rule == "linear" and np.isnan(near.cases.values[:, near.columns]).any():
        return "local regression over neighbors with missing values"
    if len(near.metric.directions[0]) > EXACT_COLUMNS:
        return f"balanced influences in more than {EXACT_COLUMNS} columns"
    return "balanced influences of a row at the edge of its neighbors"


def _listed(bounds: Bounds, columns: set[int]) -> str:
    names = sorted(bounds.predictor.fitted.schema.storage[column].name for column in columns)
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES:] = [f"{len(names) - _MOST_NAMES} more"]
    return ", ".join(names)
