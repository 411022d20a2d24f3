"""Check and encode the arguments of a counterfactual: the constraints and the goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from vicinal.counterfactual.constraints import Constraint, Constraints
from vicinal.counterfactual.goal import Goal
from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.schema.kinds import Kind
from vicinal.schema.ranges import encoded_values, listed_values, read_ends
from vicinal.schema.schema import Schema
from vicinal.typing import Floats, Places

_WORDS = {"increase": 1, "decrease": -1}


def read_constraints(
    schema: Schema,
    row: Mapping[str, Any],
    own: Floats,
    columns: Places,
    target: str,
    *,
    immutable: Iterable[str] = (),
    ranges: Mapping[str, Any] | None = None,
    directions: Mapping[str, str] | None = None,
    allowed: Mapping[str, Any] | None = None,
) -> Constraints:
    """Check and encode the user's constraints for `Model.counterfactual`.

    The row is passed both as given and encoded; the columns are those of the context.
    """
    names = [immutable] if isinstance(immutable, str) else list(immutable)
    rules = [_fixed(name, own, schema) for name in dict.fromkeys(names) if name in schema]
    for argument, given in (
        ("immutable", dict.fromkeys(names)),
        ("ranges", ranges),
        ("directions", directions),
        ("allowed", allowed),
    ):
        _check_names(argument, given, schema, target)
    rules += [_range(schema, name, ends, row.get(name)) for name, ends in (ranges or {}).items()]
    rules += [_direction(schema, name, word, own) for name, word in (directions or {}).items()]
    rules += [_allowed(schema, name, values) for name, values in (allowed or {}).items()]
    # Rules about features outside the context always hold, since these features never change.
    rules = [rule for rule in rules if rule.column in set(columns.tolist())]
    fixed = {rule.column for rule in rules if rule.rule == "immutable"}
    if fixed.issuperset(columns.tolist()):
        raise ParameterError(
            f"immutable names all of {listed_values(names)}, which is everything {target!r} is "
            "predicted from; leave at least one feature that may change."
        )
    return Constraints(own, columns, tuple(rules), schema)


def read_rules(schema: Schema, constraints: Mapping[str, Any] | None) -> tuple[Constraint, ...]:
    """Check and encode constraints by feature, for `Model.synthesize`.

    A tuple (low, high) is a range of numbers, dates or ordered categories; a list has the values
    that are allowed.

    Examples
    --------
    >>> from vicinal.counterfactual.arguments import read_rules
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith"], "age": [31, 47]})
    >>> old, smith = read_rules(schema, {"age": (40, None), "job": ["smith"]})
    >>> (old.lower, old.upper), smith.values
    ((40.0, inf), array([1.]))
    """
    if constraints is not None and not isinstance(constraints, Mapping):
        raise ParameterError(
            f"constraints is a {type(constraints).__name__}; expected a dict with a feature for "
            "each key."
        )
    rules = []
    for name, permitted in (constraints or {}).items():
        column, kind = schema.column(name), schema[name].kind  # an unknown name is an error
        if isinstance(permitted, tuple) and kind is not Kind.NOMINAL:
            ends = read_ends(schema, name, permitted, "constraints")
            rules.append(Constraint("ranges", name, column, *ends))
            continue
        if isinstance(permitted, str | bytes) or not isinstance(permitted, Set | Sequence):
            raise ParameterError(
                f"constraints has {permitted!r} for {name!r}; expected (low, high) or a list of "
                "the values it may have."
            )
        if not len(permitted):
            raise ParameterError(f"constraints has no value for {name!r}; expected at least one.")
        values = encoded_values(schema, name, list(permitted), "constraints")
        rules.append(Constraint("allowed", name, column, values=values))
    return tuple(rules)


def read_goal(schema: Schema, target: str, wanted: Any) -> Goal:
    """Check and encode the goal.

    It is one or several classes, or for numbers a range, with None for an open end; ordinal
    features take either.

    Examples
    --------
    >>> from vicinal.counterfactual.arguments import read_goal
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith"], "age": [31, 47]})
    >>> read_goal(schema, "age", (40, None)).lower
    40.0
    >>> read_goal(schema, "job", "smyth")
    Traceback (most recent call last):
        ...
    vicinal.exceptions.ParameterError: wanted: 'job' has no category 'smyth'. Did you mean 'smith'?
    """
    feature, column = schema[target], schema.column(target)
    several = isinstance(wanted, Set | Sequence | np.ndarray) and not isinstance(
        wanted, str | bytes
    )
    is_range = isinstance(wanted, tuple | list) and len(wanted) == 2
    if feature.kind is Kind.NOMINAL or (
        feature.kind is Kind.ORDINAL and not (is_range and isinstance(wanted, tuple))
    ):
        values = list(wanted) if several else [wanted]
        if not values:
            raise ParameterError(f"wanted names no value of {target!r}; expected at least one.")
        return Goal(feature, column, values=encoded_values(schema, target, values, "wanted"))
    if not is_range:
        raise ParameterError(
            f"wanted is {wanted!r}, and {target!r} is {feature.kind}; expected a range "
            "(low, high), with None for an open end."
        )
    lower, upper = read_ends(schema, target, wanted, "wanted")
    return Goal(feature, column, lower=lower, upper=upper)


def _check_names(argument: str, given: Any, schema: Schema, target: str) -> None:
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"{argument} is a {type(given).__name__}; expected a dict with a feature for each key."
        )
    for name in given:
        schema.column(name)  # an unknown name is an error with a suggestion
        if name == target:
            raise ParameterError(
                f"{argument} names {target!r}, which is the target; set its goal with wanted, "
                "and name only features that it is predicted from."
            )


def _fixed(name: str, own: Floats, schema: Schema) -> Constraint:
    column = schema.column(name)
    return Constraint("immutable", name, column, values=own[column : column + 1])


def _range(schema: Schema, name: str, ends: Any, value: Any) -> Constraint:
    feature = schema[name]
    if feature.kind is Kind.NOMINAL:
        raise ParameterError(
            f"ranges has {name!r}, which is nominal and has no order; name the categories it may "
            "have in allowed instead."
        )
    lower, upper = read_ends(schema, name, ends, "ranges")
    if feature.kind is Kind.ORDINAL and not feature.listed and value is not None:
        # All numbers beyond the last category share one rank, though the numbers differ.
        last = len(feature.categories or ()) - 1
        if ends[0] is not None and value < ends[0]:
            lower = max(lower, 0.0)
        if ends[1] is not None and value > ends[1]:
            upper = min(upper, float(last))
    return Constraint("ranges", name, schema.column(name), lower, upper)


def _direction(schema: Schema, name: str, word: object, row: Floats) -> Constraint:
    feature, column = schema[name], schema.column(name)
    if feature.kind not in (Kind.CONTINUOUS, Kind.ORDINAL):
        raise ParameterError(
            f"directions has {name!r}, which is {feature.kind} and has no direction; "
            f"use {'ranges' if feature.kind is Kind.CYCLIC else 'allowed'} instead."
        )
    if word not in _WORDS:
        raise ParameterError(
            f"directions has {word!r} for {name!r}; expected 'increase' or 'decrease'."
            + did_you_mean(word, _WORDS)
        )
    own = row[column]
    if np.isnan(own):
        # If the value is missing, no change is known to be an increase.
        return Constraint("directions", name, column, values=np.empty(0))
    lower, upper = (own, np.inf) if word == "increase" else (-np.inf, own)
    return Constraint("directions", name, column, lower, upper)


def _allowed(schema: Schema, name: str, values: Any) -> Constraint:
    if isinstance(values, str | bytes) or not isinstance(values, Set | Sequence | np.ndarray):
        raise ParameterError(
            f"allowed has {values!r} for {name!r}; expected a list of the values it may have."
        )
    if not len(values):
        raise ParameterError(
            f"allowed has no value for {name!r}; expected at least one, or name it in immutable."
        )
    encoded = encoded_values(schema, name, list(values), "allowed")
    return Constraint("allowed", name, schema.column(name), values=encoded)
