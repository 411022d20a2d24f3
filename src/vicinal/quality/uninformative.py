"""Uninformative features: constant, unique throughout, copies, or useless for the target."""

from __future__ import annotations

import numpy as np

from vicinal.fitted import Fitted
from vicinal.index.kinds import NOMINAL
from vicinal.index.sampling import sample_cases
from vicinal.prediction.predictor import Predictor
from vicinal.quality.findings import Finding
from vicinal.quality.useless import Suspect, find_useless
from vicinal.schema.copies import find_copies
from vicinal.typing import Floats, Places

#: Significance level: features with a smaller p-value are informative about the target.
_SIGNIFICANT = 0.05
#: Maximum number of bins for numeric features.
_MOST_BINS = 8
#: Random orders of a column that show what information is due to chance.
_SHUFFLES = 199
#: Maximum number of cases to test whether a feature alone is informative about the target.
_MOST_COMPARED = 2000


def find_uninformative(
    fitted: Fitted, values: Floats, predictor: Predictor | None = None
) -> list[Finding]:
    """List features that are constant, copies, or uninformative about a target."""
    kinds, storage = fitted.metric.kinds, fitted.schema.storage
    order = np.array([fitted.schema.column(name) for name in fitted.schema.names], dtype=np.intp)
    findings, settled = [], set()
    for column in order.tolist():
        why = describe_emptiness(values[:, column], nominal=bool(kinds[column] == NOMINAL))
        if why:
            settled.add(column)
            findings.append(Finding("feature", None, storage[column].name, 1.0, why))
    target = None if predictor is None else predictor.column
    # A copy of the target is no copy of a feature: it gives the target away.
    for column, other in find_copies(values, order[order != target], kinds == NOMINAL):
        settled.add(column)
        name, twin = storage[column].name, storage[other].name
        words = f"one-to-one with {twin!r}"
        findings.append(Finding("feature", None, name, 1.0, words, {"twin": twin}))
    if predictor is None:
        return findings
    settled.add(predictor.column)
    open_ = [column for column in order.tolist() if column not in settled]
    suspects = _not_significant(fitted, values, open_, predictor.column)
    return findings + find_useless(predictor, suspects)


def _not_significant(
    fitted: Fitted, values: Floats, columns: list[int], target: int
) -> list[Suspect]:
    """Return features that alone have no significant information about the target."""
    seed, kinds = fitted.settings.random_state, fitted.metric.kinds
    values = values[~np.isnan(values[:, target])]
    values = values[sample_cases(values, _MOST_COMPARED, random_state=seed)]
    outcome = bin_column(values[:, target], nominal=bool(kinds[target] == NOMINAL))
    suspects = []
    for column in columns:
        codes = bin_column(values[:, column], nominal=bool(kinds[column] == NOMINAL))
        alone, p = information_by_chance(codes, outcome, seed=seed)
        if p > _SIGNIFICANT:
            suspects.append(Suspect(fitted.schema.storage[column].name, column, alone, p))
    return suspects


def bin_column(values: Floats, *, nominal: bool) -> Places:
    """Cut a column into bins of about equal size; missing values get a separate bin.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.uninformative import bin_column
    >>> bin_column(np.array([5.0, np.nan, 7.0, 5.0]), nominal=False).tolist()
    [0, 2, 1, 0]
    """
    known = values[~np.isnan(values)]
    levels = np.unique(known)
    if not nominal and len(levels) > _MOST_BINS:
        edges = np.unique(np.quantile(known, np.arange(1, _MOST_BINS) / _MOST_BINS))
        codes = np.searchsorted(edges, values, side="right")
        missing = len(edges) + 1
    else:
        codes = np.searchsorted(levels, values)
        missing = len(levels)
    return np.where(np.isnan(values), missing, codes).astype(np.intp)


def information_by_chance(one: Places, other: Places, *, seed: int = 0) -> tuple[float, float]:
    """Return the mutual information beyond chance, and its p-value.

    The second column is shuffled repeatedly to estimate the mutual information expected by
    chance.
    """
    rng = np.random.default_rng(seed)
    drawn = np.tile(other, (_SHUFFLES + 1, 1))
    rng.permuted(drawn[1:], axis=1, out=drawn[1:])
    found = np.round(mutual_information(one, drawn), 12)
    p = float((found >= found[0]).mean())
    return max(float(found[0] - found[1:].mean()), 0.0), p


def mutual_information(one: Places, others: Places) -> Floats:
    """Return the mutual information of a column of codes and each of several others (l, n).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.uninformative import mutual_information
    >>> mutual_information(np.array([0, 1, 0, 1]), np.array([[0, 1, 0, 1], [0, 0, 0, 0]])).round(4)
    array([0.6931, 0.    ])
    """
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
    """Describe why a column is constant or an identifier; empty if it is neither.

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
