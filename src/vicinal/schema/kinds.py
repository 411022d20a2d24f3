"""The four kinds of feature."""

from __future__ import annotations

from enum import StrEnum

from vicinal.exceptions import FeatureError, did_you_mean


class Kind(StrEnum):
    """How the values of a feature are compared.

    Examples
    --------
    >>> from vicinal.schema.kinds import Kind
    >>> Kind("nominal") is Kind.NOMINAL
    True
    >>> print(*Kind)
    continuous ordinal cyclic nominal
    """

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    CYCLIC = "cyclic"
    NOMINAL = "nominal"


def parse_kind(kind: object, name: str) -> Kind:
    """Read the kind a user gave for a feature.

    Examples
    --------
    >>> from vicinal.schema.kinds import parse_kind
    >>> parse_kind("cyclic", "hour")
    <Kind.CYCLIC: 'cyclic'>
    """
    known = [str(one) for one in Kind]
    if not isinstance(kind, str) or kind not in known:
        raise FeatureError(
            f"Feature {name!r} was given the kind {kind!r}; expected one of {', '.join(known)}."
            + did_you_mean(kind, known)
        )
    return Kind(kind)
