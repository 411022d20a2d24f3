"""Features that give the target away: they tell it in every case, beyond what chance explains."""

from __future__ import annotations

from math import lgamma

import numpy as np

from vicinal.fitted import Fitted
from vicinal.quality.findings import Finding
from vicinal.schema.copies import find_copies, near_copies
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Places

#: A feature gives the target away if chance alone tells it so well this rarely, as a logarithm.
_CHANCE = float(np.log(1e-6))


def find_giveaways(fitted: Fitted, values: Floats, target: int) -> list[Finding]:
    """List the features that tell the target of all cases, without a single exception.

    Such a feature is rarely known when the target is to be predicted: it was recorded afterwards,
    or is another name for it.
    """
    storage = fitted.schema.storage
    name, kind = storage[target].name, storage[target].kind
    unknown = np.isnan(values[:, target])
    values = values[~unknown] if unknown.any() else values  # a copy of all rows takes memory
    varies = np.fmax.reduce(values, initial=-np.inf) > np.fmin.reduce(values, initial=np.inf)
    others = [c for c in map(fitted.schema.column, fitted.schema.names) if c != target]
    columns = np.array([target, *others], dtype=np.intp)
    nominal = np.array([feature.kind is Kind.NOMINAL for feature in storage])
    copies = {column for column, other in find_copies(values, columns, nominal) if other == target}
    if kind is Kind.CONTINUOUS:
        numbers = columns[varies[columns] & ~nominal[columns]]
        near = {column for column, other in near_copies(values, numbers) if other == target}
    classes = np.unique(values[:, target], return_inverse=True)[1]
    found = []
    for column in others:
        if column in copies:
            how = f"one-to-one with {name!r}"
        elif kind is Kind.CONTINUOUS:
            how = f"nearly proportional to {name!r}" if column in near else ""
        elif kind in (Kind.NOMINAL, Kind.ORDINAL):
            how = _how_told(values[:, column], classes, name, nominal=bool(nominal[column]))
        else:
            how = ""
        if how:
            words = f"{how}; is it known before {name!r} is?"
            found.append(Finding("giveaway", None, storage[column].name, 1.0, words))
    return found


def _how_told(values: Floats, classes: Places, target: str, *, nominal: bool) -> str:
    """Return in words how a feature tells the classes; empty if it does not."""
    levels = np.unique(values, return_inverse=True)[1]  # missing is a level, too
    if chance_of_one_class_each(levels, classes) < _CHANCE:
        count = int(levels.max(initial=-1)) + 1
        missing = " (missing is one of them)" * bool(np.isnan(values).any())
        return f"each of its {count} values{missing} goes with one {target!r}"
    if not nominal and chance_of_separation(values, classes) < _CHANCE:
        return f"larger in every case of one {target!r} than in all of another"
    return ""


def chance_of_one_class_each(levels: Places, classes: Places) -> float:
    """Return how likely chance gives every level a single class, as a logarithm; 0 if not all do.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.giveaways import chance_of_one_class_each
    >>> chance = chance_of_one_class_each(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    >>> round(float(np.exp(chance)), 2), chance_of_one_class_each(np.zeros(2, int), np.arange(2))
    (0.25, 0.0)
    """
    if not len(classes) or len(np.unique(classes)) < 2:
        return 0.0
    pairs = np.unique(np.stack([levels, classes]), axis=1)
    if pairs.shape[1] > len(np.unique(levels)):
        return 0.0
    shares = np.bincount(classes) / len(classes)
    sizes, times = np.unique(np.bincount(levels), return_counts=True)
    one = np.log(np.maximum((shares[:, None] ** sizes).sum(axis=0), 1e-300))
    return float(one @ times)


def chance_of_separation(values: Floats, classes: Places) -> float:
    """Return how likely chance sorts numbers by class, as a logarithm; 0 if they are not sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.giveaways import chance_of_separation
    >>> chance = chance_of_separation(np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]))
    >>> round(float(np.exp(chance)), 2), chance_of_separation(np.arange(3.0), np.array([0, 1, 0]))
    (0.67, 0.0)
    """
    counts = np.bincount(classes)
    counts = counts[counts > 0]
    if len(counts) < 2 or np.isnan(values).any():
        return 0.0
    order = np.lexsort((classes, values))
    changes = np.flatnonzero(np.diff(classes[order]))
    tied = np.diff(values[order])[changes] == 0
    if len(changes) >= len(counts) or tied.any():
        return 0.0
    within = sum(lgamma(count + 1) for count in (len(counts), *counts.tolist()))
    return within - lgamma(len(classes) + 1)
