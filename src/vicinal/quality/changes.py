"""What has changed between stored and new rows, in words: in one feature, or between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from vicinal.fitted import Fitted
from vicinal.formatting.values import format_pair, format_percent, format_value
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats

#: A relation of two features has changed if chance alone explains it so rarely, over all pairs.
_ALPHA = 0.05
#: Features that are compared in pairs, at most.
_MOST_FEATURES = 100
#: Rows that have both, and tell how they go together, at least.
_FEWEST = 10


@dataclass(frozen=True)
class ChangedPair:
    """Two numbers that no longer go together as before.

    Parameters
    ----------
    features : tuple of str
        The two features.
    before, after : float
        Their rank correlation among the stored cases, and among the new rows.
    """

    features: tuple[str, str]
    before: float
    after: float


def describe_change(fitted: Fitted, before: Floats, after: Floats, column: int) -> str:
    """Describe the largest change in a feature."""
    feature = fitted.schema.storage[column]
    missing = np.isnan(before).mean(), np.isnan(after).mean()
    if abs(missing[1] - missing[0]) > 0.1 or not (missing[0] < 1 and missing[1] < 1):
        return f"missing: {format_percent(missing[0])} → {format_percent(missing[1])}"
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    if feature.kind is Kind.NOMINAL:
        known = feature.categories or ()
        counts = [
            np.bincount(x.astype(np.intp), minlength=len(known) + 1) for x in (before, after)
        ]
        one, two = (count / count.sum() for count in counts)
        most = int(np.abs(two - one).argmax())
        name = repr(known[most]) if most < len(known) else "unseen categories"
        return f"{name}: {format_percent(one[most])} → {format_percent(two[most])}"
    places = np.unique(np.concatenate([before, after]))
    one, two = (np.searchsorted(np.sort(x), places, "right") / len(x) for x in (before, after))
    most = int(np.abs(two - one).argmax())
    medians = np.array([np.median(before), np.median(after)])
    moved = abs((after <= medians[0]).mean() - (before <= medians[0]).mean())
    if medians[0] != medians[1] and 2 * moved >= abs(two[most] - one[most]):
        return f"median {' → '.join(format_pair(*fitted.predicted(medians, column)))}"
    # The values are spread otherwise, about nearly the same median.
    [limit] = fitted.decoded(places[[most]], column).tolist()
    return (
        f"at most {format_value(limit)}: {format_percent(one[most])} → {format_percent(two[most])}"
    )


def changed_pair(
    fitted: Fitted, before: Floats, after: Floats, names: Sequence[str]
) -> ChangedPair | None:
    """Return the two numbers whose rank correlation has changed most, if it is beyond chance."""
    from scipy.stats import norm

    columns = {name: fitted.schema.column(name) for name in names[:_MOST_FEATURES]}
    numbers = {
        name: column
        for name, column in columns.items()
        if fitted.schema.storage[column].kind in (Kind.CONTINUOUS, Kind.ORDINAL)
    }
    pairs = list(combinations(numbers, 2))
    found: ChangedPair | None = None
    surprise = float(norm.isf(_ALPHA / 2 / max(len(pairs), 1)))
    samples = [_Ranked(sample, list(numbers.values())) for sample in (before, after)]
    for pair in pairs:
        one, other = (
            sample.rank_correlation(*(numbers[name] for name in pair)) for sample in samples
        )
        # Fisher's z, with the variance of rank correlations (Fieller, Hartley and Pearson 1957).
        gap = abs(np.arctanh(one[0]) - np.arctanh(other[0]))
        z = gap / np.sqrt(1.06 * (1 / max(one[1] - 3, 1) + 1 / max(other[1] - 3, 1)))
        if z > surprise and min(one[1], other[1]) > _FEWEST:
            found, surprise = ChangedPair(pair, one[0], other[0]), float(z)
    return found


class _Ranked:
    """Rows whose columns are ranked once; pairs with gaps are ranked where both are known."""

    def __init__(self, rows: Floats, columns: Sequence[int]) -> None:
        from scipy.stats import rankdata

        self.rows = rows
        whole = [one for one in columns if len(rows) and not np.isnan(rows[:, one]).any()]
        self.ranks = dict(zip(whole, rankdata(rows[:, whole], axis=0).T, strict=True))
        self.commonest = {one: _commonest(rows[:, one]) for one in whole}

    def rank_correlation(self, one: int, other: int) -> tuple[float, int]:
        """Return the rank correlation of two columns, short of ±1, and how many rows tell of it.

        Where most values of a column are equal, such as 0, the others alone make the correlation:
        a thousand rows with five other values say as much about it as five rows.
        """
        from scipy.stats import rankdata

        values = self.rows[:, [one, other]]
        known = values[~np.isnan(values).any(axis=1)]
        if len(known) < 2 or (known == known[0]).all(axis=0).any():
            return 0.0, 0
        if one in self.ranks and other in self.ranks:
            ranks = np.stack([self.ranks[one], self.ranks[other]], axis=1)
            commonest = max(self.commonest[one], self.commonest[other])
        else:
            ranks = rankdata(known, axis=0)
            commonest = max(_commonest(column) for column in known.T)
        most = 1 - 1 / len(known)
        correlation = float(np.clip(np.corrcoef(ranks.T)[0, 1], -most, most))
        return correlation, len(known) - commonest + 1


def _commonest(values: Floats) -> int:
    """Return how often the commonest of values occurs."""
    return int(np.unique(values, return_counts=True)[1].max())
