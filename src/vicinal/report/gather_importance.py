"""Which features matter, and how predictions depend on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vicinal.explain.contributions import contributions_of
from vicinal.explain.dropping import first_look
from vicinal.explain.information import measure_features
from vicinal.explain.shapley import takes_sets
from vicinal.formatting.durations import shared_unit
from vicinal.report.grids import grid_of, is_ordered, places_of, with_margin
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import LISTED, Effect, Importance
from vicinal.report.scales import SHARES, Axis
from vicinal.report.value_texts import value_texts
from vicinal.typing import Floats, Ints

#: Cases that contributions and effects are averaged over, at most.
_CONTRIBUTIONS, _EFFECT_CASES = 100, 40
#: Features of which all sets are asked about, and orders of more, unless some sets do. In all, so
#: many sets are asked about, about as long as it takes; those of orders have less in common.
_FEW, _ORDERS = 10, 4
_SETS_OF_FEW, _SETS = 10_400, 1_560
#: Effects, values of each, and classes distinguished, at most.
_EFFECTS, _GRID, _CLASSES = 6, 9, 6


def gather_importance(held: HeldOut) -> Importance:
    """Measure which features move the predictions, and how."""
    fitted, width = held.fitted, len(held.predictor.context)
    few = width <= _FEW
    affordable = _SETS_OF_FEW >> width if few else _SETS // (_ORDERS * width)
    cases = held.some(max(10, min(_CONTRIBUTIONS, affordable)))
    by_sets = takes_sets(held.predictor)
    found = contributions_of(
        held.predictor,
        fitted.cases(cases, held.feature.name),
        n_permutations=None if by_sets else _ORDERS,
        random_state=fitted.settings.random_state,
    )
    sizes = np.abs(found.values).mean(axis=0)
    if held.is_class:  # the probability that moves from some classes to others
        sizes = sizes.sum(axis=1) / 2
    unit = ""
    if found.times is not None:
        unit, seconds = shared_unit(sizes.tolist())
        unit, sizes = f"in {unit}", sizes / seconds
    order = np.argsort(-sizes, kind="stable")
    names = [found.names[at] for at in order]
    measured = first_look(held.predictor)
    dropped, alone, error = _losses(held, names, measured)
    directions = found.overall().direction
    estimated = "sets of features" if by_sets else f"{_ORDERS} feature orderings"
    effects, axis = _effects(held, names[:_EFFECTS], held.some(_EFFECT_CASES, cases))
    return Importance(
        names=tuple(names),
        sizes=tuple(sizes[order].tolist()),
        loss_if_dropped=dropped,
        alone=alone,
        directions=tuple("" if held.is_class else _direction(directions[at]) for at in order),
        unit="probability" if held.is_class else unit or f"in {held.feature.name}"[:40],
        n_cases=len(cases),
        n_measured=len(measured),
        greatest_error=error,
        estimated_from=estimated if found.standard_errors.any() else "",
        effects=effects,
        axis=axis,
    )


def _losses(
    held: HeldOut, names: Sequence[str], cases: Ints
) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Nats that are lost without each feature, and that it provides by itself; NaN past the list.

    The last result is the greatest of their standard errors.
    """
    columns = [held.fitted.schema.column(name) for name in names[:LISTED]]
    found = measure_features(held.predictor, cases, columns=set(columns))
    whole, nothing = found.compared, found.nothing
    dropped = [found.without.get(one, whole).entropy - whole.entropy for one in columns]
    alone = [nothing.entropy - found.alone.get(one, nothing).entropy for one in columns]
    unknown = [np.nan] * (len(names) - len(columns))
    errors = [*found.lost_errors.values(), *found.alone_errors.values()]
    return (*dropped, *unknown), (*alone, *unknown), max(errors, default=0.0)


def _direction(correlation: float) -> str:
    if not abs(correlation) >= 0.3:
        return "–"
    return "increases" if correlation > 0 else "decreases"


def _effects(held: HeldOut, names: Sequence[str], cases: Ints) -> tuple[tuple[Effect, ...], Axis]:
    """The partial dependence of predictions on some features, and the axis of all of them."""
    effects, seen = [], [np.empty(0)]
    for name in names:
        grid = grid_of(held.fitted, name, _GRID)
        if len(grid) > 1:
            effects.append(_effect(held, name, grid, cases))
            seen += [np.array(values) for _, values in effects[-1].series]
    axis = SHARES if held.is_class else held.axis(with_margin(np.concatenate(seen)))
    return tuple(effects), axis


def _effect(held: HeldOut, name: str, grid: Floats, cases: Ints) -> Effect:
    """The mean prediction for each value that a feature of the cases is set to."""
    column, ordered = held.fitted.schema.column(name), is_ordered(held.fitted, name)
    rows = np.repeat(held.fitted.index.rows(cases), len(grid), axis=0)
    rows[:, column] = np.tile(grid, len(cases))
    classes, answers = held.predict(rows, np.repeat(cases, len(grid)), _CLASSES)
    means = answers.reshape(len(cases), len(grid), -1).mean(axis=0).T.tolist()
    series = tuple(zip(classes or ("",), map(tuple, means), strict=True))
    texts = value_texts(held.fitted, grid, column)
    return Effect(name, ordered, places_of(grid, ordered), tuple(texts), series)
