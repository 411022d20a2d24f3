"""A column as a target, and everything learned to predict it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from vicinal.exceptions import TableError
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.learning.merging import merge_cases
from vicinal.learning.paper import tune_paper
from vicinal.learning.representations import representations
from vicinal.learning.residuals import TermSettings
from vicinal.learning.scoring import target_loss
from vicinal.learning.tuning import Tuning, known_cases, tune
from vicinal.prediction.ensemble import Ensemble
from vicinal.prediction.target import Target
from vicinal.typing import Floats, Ints

#: Tables of up to so many cases are learned from in an order of their own, equal cases merged.
MOST_MERGED = 8192

#: Influence rules with a ridge that each setting lets the tuning choose from. Left-out classes
#: are least surprising with "centred", left-out numbers are best met with "linear".
RULES = {
    "auto": (),  # by the target, see `_rules`
    "centred": ("centred",),
    "linear": ("linear",),
    "probability": (),
}


def describe_target(
    index: ExactIndex, column: int, *, n_classes: int, period: float = 0.0
) -> Target:
    """Sum up a column of the stored cases as a target.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    column : int
        Encoded column.
    n_classes : int
        Number of categories, 0 for a number.
    period : float
        Length of a cycle, for a cyclic number.
    """
    numbers = index.numbers
    outcomes = np.full(numbers[-1] + 1 if len(numbers) else 0, np.nan)
    outcomes[numbers] = index.column(column)
    weights = None
    mass = np.ones(len(numbers))
    if index.weights is not None:
        mass = index.weights
        weights = np.zeros(len(outcomes))
        weights[numbers] = mass
    seen = ~np.isnan(outcomes[numbers]) & (mass > 0)
    values, mass = outcomes[numbers][seen], mass[seen]
    if n_classes and len(values) and not 0 <= values.min() <= values.max() < n_classes:
        # Of a file that was mapped unread; kernels count by these codes.
        raise TableError("A category code of the target is out of range: the cases are damaged.")
    total = mass.sum() or 1.0
    if n_classes:
        shares = np.bincount(values.astype(np.intp), weights=mass, minlength=n_classes) / total
        return Target(column, outcomes, n_classes, shares, 0.0, 1.0, weights)
    turn = 0j
    if period and len(values):
        start = _emptiest(values, period)
        outcomes = start + np.mod(outcomes - start, period)
        values = start + np.mod(values - start, period)
        turn = complex(np.exp(2j * np.pi * values / period) @ mass / total)
    mean = float(values @ mass / total)
    scale = float(np.abs(values - mean) @ mass / total)
    return Target(column, outcomes, 0, np.empty(0), mean, scale, weights, period, turn)


def _emptiest(values: Floats, period: float) -> float:
    """Return the middle of the widest gap between values on a circle."""
    distinct = np.unique(values)
    gaps = np.diff(np.append(distinct, distinct[0] + period))
    widest = int(np.argmax(gaps))
    return float(distinct[widest] + gaps[widest] / 2)


def learn_target(
    index: ExactIndex,
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
    index : ExactIndex
        The cases.
    metric : Metric
        Columns to predict from, with their residuals.
    settings : TermSettings
        How these columns are read; weight 0 for all others.
    target : Target
        The column to predict.
    weighting : {"entropy", "irw", "mda"}
        How features are weighed.
    influence : {"auto", "centred", "linear", "probability"}
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
    described = describe_target(
        merged.index, target.column, n_classes=target.n_classes, period=target.period
    )
    return merged.apart(tuned(merged.index, described))


def tune_nothing(
    index: ExactIndex, metric: Metric, target: Target, *, max_queries: int, random_state: int
) -> Tuning | None:
    """Let all cases answer alike where there is nothing to learn; None where there is."""
    if len(metric.active) and _can_leave_one_out(index, target):
        return None
    return _all_alike(target, known_cases(index, target, max_queries, random_state))


def _tuned(
    index: ExactIndex,
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
        index.values,
        settings,
        metric,
        k=k,
        case_weights=index.weights,
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
        return ("centred",) if target.n_classes else ("linear",)
    return RULES[influence]


def _can_leave_one_out(index: ExactIndex, target: Target) -> bool:
    """Whether some case has the target when one unit of weight is taken from any case."""
    numbers = index.numbers
    mass = np.ones(len(numbers)) if index.weights is None else index.weights
    mass = mass[~np.isnan(target.outcomes[numbers]) & (mass > 0)]
    return len(mass) > 1 or bool((mass > 1).any())


def _all_alike(target: Target, cases: Ints) -> Tuning:
    """Every case has the same influence, whatever is asked."""
    expected = target.shares if target.n_classes else np.array([target.mean])
    predictions = np.tile(expected, (len(cases), 1))
    loss = target_loss(predictions, cases, target)
    return Tuning(Ensemble(target.column, (), (), 1, 1.0), (), loss, cases, predictions)
