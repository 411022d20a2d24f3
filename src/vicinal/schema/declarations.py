"""What the user says about features: kinds, orders, periods and values that mean missing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, ParameterError, did_you_mean
from vicinal.schema.feature import check_period
from vicinal.schema.kinds import Kind, parse_kind
from vicinal.tables.values import is_missing, list_values, to_python, value_key, value_type


@dataclass(frozen=True)
class Declaration:
    """What the user declared about one feature, and in which argument."""

    kind: Kind
    argument: str
    order: tuple[Any, ...] | None = None
    period: float | None = None


def declared_kinds(
    names: Sequence[str],
    *,
    categorical_features: Any,
    ordinal_features: Any,
    cyclic_features: Any,
    kinds: Any,
    classes: Any = None,
) -> dict[str, Declaration]:
    """Collect what was declared about each feature, and refuse contradictions.

    Parameters
    ----------
    names : sequence of str
        The features that there are.
    categorical_features, ordinal_features, cyclic_features, kinds, classes
        The arguments of `infer_schema`.

    Returns
    -------
    dict
        A `Declaration` for each feature that was named.

    Examples
    --------
    >>> from vicinal.schema.declarations import declared_kinds
    >>> declared = declared_kinds(
    ...     ["zip", "hour"],
    ...     categorical_features=[0],
    ...     ordinal_features=None,
    ...     cyclic_features={"hour": 24},
    ...     kinds=None,
    ... )
    >>> declared["zip"].kind, declared["hour"].period
    (<Kind.NOMINAL: 'nominal'>, 24.0)
    """
    found: dict[str, Declaration] = {}
    for argument, declared in (
        ("classes", _classes(classes)),  # first: the order must not get lost
        ("categorical_features", _categorical(categorical_features, names)),
        ("ordinal_features", _ordinal(ordinal_features)),
        ("cyclic_features", _cyclic(cyclic_features)),
        ("kinds", _kinds(kinds)),
    ):
        for name, declaration in declared:
            check_column(name, names, argument)
            found[name] = _merged(name, found.get(name), declaration)
    return found


def declared_missing(names: Sequence[str], missing_values: Any) -> dict[str, tuple[Any, ...]]:
    """Return the values that mean missing, for each feature.

    Parameters
    ----------
    names : sequence of str
        The features that there are.
    missing_values : value, sequence, or dict of name to value or sequence
        The argument of `infer_schema`.

    Returns
    -------
    dict
        A tuple for each feature. None and NaN, which always mean missing, are left out.

    Examples
    --------
    >>> from vicinal.schema.declarations import declared_missing
    >>> declared_missing(["age", "job"], {"age": -999})
    {'age': (-999,), 'job': ()}
    """
    if not isinstance(missing_values, Mapping):
        return dict.fromkeys(names, _markers(missing_values, "missing_values"))
    for name in missing_values:
        check_column(name, names, "missing_values")
    return {
        name: _markers(missing_values.get(name, ()), f"missing_values[{name!r}]") for name in names
    }


def _markers(values: Any, argument: str) -> tuple[Any, ...]:
    single = isinstance(values, str | bytes) or not isinstance(values, Iterable)
    distinct: dict[tuple[str, Any], Any] = {}
    for value in [values] if single else values:
        if value_type(type(value)) == "refused":
            raise ParameterError(
                f"{argument} has {value!r}; expected single values such as '', 'NA' or -999."
            )
        if not is_missing(value):
            distinct.setdefault(value_key(to_python(value)), to_python(value))
    return tuple(distinct.values())


def check_column(name: object, names: Sequence[str], argument: str) -> None:
    """Refuse a name in an argument that is not a column of the table."""
    if name not in names:
        known = f" The columns are {list_values(names, most=8)}."
        hint = did_you_mean(name, names) or known
        raise FeatureError(f"{argument} names {name!r}, which is not a column of the table.{hint}")


def _merged(name: str, earlier: Declaration | None, later: Declaration) -> Declaration:
    if earlier is None:
        return later
    if earlier.kind != later.kind:
        raise FeatureError(
            f"Feature {name!r} was declared {earlier.kind} by {earlier.argument} and "
            f"{later.kind} by {later.argument}; expected one kind."
        )
    return earlier


def _categorical(given: Any, names: Sequence[str]) -> Iterator[tuple[str, Declaration]]:
    argument = "categorical_features"
    nominal = Declaration(Kind.NOMINAL, argument)
    if given is None or (isinstance(given, str) and given == "from_dtype"):
        return
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(
            f"{argument}={given!r}; expected 'from_dtype', or a list of column names, of column "
            "numbers, or of bools, one for each column."
        )
    chosen = list(given)
    if chosen and all(isinstance(one, bool | np.bool_) for one in chosen):
        if len(chosen) != len(names):
            raise ParameterError(
                f"{argument} has {len(chosen)} bools and the table {len(names)} columns; "
                "expected one for each column."
            )
        chosen = [name for name, yes in zip(names, chosen, strict=True) if yes]
    for one in chosen:
        yield (_by_number(one, names, argument) if isinstance(one, Integral) else one), nominal


def _by_number(number: Any, names: Sequence[str], argument: str) -> str:
    if isinstance(number, bool | np.bool_) or not 0 <= number < len(names):
        raise FeatureError(
            f"{argument} has the column number {number}; expected numbers from 0 to "
            f"{len(names) - 1}."
        )
    return names[int(number)]


def _ordinal(given: Any) -> Iterator[tuple[str, Declaration]]:
    argument = "ordinal_features"
    if isinstance(given, str):
        raise ParameterError(
            f"{argument}={given!r}; expected a list of names, or a dict of names and their "
            "categories in order."
        )
    for name in given or ():
        order = given[name] if isinstance(given, Mapping) else None
        listed = None
        if order is not None:
            listed = _order(name, order, argument, "all its categories, the lowest first")
        yield name, Declaration(Kind.ORDINAL, argument, order=listed)


def _classes(given: Any) -> Iterator[tuple[str, Declaration]]:
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(
            f"classes={given!r}; expected a dict of names and their classes in order, such as "
            "{'answer': ['no', 'yes']}."
        )
    for name, order in (given or {}).items():
        listed = _order(name, order, "classes", "classes, in the order to list them")
        yield name, Declaration(Kind.NOMINAL, "classes", order=listed)


def _order(name: str, order: Any, argument: str, expected: str) -> tuple[Any, ...]:
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise ParameterError(
            f"{argument} gives {name!r} the order {order!r}; expected a list of {expected}."
        )
    listed = tuple(to_python(value) for value in order)
    if not listed or any(map(is_missing, listed)):
        raise FeatureError(
            f"{argument} gives {name!r} the order {list(listed)!r}; expected at least one "
            "category, and none that is missing."
        )
    return listed


def _cyclic(given: Any) -> Iterator[tuple[str, Declaration]]:
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(
            f"cyclic_features={given!r}; expected a dict of names and their periods, such as "
            "{'hour': 24}."
        )
    for name, period in (given or {}).items():
        span = period.total_seconds() if isinstance(period, dt.timedelta) else period
        check_period(span, name)
        yield name, Declaration(Kind.CYCLIC, "cyclic_features", period=float(span))


def _kinds(given: Any) -> Iterator[tuple[str, Declaration]]:
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(
            f"kinds={given!r}; expected a dict of names and kinds, such as {{'zip': 'nominal'}}."
        )
    for name, kind in (given or {}).items():
        yield name, Declaration(parse_kind(kind, str(name)), "kinds")
