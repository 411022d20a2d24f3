"""Attacks on any classifier that know nothing but its predictions.

Points are in standard deviations of the training columns, and a change costs its largest one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Predict = Callable[[Floats], NDArray[np.int64]]

STARTS = 20
HALVINGS = 8
ROUNDS = 2


def minimum_norm(
    predict: Predict, rows: Floats, train: Floats, labels: NDArray[np.int64], seed: int
) -> tuple[Floats, Floats]:
    """The smallest change found for each row, and its cost; infinite where none was found.

    It walks toward the nearest training rows of other classes, every coordinate at most as far
    as the radius, and halves the radius as long as the prediction is another one. Then it mixes
    the signs of the best way with those of others.
    """
    own, rng = predict(rows), np.random.default_rng(seed)
    ways = np.stack(
        [_ways(row, train[labels != label]) for row, label in zip(rows, own, strict=True)]
    )
    changes, costs = _shrunk(predict, rows, own, ways, np.abs(ways).max(axis=2))
    for _ in range(ROUNDS):
        radius = np.where(np.isfinite(costs), costs, 0.0)
        signs = np.where(rng.random(ways.shape) < 0.7, np.sign(changes)[:, None, :], np.sign(ways))
        starts = np.repeat(radius[:, None], STARTS, axis=1)
        others, lower = _shrunk(predict, rows, own, signs * radius[:, None, None], starts)
        improved = lower < costs
        changes = np.where(improved[:, None], others, changes)
        costs = np.where(improved, lower, costs)
    return changes, costs


def hop_skip_jump(predict: Predict, rows: Floats, n_classes: int, seed: int) -> Floats:
    """The same by HopSkipJump of adversarial-robustness-toolbox."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about libraries of neural networks
        from art.attacks.evasion import HopSkipJump
        from art.estimators.classification import BlackBoxClassifier

    def scores(points: Floats) -> NDArray[np.float32]:
        return np.eye(n_classes, dtype=np.float32)[predict(np.asarray(points, dtype=np.float64))]

    own = predict(rows)
    widest = float(np.abs(rows).max()) + 1.0
    box = BlackBoxClassifier(scores, (rows.shape[1],), n_classes, clip_values=(-widest, widest))
    np.random.seed(seed)  # noqa: NPY002 - the toolbox draws from it
    attack = HopSkipJump(
        box, norm=np.inf, max_iter=5, max_eval=100, init_eval=20, init_size=50, verbose=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.asarray(attack.generate(rows.astype(np.float32)), dtype=np.float64)
    flipped = predict(found) != own
    return np.where(flipped, np.abs(found - rows).max(axis=1), np.inf)


def _ways(row: Floats, others: Floats) -> Floats:
    """Ways to the nearest rows of other classes, repeated where there are few."""
    if not len(others):
        return np.zeros((STARTS, len(row)))
    order = np.argsort(np.abs(others - row).max(axis=1), kind="stable")
    return others[np.resize(order[:STARTS], STARTS)] - row


def _shrunk(
    predict: Predict, rows: Floats, own: NDArray[np.int64], ways: Floats, radius: Floats
) -> tuple[Floats, Floats]:
    """The smallest radius at which a clipped way still flips: the change there, and its cost."""
    low, high = np.zeros(radius.shape), radius
    flips = _flips(predict, rows, own, ways, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        still = _flips(predict, rows, own, ways, middle) & flips
        high, low = np.where(still, middle, high), np.where(still, low, middle)
    costs = np.where(flips, high, np.inf)
    at, best = np.arange(len(rows)), costs.argmin(axis=1)
    limits = high[at, best][:, None]
    return np.clip(ways[at, best], -limits, limits), costs[at, best]


def _flips(
    predict: Predict, rows: Floats, own: NDArray[np.int64], ways: Floats, radius: Floats
) -> NDArray[np.bool_]:
    moved = rows[:, None, :] + np.clip(ways, -radius[..., None], radius[..., None])
    answers = predict(moved.reshape(-1, rows.shape[1])).reshape(radius.shape)
    return answers != own[:, None]
