"""Changed rows within a radius, of all kinds that an attacker may think of."""

from __future__ import annotations

import numpy as np

from vicinal.robustness.perturbation import Perturbation


def rows_within(changes: Perturbation, radius: float, cases, rng, count=60):
    """Rows that cost no more than the radius: corners, mixtures, steps toward cases."""
    numbers = np.flatnonzero((changes.units > 0) & ~changes.nominal)
    named = np.flatnonzero((changes.units > 0) & changes.nominal)
    ways = np.zeros((count, len(changes.row)))
    for at in range(count):
        kind = at % 4
        if kind == 0:
            ways[at, numbers] = rng.choice([-1.0, 1.0], len(numbers))
        elif kind == 1:
            ways[at, numbers] = rng.uniform(-1, 1, len(numbers))
        elif kind == 2:
            ways[at, numbers] = rng.choice([-1.0, 0.0, 0.0, 1.0], len(numbers))
        else:
            case = cases[rng.integers(len(cases))]
            gap = (case - changes.row)[numbers] / changes.units[numbers]
            ways[at, numbers] = np.clip(np.nan_to_num(gap) / max(radius, 1e-12), -1, 1)
    if changes.norm == "sum":
        ways /= np.maximum(np.abs(ways).sum(axis=1, keepdims=True), 1.0)
    rows = np.repeat(changes.row[None], count, axis=0)
    rows[:, numbers] += radius * ways[:, numbers] * changes.units[numbers]
    around = changes.periods > 0
    rows[:, around] = np.mod(rows[:, around], changes.periods[around])
    if changes.norm == "max":
        for column in named:
            if radius * changes.units[column] >= 1:
                codes = np.unique(cases[~np.isnan(cases[:, column]), column])
                other = rng.random(count) < 0.5
                rows[other, column] = rng.choice(codes, other.sum())
    # Equal to a case in some columns, which numbers that are read as categories notice.
    for at in range(3, count, 8):
        case = cases[rng.integers(len(cases))]
        near = np.abs(case - changes.row) <= radius * changes.units
        near &= ~changes.nominal & (changes.units > 0)
        if changes.norm == "max":
            rows[at, near] = case[near]
    return rows[changes.costs(rows) <= radius * (1 + 1e-12)]


def on_steps(rows, changes: Perturbation, fitted):
    """The same rows with every changed number on its grid and within its natural bounds."""
    rows = rows.copy()
    for column in np.flatnonzero((changes.units > 0) & ~changes.nominal & (changes.periods == 0)):
        domain = fitted.domain(int(column))
        changed = rows[:, column] != changes.row[column]
        values = domain.bounded(domain.stepped(rows[:, column]))
        rows[:, column] = np.where(changed, values, rows[:, column])
    return rows
