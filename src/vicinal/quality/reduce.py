"""Reduce the number of cases at a known loss: which to keep, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted, Rows
from vicinal.index.case_weights import units_of
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.sampling import content_order
from vicinal.prediction.predictor import Predictor, learn
from vicinal.quality.condensing import merge_cases_to
from vicinal.quality.reduction import Reduction
from vicinal.quality.reduction_cost import ReductionCost
from vicinal.typing import Floats, Ints, Places
from vicinal.validation import check_parameter

#: Bisection steps between the smallest size that is sufficient and the largest that is not.
_REFINEMENTS = 3


def reduce_cases(
    fitted: Fitted,
    *,
    share: float | None = None,
    n_cases: int | None = None,
    max_loss: float | None = None,
    target: str | None = None,
) -> Reduction:
    """Choose cases to keep; see `Model.reduce`, which builds the model from them."""
    size = _asked_size(len(fitted.index), share, n_cases, max_loss)
    predictor, metric, what = None, fitted.metric, "relative error of the features"
    if target is not None:
        predictor = learn(fitted, target, fitted.columns_for(fitted.schema.names, target))
        metric = _with_target(predictor, fitted.metric)
        what = f"{'log loss' if predictor.target.n_classes else 'relative RMSE'} of {target}"
    everything = fitted.rows(None)
    places, mass = _mergeable(fitted, everything)
    cases, values = everything.numbers[places], everything.values[places]
    n = len(cases)
    cost = ReductionCost(fitted, metric, predictor, values, mass)
    if size is None:
        assert max_loss is not None
        size = smallest_size(n, lambda kept: cost.after(kept / n) - cost.before, max_loss)
    size = min(size, n)
    kept, weights, merged = merge_cases_to(
        values, mass, metric, size, kinds=fitted.index.kinds, threads=fitted.threads
    )
    representative = np.full(len(everything), -1, dtype=np.int64)
    representative[places] = cases[merged]
    order = np.argsort(cases[kept])
    return Reduction(
        model=None,
        cases=cases[kept][order],
        weights=weights[order],
        representative=representative,
        loss_before=cost.before,
        loss_after=cost.after(size / n),
        what=what,
        library=fitted.library,
        case_labels=fitted.labels.some(cases[kept].tolist()),
    )


def with_cases(fitted: Fitted, cases: Ints, weights: Floats) -> Fitted:
    """Return a copy with only these cases, renumbered, with these weights.

    Everything that was learned is kept, including the leave-one-out errors.
    """
    index = ExactIndex(
        fitted.index.rows(cases), fitted.terms.kinds, weights, scales=fitted.metric.residuals
    )
    labels = fitted.labels.renumbered(cases)
    fewer = replace(fitted, index=index, learned={}, labels=labels, _kept={}, _version=0)
    fewer.learned |= {
        key: predictor.renumbered(fewer, cases) for key, predictor in fitted.learned.items()
    }
    return fewer


def _asked_size(
    n: int, share: float | None, n_cases: int | None, max_loss: float | None
) -> int | None:
    """Return how many cases to keep; None if the loss decides."""
    sizes = {"share": share, "n_cases": n_cases, "max_loss": max_loss}
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) != 1:
        raise ParameterError(
            f"reduce got {' and '.join(given) or 'no size'}; expected one of share, n_cases and "
            "max_loss."
        )
    check_parameter(given[0], sizes[given[0]])
    if share is not None:
        return max(1, round(share * n))
    return None if n_cases is None else min(int(n_cases), n)


def _with_target(predictor: Predictor, otherwise: Metric) -> Metric:
    """Return the most important member's metric, with the target weighted like all the rest."""
    ensemble = predictor.ensemble
    if not ensemble.members:
        return otherwise
    best = max(ensemble.members, key=lambda member: member.share)
    metric = predictor.cases.metric(ensemble.spaces[best.space].metric)
    weights = metric.weights.copy()
    weights[predictor.column] = weights.sum()
    return metric.with_weights(weights)


def _mergeable(fitted: Fitted, cases: Rows) -> tuple[Places, Floats]:
    """Return the positions of cases with a positive weight, in content order, and weights."""
    weights = units_of(fitted.index, cases.numbers)
    places = np.flatnonzero(weights > 0)
    places = places[content_order(cases.values[places])]
    return places, weights[places]


def smallest_size(n: int, rise_at: Callable[[int], float], most: float) -> int:
    """Return roughly the smallest number of cases whose rise in loss is acceptable.

    Examples
    --------
    >>> from vicinal.quality.reduce import smallest_size
    >>> smallest_size(1000, lambda size: 10 / size, 0.05)
    210
    """
    good, bad = n, 0
    while good > 1:
        size = max(good // 2, 1)
        if rise_at(size) > most:
            bad = size
            break
        good = size
    for _ in range(_REFINEMENTS if bad else 0):
        if good - bad < 2:
            break
        size = round((good * bad) ** 0.5)
        size = min(max(size, bad + 1), good - 1)
        if rise_at(size) > most:
            bad = size
        else:
            good = size
    return good
