"""Elo ratings of methods from their errors on tables, as TabArena makes them.

On every table each method meets every other; the lower error wins, equal errors are half a
win for both. The ratings maximize the likelihood of these results under the Bradley-Terry
model, in which a method that is rated 400 points higher wins 10 times out of 11. They are
shifted so that one method, the anchor, has 1000. The interval is of a bootstrap of the tables.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

ANCHOR, ANCHOR_RATING = "RF (default)", 1000.0
POINTS = 400 / np.log(10)
ROUNDS = 200
#: A method that always wins has no finite maximum; so small a penalty moves no other rating.
PENALTY = 1e-6
MOST_STEPS, LONGEST_STEP = 200, 2.0


def elo(
    errors: pd.DataFrame, *, anchor: str = ANCHOR, rounds: int = ROUNDS, seed: int = 0
) -> pd.DataFrame:
    """Rating, 95 % interval and share of wins of each method, the best first.

    Parameters
    ----------
    errors
        A row for each table, a column for each method, no missing values.
    anchor
        The method that gets 1000.
    rounds
        Bootstrap samples of the tables.
    seed
        Random seed of the bootstrap.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"a": [1.0] * 11, "b": [2.0] * 10 + [0.0]})
    >>> print(elo(errors, anchor="b", rounds=0)["elo"].round())
    a    1400.0
    b    1000.0
    Name: elo, dtype: float64
    """
    if errors.isna().to_numpy().any():
        raise ValueError("some errors are missing; Elo ratings need all methods on all tables")
    won = _wins(errors.to_numpy())
    at = errors.columns.get_loc(anchor)
    rng = np.random.default_rng(seed)
    n_tables = len(errors)
    samples = [
        _ratings(won[rng.integers(n_tables, size=n_tables)].sum(axis=0), at) for _ in range(rounds)
    ]
    low, high = np.quantile(samples, [0.025, 0.975], axis=0) if samples else (np.nan, np.nan)
    total = won.sum(axis=0)
    table = pd.DataFrame(
        {
            "elo": _ratings(total, at),
            "low": low,
            "high": high,
            "wins": total.sum(axis=1) / (n_tables * max(len(total) - 1, 1)),
        },
        index=errors.columns,
    )
    return table.sort_values("elo", ascending=False)


def _wins(errors: np.ndarray) -> np.ndarray:
    """By table, method and other method: 1 for a lower error, 0.5 for an equal one."""
    mine, theirs = errors[:, :, None], errors[:, None, :]
    won = (mine < theirs) + 0.5 * (mine == theirs)
    won[:, np.arange(errors.shape[1]), np.arange(errors.shape[1])] = 0
    return won


def _ratings(won: np.ndarray, anchor: int) -> np.ndarray:
    """Bradley-Terry strengths of a matrix of wins, on the scale of Elo, by Newton's method."""
    met, total = won + won.T, won.sum(axis=1)
    strength = np.zeros(len(won))
    for _ in range(MOST_STEPS):
        chance = expit(strength[:, None] - strength[None, :])
        slope = total - (met * chance).sum(axis=1) - 2 * PENALTY * strength
        spread = met * chance * chance.T
        curvature = np.diag(spread.sum(axis=1) + 2 * PENALTY) - spread
        step = np.linalg.solve(curvature, slope)
        # A longer step could leave the region where the curvature means anything.
        strength += step / max(1, np.abs(step).max() / LONGEST_STEP)
        if np.abs(step).max() < 1e-9:
            break
    return ANCHOR_RATING + POINTS * (strength - strength[anchor])
