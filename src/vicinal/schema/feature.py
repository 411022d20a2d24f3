"""One feature: the kind of a column, and how its values become numbers and come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from math import isfinite
from typing import Any

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.categories import CategoryCodes, all_differ
from vicinal.schema.json_values import from_json, to_json
from vicinal.schema.kinds import Kind, parse_kind
from vicinal.tables.column import DTYPE_FAMILY
from vicinal.tables.values import value_key, value_type

#: Fields that hold values of the column.
_LISTS = {"categories", "classes", "missing_values"}


@dataclass(frozen=True)
class Feature:
    """One column: how its values are compared, and how they become numbers and come back.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : Kind
        How values are compared.
    dtype : str
        What the column holds: "float", "int", "bool", "decimal", "string", "bytes", "category",
        "mixed", "datetime", "date", "time", "duration", or "null" when every value is missing.
    categories : tuple or None
        Nominal: the observed values, the most frequent first, ties in sort order; their place is
        their code. Ordinal: the values in order; their place is their rank. Otherwise None.
    listed : bool
        Ordinal: whether the categories were declared, so that no other value is possible. If
        not, they are the observed numbers, and others get a rank in between.
    period : float or None
        Cyclic: the length of a cycle; for times in seconds.
    origin : float or None
        Dates: what encodes as 0, in seconds since 1970. Other cyclic features: where a cycle
        starts when values are decoded (months run from 1 to 12, not from 0 to 11).
    timezone : str or None
        Datetimes: the time zone, None for those without one.
    missing : {"expected", "distinct"}
        How a missing value is compared: as one of the observed values, of which it is not known
        which, or as a value of its own.
    missing_values : tuple
        Values that mean missing in this column, besides None and NaN.
    classes : tuple or None
        Nominal: values in the order that the user declared for class probabilities; some may
        not have been observed yet.

    Examples
    --------
    >>> from vicinal.schema.schema import Feature
    >>> Feature("size", "ordinal", "string", categories=("S", "M", "L"), listed=True).kind
    <Kind.ORDINAL: 'ordinal'>
    """

    name: str
    kind: Kind
    dtype: str
    categories: tuple[Any, ...] | None = None
    listed: bool = False
    period: float | None = None
    origin: float | None = None
    timezone: str | None = None
    missing: str = "expected"
    missing_values: tuple[Any, ...] = ()
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", parse_kind(self.kind, self.name))
        _check_dtype(self)
        _check_categories(self)
        _check_classes(self)
        _check_period(self)
        if self.missing not in ("expected", "distinct"):
            raise ParameterError(
                f"Feature {self.name!r} has missing={self.missing!r}; expected 'expected' or "
                "'distinct'."
            )

    @property
    def family(self) -> str:
        """What its values can be compared with: see `column.DTYPE_FAMILY`."""
        return DTYPE_FAMILY[self.dtype]

    @property
    def in_seconds(self) -> bool:
        """Whether its numbers are seconds: dates, times and durations that are not ranked."""
        timed = self.family in ("instant", "duration", "time of day")
        return timed and self.kind in (Kind.CONTINUOUS, Kind.CYCLIC)

    @property
    def missing_keys(self) -> frozenset[tuple[str, Any]]:
        """The `value_key` of each of the `missing_values`."""
        return frozenset(map(value_key, self.missing_values))

    @cached_property
    def codes(self) -> CategoryCodes:
        """The place of each category, by its `value_key`."""
        return CategoryCodes(self.categories or ())

    @cached_property
    def class_order(self) -> tuple[Any, ...]:
        """The categories in the order of class probabilities: the declared ones come first.

        Examples
        --------
        >>> from vicinal.schema.schema import Feature
        >>> answers = ("no", "yes", "maybe")
        >>> Feature("sure", "nominal", "string", answers, classes=("yes", "never")).class_order
        ('yes', 'never', 'no', 'maybe')
        """
        declared = self.classes or ()
        known = CategoryCodes(declared)
        return (*declared, *(one for one in self.categories or () if value_key(one) not in known))

    def to_dict(self) -> dict[str, Any]:
        """Return the feature as values that JSON can hold; what is not set is left out.

        Examples
        --------
        >>> from vicinal.schema.schema import Feature
        >>> Feature("hour", "cyclic", "int", period=24.0, origin=0.0).to_dict()
        {'name': 'hour', 'kind': 'cyclic', 'dtype': 'int', 'period': 24.0, 'origin': 0.0}
        """
        given = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        given["kind"] = str(self.kind)
        for key in given.keys() & _LISTS:
            given[key] = [to_json(value) for value in given[key]]
        return given

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Feature:
        """Make a feature from what `to_dict` gave.

        Examples
        --------
        >>> from vicinal.schema.schema import Feature
        >>> Feature.from_dict({"name": "age", "kind": "continuous", "dtype": "int"}).name
        'age'
        """
        given = dict(saved)
        check_keys(given, {field.name for field in fields(cls)}, {"name", "kind", "dtype"})
        for key in given.keys() & _LISTS:
            given[key] = tuple(from_json(value) for value in given[key])
        return cls(**given)


def check_keys(saved: Mapping[str, Any], known: set[str], needed: set[str]) -> None:
    """Refuse saved dicts that have unknown keys or lack needed ones."""
    wrong = sorted((set(saved) - known) | (needed - set(saved)))
    if wrong:
        raise ParameterError(
            f"Saved schema: {wrong[0]!r} is {'unknown' if wrong[0] in saved else 'missing'}; "
            f"expected {', '.join(sorted(needed))} and possibly {', '.join(sorted(known))}."
        )


def check_period(period: Any, name: str) -> None:
    """Refuse a period that is not a finite number above 0."""
    is_number = value_type(type(period)) in ("int", "float", "decimal")
    if not (is_number and isfinite(period) and period > 0):
        raise FeatureError(
            f"Feature {name!r} has the period {period!r}; expected a finite number above 0."
        )


def _check_dtype(feature: Feature) -> None:
    if not isinstance(feature.name, str):
        raise FeatureError(f"The feature name {feature.name!r} is not a string.")
    if feature.dtype not in DTYPE_FAMILY:
        raise FeatureError(
            f"Feature {feature.name!r} has the dtype {feature.dtype!r}; expected one of "
            f"{', '.join(DTYPE_FAMILY)}."
        )


def _check_categories(feature: Feature) -> None:
    needed = feature.kind in (Kind.ORDINAL, Kind.NOMINAL)
    if needed != (feature.categories is not None):
        raise FeatureError(
            f"Feature {feature.name!r} is {feature.kind} and has categories "
            f"{feature.categories!r}; expected them for ordinal and nominal features only."
        )
    _check_distinct(feature, "categories")


def _check_classes(feature: Feature) -> None:
    if feature.classes is not None and feature.kind is not Kind.NOMINAL:
        raise FeatureError(
            f"Feature {feature.name!r} is {feature.kind} and has classes {feature.classes!r}; "
            "expected them for nominal features only."
        )
    _check_distinct(feature, "classes")


def _check_distinct(feature: Feature, listed: str) -> None:
    values = getattr(feature, listed) or ()
    # Texts are the same label if they are equal, and there may be millions of them.
    keys = values if all(type(one) is str for one in values) else list(map(value_key, values))
    if not all_differ(keys):
        keys = list(map(value_key, values))
        seen: set[tuple[str, Any]] = set()
        twice = next(key for key in keys if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise FeatureError(
            f"The {listed} of feature {feature.name!r} have {twice[1]!r} twice; expected "
            "each once."
        )


def _check_period(feature: Feature) -> None:
    if (feature.kind is Kind.CYCLIC) != (feature.period is not None):
        raise FeatureError(
            f"Feature {feature.name!r} is {feature.kind} and has the period {feature.period!r}; "
            "expected one for cyclic features only."
        )
    if feature.period is not None:
        check_period(feature.period, feature.name)
