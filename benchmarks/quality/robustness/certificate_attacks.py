"""Attacks on certified rows: within a radius, and by adversarial-robustness-toolbox."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from vicinal.robustness.perturbation import Perturbation


def rows_within(
    changes: Perturbation, radius: float, cases: Any, rng: np.random.Generator, count: int
) -> Any:
    """Rows within a radius: corners of the box, inner points, sparse steps, ways to cases.

    Where numbers change by whole steps, rows from farther away are rounded, too.
    """
    if changes.domains:
        farther = [rows_anywhere(changes, radius * more, cases, rng, count) for more in (1, 2, 4)]
        rows = on_steps(changes, np.concatenate(farther))
    else:
        rows = rows_anywhere(changes, radius, cases, rng, count)
    return rows[changes.costs(rows) <= radius * (1 + 1e-12)]


def on_steps(changes: Perturbation, rows: Any) -> Any:
    """The same rows, numbers that change by whole steps on these and within natural bounds."""
    rows = rows.copy()
    for column, domain in changes.domains.items():
        values = domain.bounded(domain.stepped(rows[:, column]))
        rows[:, column] = np.where(rows[:, column] != changes.row[column], values, rows[:, column])
    return rows


def rows_anywhere(
    changes: Perturbation, radius: float, cases: Any, rng: np.random.Generator, count: int
) -> Any:
    """Rows within a radius that may have any values."""
    numbers = np.flatnonzero((changes.units > 0) & ~changes.nominal)
    size = (count, len(numbers))
    corners = rng.choice([-1.0, 1.0], size)
    chosen = cases[rng.integers(len(cases), size=count)][:, numbers] - changes.row[numbers]
    toward = np.clip(np.nan_to_num(chosen / changes.units[numbers] / radius), -1, 1)
    kinds = [corners, rng.uniform(-1, 1, size), corners * (rng.random(size) < 0.3), toward]
    ways = np.stack(kinds)[np.arange(count) % len(kinds), np.arange(count)]
    if changes.norm == "sum":
        ways = ways / np.maximum(np.abs(ways).sum(axis=1, keepdims=True), 1.0)
    rows = np.repeat(changes.row[None], count, axis=0)
    rows[:, numbers] += radius * ways * changes.units[numbers]
    around = changes.periods > 0
    rows[:, around] = np.mod(rows[:, around], changes.periods[around])
    return rows


def art_rows(
    predict: Callable[[Any], Any],
    changes: Perturbation,
    own: float,
    rng: np.random.Generator,
) -> Any:
    """Rows that the attacks of adversarial-robustness-toolbox end at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about libraries of neural networks
        from art.attacks.evasion import BoundaryAttack, HopSkipJump
        from art.estimators.classification import BlackBoxClassifier

    numbers = np.flatnonzero((changes.units > 0) & ~changes.nominal)
    if not len(numbers):
        return changes.row[None][:0]

    def rows_of(points: Any) -> Any:
        rows = np.repeat(changes.row[None], len(points), axis=0)
        rows[:, numbers] += np.asarray(points, dtype=np.float64) * changes.units[numbers]
        around = changes.periods > 0
        rows[:, around] = np.mod(rows[:, around], changes.periods[around])
        return rows

    def scores(points: Any) -> Any:
        differs = predict(rows_of(points)) != own
        return np.stack([~differs, differs], axis=1).astype(np.float32)

    box = BlackBoxClassifier(scores, (len(numbers),), 2, clip_values=(-30.0, 30.0))
    start = np.zeros((1, len(numbers)), dtype=np.float32)
    np.random.seed(int(rng.integers(1 << 31)))  # noqa: NPY002 - the toolbox draws from it
    attacks = [
        HopSkipJump(box, norm=np.inf, max_iter=5, max_eval=200, init_eval=20, verbose=False),
        BoundaryAttack(box, targeted=False, max_iter=50, verbose=False),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [rows_of(attack.generate(start)) for attack in attacks]
    return np.concatenate(found)
