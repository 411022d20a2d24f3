"""Duplicates and near-duplicates among the cases, and test rows that repeat a case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.quality.findings import Finding
from vicinal.typing import Floats, Ints, Places

#: Distances of identical cases can differ from 1.5 by this much.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Spacing:
    """The usual distance between nearest cases."""

    #: Median excess between distinct cases and their nearest; 0 if closeness is no evidence.
    excess: float
    #: How fast small distances become rare: of n cases, :math:`n/2 (r/r_0)^D` are expected to have
    #: a neighbor within r, where :math:`r_0` is the usual distance.
    dimension: float

    def expected(self, excess: Floats, n: int) -> Floats:
        """Return how many of n rows are expected to be this close to a case by chance.

        Examples
        --------
        >>> from vicinal.quality.duplicates import Spacing
        >>> Spacing(excess=1.0, dimension=2.0).expected(0.01, 100)
        0.5
        """
        if not self.excess:
            return np.where(excess > _ROUNDING, np.inf, 0.0)
        # For close cases the excess grows with the square of their difference.
        with np.errstate(over="ignore"):  # infinite for cases very far apart
            return 0.5 * n * (excess / self.excess) ** (self.dimension / 2)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest case of each row, −1 for none, and the excess of its distance."""

    cases: Ints
    excess: Floats


def nearest_cases(fitted: Fitted, rows: Rows) -> Nearest:
    """Find the nearest case of each row; of a stored case, the nearest other one."""
    metric = fitted.metric_of(rows.columns)
    nearest = _search(fitted, rows.values, rows.exclude, metric)
    gaps = np.flatnonzero(np.isnan(rows.values[:, metric.active]).any(axis=1))
    if not len(gaps):
        return nearest
    # Two missing values are as far apart as unknown ones, so a copy of a row with gaps is neither
    # at no excess nor always the nearest. Where missing counts as a value, it is both.
    strict = replace(metric, distinct=np.ones_like(metric.distinct))
    exclude = None if rows.exclude is None else rows.exclude[gaps]
    copies = _search(fitted, rows.values[gaps], exclude, strict)
    equal = (copies.cases >= 0) & (copies.excess <= _ROUNDING)
    nearest.cases[gaps[equal]] = copies.cases[equal]
    nearest.excess[gaps[equal]] = 0.0
    return nearest


def _search(fitted: Fitted, values: Floats, exclude: Ints | None, metric: Metric) -> Nearest:
    found = fitted.index.search(values, metric, 2, exclude=exclude, threads=fitted.threads)
    cases, distances = found.indices[:, 0].copy(), found.distances[:, 0]
    if exclude is not None:
        # A case of weight 2 remains when one unit is left out; it is not its own duplicate.
        itself = cases == exclude
        cases = np.where(itself, found.indices[:, 1], cases)
        distances = np.where(itself, found.distances[:, 1], distances)
    return Nearest(cases, np.maximum(distances - SAME, 0.0))


def usual_spacing(nearest: Nearest) -> Spacing:
    """Estimate the usual distance between nearest cases, ignoring exact duplicates."""
    apart = nearest.excess[nearest.excess > _ROUNDING]
    # If most cases are repeated, closeness is no evidence.
    if 2 * len(apart) < len(nearest.excess) or len(apart) < 4:
        return Spacing(0.0, 1.0)
    quarter, half = np.quantile(apart, [0.25, 0.5])
    halvings = np.log(np.sqrt(half / quarter)) if half > quarter else 0.0
    return Spacing(float(half), float(max(np.log(2.0) / halvings, 1.0)) if halvings else 1.0)


def find_duplicates(
    fitted: Fitted,
    rows: Rows,
    nearest: Nearest,
    spacing: Spacing,
    by_chance: float,
    target: str | None = None,
) -> list[Finding]:
    """Find rows that equal a stored case, or are much closer to one than cases usually are.

    Rows are nearly equal if at most `by_chance` rows are expected to be as close by chance. Test
    rows are leaks; each pair of stored cases is listed once, closest first.
    """
    expected = spacing.expected(nearest.excess, len(rows))
    places = np.flatnonzero((expected <= by_chance) & (nearest.cases >= 0))
    repeated = fitted.index.rows(nearest.cases[places])
    active = fitted.metric_of(rows.columns).active
    found = []
    for place, values in zip(places.tolist(), repeated, strict=True):
        row, case = int(rows.numbers[place]), int(nearest.cases[place])
        if rows.stored and case > row and _mutual(rows.numbers, nearest.cases, case, row):
            continue
        differs = _differing(rows.values[place], values, active)
        if differs and not spacing.excess:
            continue
        names = [fitted.schema.storage[column].name for column in differs]
        details: dict[str, Any] = {
            "twin": case,
            "nearness": float(nearest.excess[place] / spacing.excess) if differs else 0.0,
            "differs_in": names,
            "expected_by_chance": float(expected[place]),
        }
        kind = "duplicate" if rows.stored else "leak"
        score, words = 1.0 - details["nearness"], _describe(fitted, details, target)
        found.append(Finding(kind, row, None, score, words, details))
    return sorted(found, key=lambda one: (one.details["nearness"], one.case))


def _describe(fitted: Fitted, details: dict[str, Any], target: str | None) -> str:
    """Describe a duplicate."""
    case, names = fitted.labels.text(details["twin"]), details["differs_in"]
    if not names:
        return f"equal to case {case}"
    only = " except for the target" if names == [target] else ""
    by_chance = f"{details['expected_by_chance']:.1g} pairs as near expected by chance"
    differ = f"{', '.join(names[:4])} differ" + "s" * (len(names) == 1)
    return f"nearly equal to case {case}{only}: {differ} ({by_chance})"


def _mutual(numbers: Ints, nearest: Ints, case: int, row: int) -> bool:
    """Return whether the other case is checked, too, and its nearest is this one.

    The pair is then listed once.
    """
    place = int(np.searchsorted(numbers, case))
    return place < len(numbers) and bool(numbers[place] == case and nearest[place] == row)


def _differing(one: Floats, other: Floats, columns: Places) -> tuple[int, ...]:
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return tuple(int(i) for i in columns if not same[i])
