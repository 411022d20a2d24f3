"""What a report says of single answers: which features matter, examples, and what if."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from vicinal.explain.explanation.parts import NearCases
from vicinal.explain.explanation.result import Explanation
from vicinal.explain.explanation.text import known_text, residual_text
from vicinal.formatting.values import format_percent, format_signed, format_value
from vicinal.index.sampling import sample_cases
from vicinal.model.report_table import stored_texts
from vicinal.model.report_target import LeftOut, find_axis, merge_classes
from vicinal.prediction.answer import answer
from vicinal.report import parts as report
from vicinal.report.charts import share_axis
from vicinal.report.importance import SHOWN
from vicinal.report.parts import Axis
from vicinal.report.scales import placed
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints

if TYPE_CHECKING:
    from vicinal.model.reporting import Reporting

__all__ = ["choose_examples", "find_examples", "find_importance", "find_what_ifs"]


#: Cases that contributions and effects are averaged over, at most.
_CONTRIBUTIONS, _EFFECT_CASES = 100, 40
#: Orders of many features, and how many sets of them are asked in all.
_ORDERS, _ORDERED = 8, 24_000
#: Cases that tell what is lost without each feature: fewer where features are many.
_LEAST_TOLD, _MOST_TOLD, _ASKED = 100, 400, 4000
#: Effects, values of each, and classes told apart, at most.
_EFFECTS, _GRID, _CLASSES = 6, 9, 6
#: Features of a what-if that can be changed, and values of each.
_CHANGED, _CHANGED_GRID = 3, 7
#: What is shown of an example: contributions, features and cases.
_MOST_CONTRIBUTIONS, _MOST_NAMES, _MOST_CASES = 10, 8, 5


def find_importance(model: Reporting, left: LeftOut) -> report.Importance:
    """Which features move the predictions, and how."""
    columns = model._columns_but([n for n in model.schema_.names if n != left.target], left.target)
    # Up to ten features all sets are asked; of more, as many orders and cases as take as long.
    wide = len(columns) > 10
    most = max(10, min(_CONTRIBUTIONS, _ORDERED // (_ORDERS * len(columns))))
    cases = _some_cases(model, left.cases, most if wide else _CONTRIBUTIONS)
    found = model._divided(
        left.target,
        model.index_.case_values(cases),
        columns,
        cases,
        n_permutations=_ORDERS,
        random_state=model.random_state,
    )
    size = np.abs(found.values).mean(axis=0)
    if left.is_class:  # probability that goes from some classes to others
        size = size.sum(axis=1) / 2
    asked = max(_LEAST_TOLD, min(_MOST_TOLD, _ASKED // len(columns)))
    others = _some_cases(model, left.cases, asked)
    order = np.argsort(-size, kind="stable")
    names = [found.names[at] for at in order]
    places = [model.schema_.column(name) for name in names]
    told = model._measured(left.learned, others, set(places[:SHOWN]))
    untold = (np.nan,) * len(places[SHOWN:])
    overall = found.overall().direction
    few = _some_cases(model, cases, _EFFECT_CASES)
    effects, axis = _effects(model, left, names[:_EFFECTS], few)
    return report.Importance(
        names=tuple(names),
        sizes=tuple(size[order].tolist()),
        lost=tuple(
            told.without.get(column, told.whole).entropy - told.whole.entropy
            for column in places[:SHOWN]
        )
        + untold,
        alone=tuple(
            told.nothing.entropy - told.alone.get(column, told.nothing).entropy
            for column in places[:SHOWN]
        )
        + untold,
        directions=tuple("" if left.is_class else _direction(overall[at]) for at in order),
        unit="probability" if left.is_class else f"in {left.target}"[:40],
        n_cases=len(cases),
        n_told=len(others),
        n_orders=_ORDERS if found.standard_errors.any() else None,
        effects=effects,
        axis=axis,
    )


def _some_cases(model: Reporting, cases: Ints, most: int) -> Ints:
    """Some of the cases, chosen by what they hold."""
    values = model.index_.case_values(cases)
    return cases[sample_cases(values, most, random_state=model.random_state)]


def choose_examples(left: LeftOut) -> list[tuple[int, str]]:
    """Cases to explain, and why each: an ordinary one first, then those that teach most."""
    values = left.answered
    if values.probabilities is not None:
        ranked = np.sort(values.probabilities, axis=1)
        sure = ranked[:, -1]
        margin = sure - ranked[:, -2] if ranked.shape[1] > 1 else sure
        right = values.values == left.truth
        wanted = [
            (_middle(np.where(right, sure, np.nan)), "an ordinary answer"),
            (_first(np.where(~right, -sure, np.nan)), "the surest error"),
            (_first(margin), "a close call"),
        ]
    else:
        assert values.spread is not None
        wanted = [
            (_middle(left.scores), "an ordinary answer"),
            (_first(-left.scores), "the largest error beside what was expected"),
            (_first(-values.spread), "the least sure answer"),
        ]
    chosen: dict[int, str] = {}
    for at, why in wanted:
        if at is not None:
            chosen.setdefault(int(left.cases[at]), why)
    return list(chosen.items())


def find_examples(
    model: Reporting, left: LeftOut, chosen: Sequence[tuple[int, str]]
) -> tuple[report.Example, ...]:
    """Explain some cases, each predicted without itself."""
    cases = np.array([case for case, _ in chosen], dtype=np.int64)
    found = model._explain(None, left.target, cases=cases)
    return tuple(
        _example(model, left, one, why) for one, (_, why) in zip(found, chosen, strict=True)
    )


def find_what_ifs(
    model: Reporting, left: LeftOut, cases: Sequence[int], names: Sequence[str]
) -> tuple[report.WhatIf, ...]:
    """Ask all combinations of some values of the features that matter most."""
    changed = [name for name in names if len(_grid(model, name, 2)) > 1][:_CHANGED]
    return tuple(_what_if(model, left, case, changed) for case in cases) if changed else ()


def _what_if(model: Reporting, left: LeftOut, case: int, names: list[str]) -> report.WhatIf:
    row = model.index_.case_values([case])[0]
    columns = [model.schema_.column(name) for name in names]
    grids = [
        _with_own(_grid(model, name, _CHANGED_GRID), row[column])
        for name, column in zip(names, columns, strict=True)
    ]
    own = [_place(grid, row[column]) for grid, column in zip(grids, columns, strict=True)]
    rows = np.repeat(row[None, :], int(np.prod([len(grid) for grid in grids])), axis=0)
    rows[:, columns] = list(product(*(grid.tolist() for grid in grids)))
    classes, answers = _answers(model, left, rows, np.full(len(rows), case))
    ordered = [model.schema_[name].kind is not Kind.NOMINAL for name in names]
    texts = () if classes else tuple(_told(model, left, answers[:, 0]))
    return report.WhatIf(
        case=case,
        features=tuple(names),
        ordered=tuple(ordered),
        texts=tuple(
            tuple(stored_texts(model, grid, column))
            for grid, column in zip(grids, columns, strict=True)
        ),
        places=tuple(_places(grid, o) for grid, o in zip(grids, ordered, strict=True)),
        own=tuple(own),
        classes=classes,
        answers=tuple(tuple(one) for one in answers.tolist()),
        answer_texts=texts,
        axis=share_axis if classes else find_axis(model, left, _widened(answers[:, 0])),
    )


def _effects(
    model: Reporting, left: LeftOut, names: Sequence[str], cases: Ints
) -> tuple[tuple[report.Effect, ...], Axis]:
    effects, seen = [], [np.empty(0)]
    for name in names:
        grid = _grid(model, name, _GRID)
        if len(grid) < 2:
            continue
        column = model.schema_.column(name)
        rows = np.repeat(model.index_.case_values(cases), len(grid), axis=0)
        rows[:, column] = np.tile(grid, len(cases))
        classes, answers = _answers(model, left, rows, np.repeat(cases, len(grid)))
        means = answers.reshape(len(cases), len(grid), -1).mean(axis=0)
        ordered = model.schema_[name].kind is not Kind.NOMINAL
        series = tuple(
            (label, tuple(means[:, at].tolist())) for at, label in enumerate(classes or ("",))
        )
        texts = tuple(stored_texts(model, grid, column))
        effects.append(report.Effect(name, ordered, _places(grid, ordered), texts, series))
        seen.append(means.ravel())
    axis = share_axis
    if not left.is_class:
        axis = find_axis(model, left, _widened(np.concatenate(seen)))
    return tuple(effects), axis


def _answers(
    model: Reporting, left: LeftOut, rows: Floats, exclude: Ints
) -> tuple[tuple[str, ...], Floats]:
    """Classes with their probabilities, or no classes and the predicted numbers."""
    said = answer(
        model.index_,
        left.learned.tuning.ensemble,
        left.learned.target,
        rows,
        exclude=exclude,
        threads=model.n_jobs,
    )
    if said.probabilities is None:
        return (), said.values[:, None]
    return merge_classes(left, said.probabilities, _CLASSES)


def _grid(model: Reporting, name: str, most: int) -> Floats:
    """Values of a feature that occur: its commonest categories, or numbers by their ranks."""
    values = model.index_.column(model.schema_.column(name))
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(distinct) <= most:
        return distinct
    if model.schema_[name].kind is Kind.NOMINAL:
        return np.sort(distinct[np.argsort(-counts, kind="stable")[:most]])
    wanted = np.linspace(0.02, 0.98, most) * counts.sum()
    return np.unique(distinct[np.searchsorted(np.cumsum(counts), wanted)])


def _with_own(grid: Floats, own: float) -> Floats:
    """The grid with the value that the case has; a missing one comes first."""
    if np.isnan(own):
        return np.concatenate([[np.nan], grid])
    return np.unique(np.append(grid, own))


def _place(grid: Floats, own: float) -> int:
    return 0 if np.isnan(own) else int(np.flatnonzero(grid == own)[0])


def _places(grid: Floats, ordered: bool) -> tuple[float, ...]:
    """Where values stand from 0 to 1; a missing one before the others."""
    n = len(grid)
    if not ordered:
        return tuple((at + 0.5) / n for at in range(n))
    known = grid[~np.isnan(grid)]
    gap = 0.15 * (len(known) < n)
    axis = Axis(float(known[0]), float(known[-1]), ())
    places = tuple(gap + (1 - gap) * placed(float(value), axis) for value in known)
    return (0.0, *places) if gap else places


def _widened(values: Floats) -> Floats:
    """Values and a little room on both sides, so that a flat line is not drawn on the frame."""
    room = 0.06 * float(np.ptp(values)) if len(values) else 0.0
    return np.concatenate([values, values - room, values + room])


def _told(model: Reporting, left: LeftOut, values: Floats) -> list[str]:
    return [format_value(one) for one in model._decoded(values, left.column)]


def _direction(correlation: float) -> str:
    if not abs(correlation) >= 0.3:
        return "–"
    return "raises it" if correlation > 0 else "lowers it"


def _middle(values: Floats) -> int | None:
    """Place of the median of those that are there."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return None
    return int(known[np.argsort(values[known], kind="stable")[(len(known) - 1) // 2]])


def _first(values: Floats) -> int | None:
    """Place of the smallest of those that are there."""
    return None if np.isnan(values).all() else int(np.nanargmin(values))


def _example(model: Reporting, left: LeftOut, one: Explanation, chosen: str) -> report.Example:
    at = int(np.flatnonzero(left.cases == one.row)[0])
    [truth] = stored_texts(model, left.truth[[at]], left.column)
    shares = one.features
    assert shares is not None
    most = float(np.abs(shares.values).max(initial=0.0))
    largest = [shares.names[i] for i in shares.order[:_MOST_NAMES]]
    names = tuple(name for name in one.cases.names if name in largest)
    rest = one.cases.influences[_MOST_CASES:]
    number = "" if shares.outcome is None else f" (probability of {format_value(shares.outcome)})"
    more = f"{len(rest)} more cases have {format_percent(float(rest.sum()))} together"
    return report.Example(
        case=int(one.row),
        chosen=chosen,
        answer=one.headline,
        truth=truth,
        verdict=_verdict(model, left, at, one.alpha),
        baseline=format_value(shares.baseline),
        prediction=format_value(shares.prediction) + number,
        contributions=tuple(
            (
                shares.names[i],
                format_value(one.given[shares.names[i]]),
                float(shares.values[i]),
                format_signed(float(shares.values[i]), most),
            )
            for i in shares.order[:_MOST_CONTRIBUTIONS]
        ),
        names=names,
        given=tuple(format_value(one.given[name]) for name in names),
        cases=_near(one.cases, names, _MOST_CASES),
        boundary=_near(one.boundary, names, 2),
        more=more if len(rest) else "",
        notes=(known_text(one), residual_text(one)),
    )


def _verdict(model: Reporting, left: LeftOut, at: int, alpha: float) -> str:
    """Whether the answer is right, or its interval holds the truth."""
    if left.is_class:
        right = bool(left.answered.values[at] == left.truth[at])
        return "the answer is right" if right else "the answer is wrong"
    held = bool(left.scores[at] <= model._calibration(left.learned).quantile(alpha))
    return "the interval holds it" if held else "the interval misses it"


def _near(found: NearCases, names: tuple[str, ...], most: int) -> tuple[report.NearCase, ...]:
    places = [found.names.index(name) for name in names]
    return tuple(
        report.NearCase(
            int(found.numbers[at]),
            float(found.influences[at]),
            format_value(found.outcomes[at]),
            tuple(format_value(found.values[name][at]) for name in names),
            tuple(bool(found.differs[at][i]) for i in places),
        )
        for at in range(min(len(found), most))
    )
