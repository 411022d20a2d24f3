"""Choose how to learn a target, and learn everything that a `Predictor` needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.learn import learn_derived
from vicinal.derived.learn_estimators import EstimatorTask, wants_scores
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.memory import return_memory
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.losses import target_loss
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.merging import MOST_MERGED, merge_cases
from vicinal.learning.paper import tune_paper
from vicinal.learning.representations import (
    SCORES_ALONE,
    WITH_ESTIMATORS,
    WITH_SCORES,
    derived_representations,
    representations,
)
from vicinal.learning.robust_radius import affordable
from vicinal.learning.tuning import tune
from vicinal.learning.views import Views
from vicinal.settings import Settings
from vicinal.typing import Ints

#: Influence rules with a ridge that each setting allows. Leave-one-out loss is lowest with
#: "centered" for classes and with "linear" for numbers.
RULES = {
    "auto": (),  # by the target, see `_rules`
    "centered": ("centered",),
    "linear": ("linear",),
    "probability": (),
}


class Learned(NamedTuple):
    """How to predict a target, and the derived columns that this needs."""

    tuning: Tuning
    derived: DerivedColumns | None = None


def learn_target(
    index: Index,
    metric: Metric,
    terms: TermSettings,
    target: Target,
    settings: Settings,
    estimators: EstimatorTask | None = None,
) -> Learned:
    """Learn to predict a target from the columns of a metric.

    The terms define how these columns are compared, with weight 0 for all others. If no column
    distinguishes cases, or no case remains once one is left out, there is nothing to learn and all
    cases contribute equally. Up to `MOST_MERGED` cases are merged first, so that rounding in the
    descent does not depend on the row order. A user's own `estimators` become scores.
    """
    nothing = tune_nothing(
        index,
        metric,
        target,
        max_queries=settings.max_queries,
        random_state=settings.random_state,
    )
    if nothing is not None:
        return Learned(nothing)
    distinct, described, merged = index, target, None
    if len(index) <= MOST_MERGED:
        distinct, merged = merge_cases(index, terms.kinds)
        described = Target.of(
            distinct, target.column, n_classes=target.n_classes, period=target.period
        )
    if settings.weighting == "entropy":
        ways = _ways(distinct, metric, terms, described, settings, estimators)
        del distinct, described  # of a wide table they are much to hold all the while
        learned = _tuned(ways, settings)
    else:
        sample = _sample(settings)
        weighting = settings.weighting
        learned = Learned(tune_paper(distinct, metric, described, weighting=weighting, **sample))
    return_memory(index)
    return learned if merged is None else learned._replace(tuning=merged.apart(learned.tuning))


def tune_nothing(
    index: Index, metric: Metric, target: Target, *, max_queries: int, random_state: int
) -> Tuning | None:
    """Let all cases contribute equally if there is nothing to learn; otherwise return None."""
    if len(metric.active) and _can_leave_one_out(index, target):
        return None
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    return _all_alike(target, cases)


class _Ways(NamedTuple):
    """The representations to choose from, and the cases with what is derived for them."""

    cases: Index
    representations: dict[str, Metric]
    target: Target
    views: Views | None = None
    derived: DerivedColumns | None = None


def _sample(settings: Settings) -> dict[str, Any]:
    return {
        "max_queries": settings.max_queries,
        "random_state": settings.random_state,
        "threads": settings.n_jobs,
    }


def _ways(
    index: Index,
    metric: Metric,
    terms: TermSettings,
    target: Target,
    settings: Settings,
    estimators: EstimatorTask | None,
) -> _Ways:
    how: dict[str, Any] = {
        "k": settings.n_neighbors,
        "random_state": settings.random_state,
        "threads": settings.n_jobs,
    }
    found = representations(index, terms, metric, **how)
    derived = learn_derived(
        index,
        metric,
        target.column,
        n_classes=target.n_classes,
        period=target.period,
        scores=wants_scores(settings.scores),
        estimators=estimators,
        random_state=settings.random_state,
        threads=settings.n_jobs,
    )
    return_memory(index)
    if derived is None:
        return _Ways(index, found, target)
    stored = StoredColumns(derived)
    extended = stored.index(index)
    more = derived_representations(
        extended,
        derived.terms(terms),
        metric,
        derived,
        found,
        classes=bool(target.n_classes),
        **how,
    )
    if not more:
        return _Ways(index, found, target)
    return_memory(extended)
    views = Views.of(extended, stored)
    return_memory(extended)
    return _Ways(extended, more, replace(target, index=extended), views, derived)


def _tuned(ways: _Ways, settings: Settings) -> Learned:
    target, derived = ways.target, ways.derived

    def tuned(radius: float) -> Tuning:
        return tune(
            ways.cases,
            {name: replace(one, p=1.0) for name, one in ways.representations.items()},
            target,
            max_members=settings.max_members,
            rules=_rules(settings, target, radius),
            learned=(*WITH_SCORES, *WITH_ESTIMATORS),
            scores=SCORES_ALONE,
            views=ways.views,
            radius=radius,
            **_sample(settings),
        )

    if settings.robust_radius != "auto":
        tuning = tuned(settings.robust_radius)
    elif target.n_classes:
        tuning = affordable(tuned, target)
    else:
        tuning = tuned(0.0)
    return Learned(tuning) if derived is None else _pruned(tuning, derived)


def _pruned(tuning: Tuning, derived: DerivedColumns) -> Learned:
    """Drop the spaces and derived columns that no member uses."""
    ensemble = tuning.ensemble
    used = sorted({member.space for member in ensemble.members})
    active = {c for at in used for c in ensemble.spaces[at].metric.active.tolist()}
    kept, positions = derived.kept(active)
    spaces = tuple(
        replace(space, metric=space.metric.taken(positions))
        for space in (ensemble.spaces[at] for at in used)
    )
    place = {space: number for number, space in enumerate(used)}
    members = tuple(replace(one, space=place[one.space]) for one in ensemble.members)
    return Learned(
        replace(tuning, ensemble=replace(ensemble, spaces=spaces, members=members)), kept
    )


def _rules(settings: Settings, target: Target, radius: float) -> tuple[str, ...]:
    if settings.influence != "auto":
        return RULES[settings.influence]
    if not target.n_classes:
        return ("linear",)
    # What balances the neighbors about a row moves with the row, and so lets an attacker in.
    return () if radius else ("centered",)


def _can_leave_one_out(index: Index, target: Target) -> bool:
    """Return whether a case with the target remains when any one unit of weight is removed."""
    known = index.reduce("mass", required=target.column)
    return int(known["count"]) > 1 or float(known["heaviest"]) > 1


def _all_alike(target: Target, cases: Ints) -> Tuning:
    """Return an ensemble in which every case always has the same influence."""
    predictions = np.tile(target.expected, (len(cases), 1))
    loss = target_loss(predictions, cases, target)
    return Tuning(Ensemble(target.column, (), (), 1, 1.0), (), loss, cases, predictions)
