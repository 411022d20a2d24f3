"""Which way of learning predicts a target: everything that a `Predictor` is made of."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

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
from vicinal.typing import Ints

#: Tables of up to so many cases are learned from in an order of their own, equal cases merged.
MOST_MERGED = 8192

#: Influence rules with a ridge that each setting lets the tuning choose from. Left-out classes
#: are least surprising with "centered", left-out numbers are best met with "linear".
RULES = {
    "auto": (),  # by the target, see `_rules`
    "centered": ("centered",),
    "linear": ("linear",),
    "probability": (),
}


def learn_target(
    index: Index,
    metric: Metric,
    settings: TermSettings,
    target: Target,
    *,
    weighting: str,
    influence: str,
    k: int,
    max_queries: int,
    max_members: int,
    random_state: int,
    threads: int | None,
) -> Tuning:
    """Learn to predict a target from the columns of a metric.

    Parameters
    ----------
    metric : Metric
        Columns to predict from, with their residuals.
    settings : TermSettings
        How these columns are read; weight 0 for all others.
    target : Target
        The column to predict.
    weighting : {"entropy", "irw", "mda"}
        How features are weighed.
    influence : {"auto", "centered", "linear", "probability"}
        Influence rule of ``"entropy"``; the others have ``"inverse"``.

    Notes
    -----
    Where no column tells cases apart, or no case is left once one is left out, there is nothing
    to learn, and all cases answer alike. Up to `MOST_MERGED` cases are merged first, since what a
    descent makes of rounding can be seen.
    """
    nothing = tune_nothing(
        index, metric, target, max_queries=max_queries, random_state=random_state
    )
    if nothing is not None:
        return nothing
    tuned = partial(
        _tuned,
        metric=metric,
        settings=settings,
        weighting=weighting,
        influence=influence,
        k=k,
        max_queries=max_queries,
        max_members=max_members,
        random_state=random_state,
        threads=threads,
    )
    if len(index) > MOST_MERGED:
        return tuned(index, target)
    merged = merge_cases(index, settings.kinds)
    described = Target.of(
        merged.index, target.column, n_classes=target.n_classes, period=target.period
    )
    return merged.apart(tuned(merged.index, described))


def tune_nothing(
    index: Index, metric: Metric, target: Target, *, max_queries: int, random_state: int
) -> Tuning | None:
    """Let all cases answer alike where there is nothing to learn; None where there is."""
    if len(metric.active) and _can_leave_one_out(index, target):
        return None
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    return _all_alike(target, cases)


def _tuned(
    index: Index,
    target: Target,
    *,
    metric: Metric,
    settings: TermSettings,
    weighting: str,
    influence: str,
    k: int,
    max_queries: int,
    max_members: int,
    random_state: int,
    threads: int | None,
) -> Tuning:
    if weighting != "entropy":
        return tune_paper(
            index,
            metric,
            target,
            mda=weighting == "mda",
            max_queries=max_queries,
            random_state=random_state,
            threads=threads,
        )
    found = representations(
        index,
        settings,
        metric,
        k=k,
        random_state=random_state,
        threads=threads,
    )
    return tune(
        index,
        {name: replace(reading, p=1.0) for name, reading in found.items()},
        target,
        max_queries=max_queries,
        max_members=max_members,
        rules=_rules(influence, target),
        random_state=random_state,
        threads=threads,
    )


def _rules(influence: str, target: Target) -> tuple[str, ...]:
    if influence == "auto":
        return ("centered",) if target.n_classes else ("linear",)
    return RULES[influence]


def _can_leave_one_out(index: Index, target: Target) -> bool:
    """Whether some case has the target when one unit of weight is taken from any case."""
    known = index.reduce("mass", required=target.column)
    return int(known["count"]) > 1 or float(known["heaviest"]) > 1


def _all_alike(target: Target, cases: Ints) -> Tuning:
    """Every case has the same influence, whatever is asked."""
    predictions = np.tile(target.expected, (len(cases), 1))
    loss = target_loss(predictions, cases, target)
    return Tuning(Ensemble(target.column, (), (), 1, 1.0), (), loss, cases, predictions)
