"""What a table is made of: its features, in the order of the table and in that of storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, did_you_mean
from vicinal.schema import display
from vicinal.schema.feature import Feature, check_keys
from vicinal.schema.kinds import Kind
from vicinal.schema.roles import HOW_TO_USE, HOW_TO_WRITE, ROLE_NAMES, IgnoredColumn
from vicinal.tables.asked_names import text_name
from vicinal.tables.values import list_values
from vicinal.typing import Places

_GROUPS = {Kind.CONTINUOUS: 0, Kind.ORDINAL: 0, Kind.CYCLIC: 1, Kind.NOMINAL: 2}


@dataclass(frozen=True, repr=False)
class Schema:
    """The features of a table.

    Features stand in the order of the table. In encoded matrices they stand in *storage order*:
    continuous and ordinal ones, then cyclic, then nominal, each group sorted by name. So the
    order of the table's columns changes nothing.

    Attributes
    ----------
    features : tuple of Feature
        In the order of the table.
    by_name : bool, default=True
        Without it each group stays in the order of the table, and names change nothing.
    ignored : tuple of IgnoredColumn
        Columns of the table that are not features: identifiers, free text, and what the user
        leaves out. Tables may have them or not.
    notes : tuple of (str, str)
        Names of features, and that they are constant or copies of others.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith", "cook"], "age": [31, None, 47]})
    >>> schema
    Schema of 2 features
      name  kind        values
      job   nominal     2 categories: cook, smith
      age   continuous  int
    >>> schema["job"].categories, schema.column("age"), schema.column("job")
    (('cook', 'smith'), 0, 1)
    """

    features: tuple[Feature, ...]
    by_name: bool = True
    ignored: tuple[IgnoredColumn, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise FeatureError("A schema has no features; expected at least one.")
        every = [*self.names, *(one.name for one in self.ignored)]
        twice = sorted(name for name, count in Counter(every).items() if count > 1)
        if twice:
            raise FeatureError(f"The schema names {twice[0]!r} twice; names must be distinct.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in the order of the table."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The names of the ignored columns that identify rows."""
        return tuple(one.name for one in self.ignored if one.role == "identifier")

    @cached_property
    def table_names(self) -> tuple[str, ...]:
        """The names of all columns of the table, those that are ignored too."""
        names = list(self.names)
        for one in sorted(self.ignored, key=lambda one: one.place):
            names.insert(one.place, one.name)
        return tuple(names)

    @cached_property
    def storage(self) -> tuple[Feature, ...]:
        """The features in storage order: the columns of an encoded matrix."""
        named = sorted(self.features, key=lambda one: one.name) if self.by_name else self.features
        return tuple(sorted(named, key=lambda one: _GROUPS[one.kind]))

    @cached_property
    def table_order(self) -> Places:
        """The storage column of each feature, in the order of the table.

        ``matrix[:, schema.table_order]`` has the columns in the order of the table.
        """
        return np.array([self._column_of[name] for name in self.names], dtype=np.intp)

    @cached_property
    def _column_of(self) -> dict[str, int]:
        return {feature.name: column for column, feature in enumerate(self.storage)}

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __contains__(self, name: object) -> bool:
        return name in self._column_of

    def __getitem__(self, name: str) -> Feature:
        return self.storage[self.column(name)]

    def column(self, name: str) -> int:
        """Return the storage column of a feature.

        Examples
        --------
        >>> from vicinal.schema.infer import infer_schema
        >>> infer_schema({"age": [31, 47]}).column("agee")
        Traceback (most recent call last):
            ...
        vicinal.exceptions.FeatureError: No feature is named 'agee'. Did you mean 'age'?
        """
        name = text_name(name, self._column_of)
        if name not in self._column_of:
            if name in self.table_names:
                role = next(one.role for one in self.ignored if one.name == name)
                advice = HOW_TO_WRITE.get(role, HOW_TO_USE)
                raise FeatureError(f"Column {name!r} is ignored ({ROLE_NAMES[role]}). {advice}")
            known = f" The features are {list_values(self.names, most=8)}."
            hint = did_you_mean(name, self.names) or known
            raise FeatureError(f"No feature is named {name!r}.{hint}")
        return self._column_of[name]

    def columns(self, names: Iterable[str]) -> Places:
        """Return the storage columns of some features, ascending.

        Examples
        --------
        >>> from vicinal.schema.infer import infer_schema
        >>> infer_schema({"c": [1], "b": [2], "a": [3]}).columns(["b", "a"])
        array([0, 1])
        """
        if isinstance(names, str):
            names = [names]
        return np.array(sorted({self.column(name) for name in names}), dtype=np.intp)

    def replace(self, name: str, **changes: Any) -> Schema:
        """Return the schema with one feature changed.

        Examples
        --------
        >>> from vicinal.schema.infer import infer_schema
        >>> schema = infer_schema({"age": [31, None]}).replace("age", missing="distinct")
        >>> schema["age"].missing
        'distinct'
        """
        changed = replace(self[name], **changes)
        features = tuple(changed if one.name == name else one for one in self.features)
        return replace(self, features=features)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as values that JSON can hold.

        Examples
        --------
        >>> from vicinal.schema.infer import infer_schema
        >>> infer_schema({"age": [31, 47]}).to_dict()
        {'features': [{'name': 'age', 'kind': 'continuous', 'dtype': 'int'}]}
        """
        saved: dict[str, Any] = {"features": [feature.to_dict() for feature in self.features]}
        if self.ignored:
            saved["ignored"] = [one.to_dict() for one in self.ignored]
        if self.notes:
            saved["notes"] = dict(self.notes)
        return saved if self.by_name else {**saved, "by_name": False}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Schema:
        """Make a schema from what `to_dict` gave.

        Examples
        --------
        >>> from vicinal.schema.schema import Schema
        >>> from vicinal.schema.infer import infer_schema
        >>> schema = infer_schema({"age": [31, 47]})
        >>> Schema.from_dict(schema.to_dict()) == schema
        True
        """
        check_keys(saved, {"features", "by_name", "ignored", "notes"}, {"features"})
        features = tuple(Feature.from_dict(feature) for feature in saved["features"])
        ignored = tuple(IgnoredColumn(**one) for one in saved.get("ignored", ()))
        notes = tuple((str(name), str(note)) for name, note in saved.get("notes", {}).items())
        return cls(features, bool(saved.get("by_name", True)), ignored, notes)

    def __repr__(self) -> str:
        return display.text(self)

    def _repr_html_(self) -> str:
        return display.html(self)
