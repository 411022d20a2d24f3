"""Frozen questions for the counterfactual benchmark: rows, wished classes and constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.datasets import Dataset
from benchmarks.quality.splits import split

#: Whole numbers of so few values are read as categories.
FEW_VALUES = 6
#: How often a feature is immutable; and how often another one has each other constraint.
IMMUTABLE, CONSTRAINED = 0.2, 0.15


@dataclass(frozen=True)
class Problem:
    """A data set: training rows, rows to ask about, and which columns are numbers."""

    name: str
    train: pd.DataFrame
    outcomes: np.ndarray
    asked: pd.DataFrame
    numbers: list[str]


@dataclass(frozen=True)
class Question:
    """What to change in a row, and what may not change."""

    number: int
    row: pd.DataFrame
    wanted: int
    immutable: list[str] = field(default_factory=list)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)
    allowed: dict[str, list[str]] = field(default_factory=dict)

    def broken(self, changed: dict[str, Any]) -> list[str]:
        """The features of a changed row that break a constraint."""
        own = self.row.iloc[0]
        broken = [name for name in self.immutable if not _same(own[name], changed[name])]
        for name, (low, high) in self.ranges.items():
            broken += [name] * (not low <= float(changed[name]) <= high)
        for name, word in self.directions.items():
            gap = float(changed[name]) - float(own[name])
            broken += [name] * (gap < 0 if word == "increase" else gap > 0)
        broken += [name for name, known in self.allowed.items() if changed[name] not in known]
        return broken

    def changed(self, row: dict[str, Any]) -> list[str]:
        """The features that differ from the row asked about."""
        own = self.row.iloc[0]
        return [name for name in self.row if not _same(own[name], row[name])]


def prepare(dataset: Dataset, *, max_rows: int, seed: int) -> Problem:
    """Seeded training rows and rows to ask about; categories become words, numbers floats."""
    table, target = dataset.load()
    codes = np.unique(target, return_inverse=True)[1].ravel()
    train, test = split(codes, "classification", seed)
    train = train[np.sort(np.random.default_rng(seed).permutation(len(train))[:max_rows])]
    numbers = [name for name in table if not _is_nominal(table[name])]
    for name in table:
        if name in numbers:
            table[name] = table[name].astype(float)
        else:
            # Words, so that no library takes codes for numbers; gaps stay gaps.
            table[name] = table[name].map(_word, na_action="ignore").astype(object)
    kept = np.unique(codes[train], return_inverse=True)[1].ravel()
    return Problem(
        dataset.name,
        table.iloc[train].reset_index(drop=True),
        kept,
        table.iloc[test].reset_index(drop=True),
        numbers,
    )


def questions(
    problem: Problem, predicted: np.ndarray, *, count: int, seed: int
) -> Iterator[Question]:
    """So many seeded questions; every constraint lets the row stay as it is.

    Rows come from the test split, one after the other, and again from the first where there are
    fewer than questions. The wished class is any but the predicted one.
    """
    rng = np.random.default_rng(seed)
    classes = np.unique(problem.outcomes)
    for number in range(count):
        at = number % len(problem.asked)
        row = problem.asked.iloc[[at]].reset_index(drop=True)
        wanted = int(rng.choice(classes[classes != predicted[at]]))
        yield _constrained(problem, number, row, wanted, rng)


def _constrained(
    problem: Problem, number: int, row: pd.DataFrame, wanted: int, rng: np.random.Generator
) -> Question:
    question = Question(number, row, wanted)
    for name in row:
        value, known = row[name].iat[0], problem.train[name].dropna()
        fixed, other, way = rng.random(3)
        ends = np.sort(rng.random(2))
        some = rng.random(known.nunique()) < 0.5
        if fixed < IMMUTABLE:
            question.immutable.append(name)
        elif other >= 2 * CONSTRAINED or pd.isna(value):
            continue
        elif name not in problem.numbers:
            if other < CONSTRAINED:
                words = np.array(sorted(known.unique()), dtype=object)
                question.allowed[name] = sorted({value, *words[some].tolist()})
        elif other < CONSTRAINED:
            low, high = np.quantile(known, ends)
            question.ranges[name] = (float(min(low, value)), float(max(high, value)))
        else:
            question.directions[name] = "increase" if way < 0.5 else "decrease"
    if len(question.immutable) == row.shape[1]:
        question.immutable.pop()
    return question


def _is_nominal(column: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(column):
        return True
    known = column.dropna()
    return known.nunique() <= FEW_VALUES and bool((known == known.round()).all())


def _word(value: object) -> str:
    return f"c{value:g}" if isinstance(value, int | float | np.number) else str(value)


def _same(one: object, other: object) -> bool:
    if pd.isna(one) or pd.isna(other):
        return bool(pd.isna(one) and pd.isna(other))
    return one == other
