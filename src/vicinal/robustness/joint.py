"""What all rivals gain from one change of a row, together.

The kernels of the rivals are bounded against a reference. One by one, each is granted the change
that suits it best. Together, by Hölder's inequality,

    log Σ A_j exp(Σ_i f_ij) ≤ Σ_i s_i log Σ A_j exp(f_ij / s_i)    for Σ A_j = 1 and Σ s_i = 1,

where f_ij is what column i adds for case j. There, all cases share the value of a column, and each
column can be bounded alone. It is exact to first order in f, and better as long as the columns
move kernels by few nats in all.
"""

from __future__ import annotations

import numpy as np

from vicinal.index.kinds import CYCLIC
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.typing import Floats

#: The least share s of a column.
_LEAST = 1e-3
#: Prices of a shared radius that are tried, as parts of the steepest gain.
_PRICES = np.append(0.0, np.geomspace(0.02, 1.0, 12))


def most_together(
    near: Neighborhood,
    logs: Floats,
    shares: Floats,
    bandwidth: float,
    varying: Floats | None = None,
) -> float:
    """Return the most of log Σ exp(log_j + b · (Σ shares · excess − excess_j) + varying_j).

    Parameters
    ----------
    logs : ndarray of shape (n,)
        Logarithms of the weights of cases; −∞ for those that do not count.
    shares : ndarray of shape (n,)
        Shares of the cases that make up the reference; they sum to 1.
    varying : ndarray of shape (columns, grid, n), optional
        What is added at each point of the grid of a column, on lines between these.
    """
    some = np.isfinite(logs)
    if not some.any():
        return -np.inf
    terms = near.terms[:, :, some]
    added = bandwidth * ((near.terms @ shares)[:, :, None] - terms)
    if varying is not None:
        added = added + varying[:, :, some]
    logs = logs[some] + bandwidth * (shares @ near.constant - near.constant[some])
    middles = added[:, near.half]
    named = [bandwidth * ((one @ shares)[:, None] - one[:, some]) for one in near.named]
    logs = logs + middles.sum(axis=0) + sum((one[0] for one in named), np.zeros(len(logs)))
    top = float(logs.max())
    weights = np.exp(logs - top)
    total = float(weights.sum())
    weights = weights / total
    added = added - middles[:, None]
    named = [one - one[0] for one in named]
    if not len(added) and not named:
        return top + float(np.log(total))
    spreads = [_deviations(added, weights), *(_deviations(one[None], weights) for one in named)]
    parts = np.concatenate(spreads)
    parts = np.maximum(parts / max(float(parts.sum()), 1e-300), _LEAST)
    parts = parts / parts.sum()
    logs = logs - top - np.log(total)
    count = len(added)
    smooth = _means(added, logs, parts[:count])
    found = sum(
        float(_means(one[None], logs, parts[count + at : count + at + 1]).max())
        for at, one in enumerate(named)
    )
    slack = bandwidth * near.slack
    bent = (near.metric.kinds[near.columns] != CYCLIC) & (near.metric.p == 1)
    limited = near.limited
    found += float(_crest(smooth, slack, bent)[~limited].sum())
    if limited.any():
        assert near.budget is not None
        found += _shared(near, smooth[limited], slack[limited], bent[limited])
    return top + float(np.log(total)) + found


def _deviations(moves: Floats, weights: Floats) -> Floats:
    """Return the largest standard deviation over the values of each column, (columns,)."""
    variances = moves**2 @ weights - (moves @ weights) ** 2
    return np.sqrt(np.maximum(variances, 0.0).max(axis=1))


def _means(moves: Floats, logs: Floats, parts: Floats) -> Floats:
    """Return s log Σ A exp(f/s) for each value of some columns, (columns, grid)."""
    scaled = moves / parts[:, None, None] + logs
    tops = scaled.max(axis=2)
    scaled -= tops[:, :, None]
    sums = np.exp(scaled, out=scaled).sum(axis=2)
    return parts[:, None] * (tops + np.log(sums))


def _crest(values: Floats, slack: Floats, bent: Floats) -> Floats:
    """Return the highest between points of a grid, for functions of limited curvature."""
    return _between(values[..., :-1], values[..., 1:], slack[:, None], bent[:, None]).max(axis=-1)


def _between(left: Floats, right: Floats, slack: Floats, bent: Floats) -> Floats:
    """Return the highest of a line with a parabola on it, whose top is the slack.

    Where a function is not bent but has edges, the slack is added as it is.
    """
    rise, four = right - left, np.maximum(4 * slack, 1e-100)
    inner = left + (np.clip(rise, -four, four) + four) ** 2 / (4 * four)
    ends = np.maximum(left, right)
    return np.where(bent, np.where(np.abs(rise) < four, inner, ends), ends + slack)


def _shared(near: Neighborhood, values: Floats, slack: Floats, bent: Floats) -> float:
    """Return the most of sums over columns that share a budget; see `budget`."""
    budget, half = near.budget, near.half
    assert budget is not None
    columns, grid = near.columns[near.limited], near.grid[near.limited]
    costs = np.abs(grid - grid[:, [half]]) / budget.units[columns, None]
    free, radius = budget.free[columns], budget.radius * (1 + 1e-9)
    rises = np.abs(np.diff(values, axis=1)) + 4 * slack[:, None]
    steep = float((rises / np.maximum(np.abs(np.diff(costs, axis=1)), 1e-300)).max(initial=0.0))
    prices = steep * (1 + 1e-6) * _PRICES[:, None]
    net = np.maximum(_crest(values - prices[:, :, None] * costs, slack, bent), 0.0)
    return float(((net + free * prices).sum(axis=1) + prices[:, 0] * radius).min())
