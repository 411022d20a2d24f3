"""Which cases conditions select: a mask over the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.explorer.computed import CaseConvictions
from vicinal.explorer.requests import Condition
from vicinal.explorer.values import value_from_json
from vicinal.formatting.values import json_value
from vicinal.quality.audit import Audit
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.stored_cases import case_numbers
from vicinal.tables.table import Table, read_table
from vicinal.typing import Bools, Floats, Ints, Places

if TYPE_CHECKING:
    from vicinal.explorer.state import State

#: What a case may be marked with, and the audit's kinds of findings among them.
AUDITED = {
    "label likely wrong": "label",
    "label surprising": "surprising",
    "duplicate": "duplicate",
}
FLAGS = ("outlier", "inlier", "wrong prediction", *AUDITED)


def selected(state: State, conditions: Sequence[Condition], target: str | None) -> Bools | None:
    """Return the cases that meet all conditions; None for all cases."""
    if not conditions:
        return None
    key = ("filter", target, tuple(one.model_dump_json() for one in conditions))
    make: Callable[[], Bools] = lambda: _all(state, conditions, target)  # noqa: E731
    return state.kept(key, make) if settled(state, conditions) else make()


def settled(state: State, conditions: Sequence[Condition]) -> bool:
    """Tell whether conditions always select the same: features never change in a version.

    What is still being computed may select more later.
    """
    return state.tasks.ready or all(
        one.by is None and one.flag is None and one.region is None for one in conditions
    )


def _all(state: State, conditions: Sequence[Condition], target: str | None) -> Bools:
    mask = np.ones(len(state.table), dtype=bool)
    for one in conditions:
        mask &= meets(state, one, target) ^ one.negated
    return mask


def meets(state: State, one: Condition, target: str | None) -> Bools:
    """Return the cases that meet one condition."""
    if one.feature is not None:
        return _by_feature(state, one, one.feature)
    if one.by is not None:
        return _by_computed(state, one, one.by, target)
    if one.flag is not None:
        return flagged(state, one.flag, target)
    mask = np.zeros(len(state.table), dtype=bool)
    if one.region is not None:
        return _within(state, one.region.x, one.region.y)
    if one.cases is not None:
        mask[state.table.places_of(np.array(one.cases, dtype=np.int64))] = True
    elif one.ids is not None:
        mask[state.table.places_of(case_numbers_by_label(state, one.ids))] = True
    return mask


def case_numbers_by_label(state: State, ids: Sequence[Any]) -> Any:
    """Return the cases with these labels, which may come as the text of another type."""
    labels = state.fitted.labels
    by_text: dict[str, Any] = {}
    found = []
    for one in ids:
        if labels.number_of(one) is None and isinstance(one, str):
            if not by_text:
                by_text = state.kept(
                    "labels by text",
                    lambda: {str(json_value(label)): label for label in labels.by_number()[1]},
                )
            one = by_text.get(one, one)
        found.append(one)
    return case_numbers(state.fitted.index, labels, found, "label")


def computed_column(
    state: State, name: str, target: str | None, places: Places | None = None
) -> Floats:
    """Return a computed column, or its part at some places: numbers, NaN where not known."""
    table = state.table
    if name == "case":
        return (table.numbers if places is None else table.numbers[places]).astype(np.float64)
    if name in ("conviction", "p_value"):
        found = state.computed("conviction")
    else:
        found = None if target is None else state.computed("predictions", target)
    if found is None:
        return np.full(len(table) if places is None else len(places), np.nan)
    part = {"prediction": "values", "conviction": "similarity"}.get(name, name)
    return table.aligned(found.numbers, getattr(found, part), places=places)


def flagged(state: State, flag: str, target: str | None, places: Places | None = None) -> Bools:
    """Return which cases, or those at some places, have a flag, as far as it was computed."""
    if flag not in FLAGS:
        raise ParameterError(
            f"There is no flag {flag!r}; expected one of {', '.join(map(repr, FLAGS))}."
            + did_you_mean(flag, FLAGS)
        )
    numbers = _flagged_numbers(state, flag, target)
    return state.table.aligned(numbers, np.ones(len(numbers), dtype=bool), False, places=places)


def _flagged_numbers(state: State, flag: str, target: str | None) -> Ints:
    """Return the cases with a flag, ascending."""
    none = np.empty(0, dtype=np.int64)
    if flag in ("outlier", "inlier"):
        judged: CaseConvictions | None = state.computed("conviction")
        if judged is None:
            return none
        return judged.numbers[judged.direction == (1 if flag == "outlier" else -1)]
    if flag == "wrong prediction":
        found = None if target is None else state.computed("predictions", target)
        return none if found is None else found.numbers[found.wrong]
    audited: Audit | None = state.computed("audit", target)
    if audited is None:
        return none
    cases = [one.case for one in audited.of(AUDITED[flag]) if one.case is not None]
    return np.unique(np.array(cases, dtype=np.int64))


def encoded(state: State, name: str, values: Sequence[Any]) -> Floats:
    """Encode values of one feature; NaN for missing ones."""
    schema = state.fitted.schema
    column = schema.column(name)
    read = read_table({name: [value_from_json(one, schema[name]) for one in values]})
    return encode(Table({name: read.columns[name]}), schema, require=False)[:, column]


def _by_feature(state: State, one: Condition, name: str) -> Bools:
    values = state.table.column(name)
    feature = state.fitted.schema[name]
    mask = np.ones(len(values), dtype=bool)
    if one.missing is not None:
        mask &= np.isnan(values) == one.missing
    if one.among is not None:
        mask &= np.isin(values, encoded(state, name, [v for v in one.among if v is not None])) | (
            np.isnan(values) & (None in one.among)
        )
    if one.contains is not None:
        mask &= _containing(state, name, one.contains)
    if one.at_least is not None or one.at_most is not None:
        if feature.kind is Kind.NOMINAL:
            raise ParameterError(
                f"{name!r} is nominal, so its values have no order; use in instead of at_least "
                "and at_most."
            )
        mask &= _between(values, *encoded(state, name, [one.at_least, one.at_most]))
    return mask


def _containing(state: State, name: str, text: str) -> Bools:
    feature, values = state.fitted.schema[name], state.table.column(name)
    if feature.categories is None:
        raise ParameterError(f"{name!r} has no categories; use at_least and at_most.")
    wanted = text.casefold()
    codes = [
        code
        for code, category in enumerate(feature.categories)
        if wanted in str(json_value(category)).casefold()
    ]
    return np.isin(values, codes)


def _by_computed(state: State, one: Condition, by: str, target: str | None) -> Bools:
    values = computed_column(state, by, target)
    mask = np.ones(len(values), dtype=bool)
    if one.missing is not None:
        mask &= np.isnan(values) == one.missing
    name = state.target_of(target) if by == "prediction" else None
    if one.among is not None:
        wanted = [v for v in one.among if v is not None]
        among = (
            np.array(wanted, dtype=np.float64) if name is None else encoded(state, name, wanted)
        )
        mask &= np.isin(values, among)
    ends = [one.at_least, one.at_most]
    if any(end is not None for end in ends):
        given = _numbers(by, ends) if name is None else encoded(state, name, ends)
        mask &= _between(values, *given)
    return mask


def _numbers(by: str, ends: Sequence[Any]) -> Floats:
    for end in ends:
        if isinstance(end, str):
            raise ParameterError(f"Got {end!r} for {by}; expected a number.")
    return np.array([np.nan if end is None else float(end) for end in ends])


def _between(values: Floats, low: float, high: float) -> Bools:
    mask = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        if not np.isnan(low):
            mask &= values >= low
        if not np.isnan(high):
            mask &= values <= high
    return mask


def _within(state: State, x: tuple[float, float], y: tuple[float, float]) -> Bools:
    layout = state.computed("map")
    if layout is None:
        layout = state.result("map")  # which says that it is not ready
    inside = (layout.x >= min(x)) & (layout.x <= max(x))
    inside &= (layout.y >= min(y)) & (layout.y <= max(y))
    return state.table.aligned(layout.numbers, inside, False)
