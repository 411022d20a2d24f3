"""Choose how to learn a target, and learn everything that a `Predictor` needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.losses import target_loss
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.merging import merge_cases
from vicinal.learning.paper import tune_paper
from vicinal.learning.representations import representations
from vicinal.learning.tuning import tune
from vicinal.settings import Settings
from vicinal.typing import Ints

#: Tables of up to this many cases are learned in content order, with equal cases merged.
MOST_MERGED = 8192

#: Influence rules with a ridge that each setting allows. Leave-one-out loss is lowest with
#: "centered" for classes and with "linear" for numbers.
RULES = {
    "auto": (),  # by the target, see `_rules`
    "centered": ("centered",),
    "linear": ("linear",),
    "probability": (),
}


def learn_target(
    index: Index, metric: Metric, terms: TermSettings, target: Target, settings: Settings
) -> Tuning:
    """Learn to predict a target from the columns of a metric.

    The terms define how these columns are compared, with weight 0 for all others. If no column
    distinguishes cases, or no case remains once one is left out, there is nothing to learn and all
    cases contribute equally. Up to `MOST_MERGED` cases are merged first, so that rounding in the
    descent does not depend on the row order.
    """
    nothing = tune_nothing(
        index,
        metric,
        target,
        max_queries=settings.max_queries,
        random_state=settings.random_state,
    )
    if nothing is not None:
        return nothing
    if len(index) > MOST_MERGED:
        return _tuned(index, metric, terms, target, settings)
    merged = merge_cases(index, terms.kinds)
    described = Target.of(
        merged.index, target.column, n_classes=target.n_classes, period=target.period
    )
    return merged.apart(_tuned(merged.index, metric, terms, described, settings))


def tune_nothing(
    index: Index, metric: Metric, target: Target, *, max_queries: int, random_state: int
) -> Tuning | None:
    """Let all cases contribute equally if there is nothing to learn; otherwise return None."""
    if len(metric.active) and _can_leave_one_out(index, target):
        return None
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    return _all_alike(target, cases)


def _tuned(
    index: Index, metric: Metric, terms: TermSettings, target: Target, settings: Settings
) -> Tuning:
    sample: dict[str, Any] = {
        "max_queries": settings.max_queries,
        "random_state": settings.random_state,
        "threads": settings.n_jobs,
    }
    if settings.weighting != "entropy":
        return tune_paper(index, metric, target, mda=settings.weighting == "mda", **sample)
    found = representations(
        index,
        terms,
        metric,
        k=settings.n_neighbors,
        random_state=settings.random_state,
        threads=settings.n_jobs,
    )
    return tune(
        index,
        {name: replace(one, p=1.0) for name, one in found.items()},
        target,
        max_members=settings.max_members,
        rules=_rules(settings.influence, target),
        **sample,
    )


def _rules(influence: str, target: Target) -> tuple[str, ...]:
    if influence == "auto":
        return ("centered",) if target.n_classes else ("linear",)
    return RULES[influence]


def _can_leave_one_out(index: Index, target: Target) -> bool:
    """Return whether a case with the target remains when any one unit of weight is removed."""
    known = index.reduce("mass", required=target.column)
    return int(known["count"]) > 1 or float(known["heaviest"]) > 1


def _all_alike(target: Target, cases: Ints) -> Tuning:
    """Return an ensemble in which every case always has the same influence."""
    predictions = np.tile(target.expected, (len(cases), 1))
    loss = target_loss(predictions, cases, target)
    return Tuning(Ensemble(target.column, (), (), 1, 1.0), (), loss, cases, predictions)
