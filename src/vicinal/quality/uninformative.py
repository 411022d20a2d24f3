"""Features that say nothing: constant, unique throughout, copies, or no use for the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.typing import Floats, Places

#: Parts into which numbers are cut, at most, before they are compared.
_PARTS = 8


def parts_of(values: Floats, *, nominal: bool) -> Places:
    """Cut a column into parts of about as many cases; missing values are one more.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.uninformative import parts_of
    >>> parts_of(np.array([5.0, np.nan, 7.0, 5.0]), nominal=False).tolist()
    [0, 2, 1, 0]
    """
    known = values[~np.isnan(values)]
    levels = np.unique(known)
    if not nominal and len(levels) > _PARTS:
        edges = np.unique(np.quantile(known, np.arange(1, _PARTS) / _PARTS))
        codes = np.searchsorted(edges, values, side="right")
        missing = len(edges) + 1
    else:
        codes = np.searchsorted(levels, values)
        missing = len(levels)
    return np.where(np.isnan(values), missing, codes).astype(np.intp)


def information(one: Places, other: Places) -> float:
    """Return how much two columns of codes tell about each other, in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.uninformative import information
    >>> codes = np.array([0, 1, 0, 1])
    >>> round(information(codes, codes), 4), information(codes, codes[::-1] * 0)
    (0.6931, 0.0)
    """
    return float(_informations(one, other[None])[0])


def information_by_chance(
    one: Places, other: Places, *, shuffles: int = 199, seed: int = 0
) -> tuple[float, float]:
    """Return the information beyond what chance gives, and the p-value of there being none.

    The second column is shuffled so many times; what columns tell about each other then is
    chance.
    """
    rng = np.random.default_rng(seed)
    drawn = np.tile(other, (shuffles + 1, 1))
    rng.permuted(drawn[1:], axis=1, out=drawn[1:])
    found = np.round(_informations(one, drawn), 12)
    p = float((found >= found[0]).mean())
    return max(float(found[0] - found[1:].mean()), 0.0), p


def _informations(one: Places, others: Places) -> Floats:
    n, width = len(one), int(others.max(initial=0)) + 1
    height = int(one.max(initial=0)) + 1
    size = height * width
    result = np.empty(len(others))
    for at, other in enumerate(others):
        joint = np.bincount(one * width + other, minlength=size).reshape(height, width) / n
        alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        there = joint > 0
        result[at] = (joint[there] * np.log(joint[there] / alone[there])).sum()
    return result


def describe_emptiness(values: Floats, *, nominal: bool) -> str:
    """Say why a column can tell no cases apart, or all of them; empty where neither is so.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.uninformative import describe_emptiness
    >>> describe_emptiness(np.array([3.0, 3.0, np.nan]), nominal=False)
    'one value only'
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return "all missing"
    levels = len(np.unique(known))
    if levels == 1:
        return "one value only"
    if nominal and levels == len(known) and levels > 2:
        return "every value occurs once, as in an identifier"
    return ""


def copies(values: Floats, columns: Places, kinds: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Return columns that are one-to-one with an earlier one, and which.

    Numbers are copies where one rises or falls strictly with the other; categories where each
    goes with one of the other, unless all differ.
    """
    seen: dict[bytes, int] = {}
    found = []
    for column in columns.tolist():
        key = _shape_of(values[:, column], nominal=bool(kinds[column] == 2))
        if not key:
            continue
        if key in seen:
            found.append((column, seen[key]))
        else:
            seen[key] = column
    return found


def _shape_of(values: Floats, *, nominal: bool) -> bytes:
    """Bytes that are equal for columns that are one-to-one."""
    missing = np.isnan(values)
    levels, codes = np.unique(values[~missing], return_inverse=True)
    if len(levels) < 2 or (nominal and len(levels) == len(codes)):
        return b""
    codes = codes.ravel()
    if nominal:
        # Number the categories by where they are seen first.
        _, first = np.unique(codes, return_index=True)
        codes = np.argsort(np.argsort(first))[codes]
    elif codes[0] > codes[-1] or (codes[0] == codes[-1] and _falls(codes)):
        codes = len(levels) - 1 - codes
    whole = np.full(len(values), -1, dtype=np.int64)
    whole[~missing] = codes
    return (b"n" if nominal else b"c") + whole.tobytes()


def _falls(codes: Places) -> bool:
    """Whether the first code that differs from the middle of the range lies above it."""
    middle = codes.max() / 2
    off = np.flatnonzero(codes != middle)
    return bool(len(off) and codes[off[0]] > middle)
