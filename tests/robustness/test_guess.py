"""What bounds of centered influences are made of, against all that may happen."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from vicinal.robustness.budget import Budget
from vicinal.robustness.entrants import followed
from vicinal.robustness.guess import curved, extremes, longest_square


@dataclass
class Budgeted:
    """As much of a neighborhood as sums over columns need."""

    grid: np.ndarray
    budget: object = None

    @property
    def columns(self):
        return np.arange(len(self.grid))

    @property
    def half(self):
        return self.grid.shape[1] // 2

    @property
    def limited(self):
        return np.full(len(self.grid), self.budget is not None)


def grids(norm, rng, columns=3, most=1.0):
    """A neighborhood, and what the points of its grid add: nothing in the middle."""
    near = Budgeted(np.linspace(-0.6, 0.6, 5) * np.ones((columns, 1)))
    if norm == "sum":
        none = np.zeros(columns)
        near.budget = Budget(0.6 / most, np.ones(columns), none, np.arange(columns), most)
    moves = rng.normal(size=(columns, 5, 4))
    moves[:, near.half] = 0.0
    return near, moves


def all_sums(near, moves, radius):
    """Sums for all rows on a finer grid, between whose points there are lines."""
    fine = np.linspace(-0.6, 0.6, 9)
    lines = np.array(
        [[np.interp(fine, near.grid[i], one) for one in moves[i].T] for i in range(len(moves))]
    )
    for chosen in product(range(len(fine)), repeat=len(moves)):
        if np.abs(fine[list(chosen)]).sum() > radius + 1e-12:
            continue
        yield sum(lines[i, :, at] for i, at in enumerate(chosen))


@pytest.mark.parametrize(
    ("norm", "most"), [("max", 1.0), ("sum", 1.0), ("sum", 0.8), ("sum", 0.5)]
)
def test_no_row_goes_beyond_the_bounds_of_sums_and_of_squares(norm, most):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        near, moves = grids(norm, rng, most=most)
        start = rng.normal(size=4)
        radius = np.inf if near.budget is None else near.budget.radius
        every = np.array(list(all_sums(near, moves, radius)))
        high, low = extremes(near, moves)
        assert (every.max(axis=0) <= high + 1e-9).all()
        assert (every.min(axis=0) >= low - 1e-9).all()
        squares = ((start + every) ** 2).sum(axis=1)
        assert squares.max() <= longest_square(near, start, moves) + 1e-9


def test_where_costs_add_up_squares_are_smaller():
    near, moves = grids("sum", np.random.default_rng(0))
    alone = Budgeted(near.grid)
    start = np.zeros(4)
    assert longest_square(near, start, moves) < 0.8 * longest_square(alone, start, moves)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 1.0])
def test_the_largest_curvature_is_at_one_of_the_ends(part):
    own, logs = np.ones(400), np.zeros(400)
    lowest = -0.98 / part if part > 0.2 else -4.0
    for low, high in ((lowest, 0.5), (lowest / 3, 3.0), (-0.01, 0.02)):
        q = np.linspace(low, high, 400)
        inside = curved(q, np.full(400, part), own, logs)
        ends = max(*inside[[0, -1]], (1 - part) ** 2 / 2)
        assert inside.max() <= ends + 1e-9


def divergence(p, q):
    return float(np.sum(p * np.log(p / q)))


def test_shares_that_follow_cases_stay_as_close_as_they_say():
    """Whichever cases enter, shares sum to 1, and the gap is no larger than the bound."""
    rng = np.random.default_rng(3)
    ridge = 0.5
    z = rng.normal(size=(14, 2))
    certain = np.arange(14) < 10
    logs = rng.normal(size=14) - np.where(certain, 0.0, 3.0)
    logs = logs - np.log(np.exp(logs[certain]).sum())
    own = np.where(certain, np.exp(logs), 0.0)
    apart = z - own @ z
    q = rng.uniform(-0.2, 0.2, 14)
    q = q - own @ q
    p = own * (1 + q)
    lean = -(p @ z) / ridge  # so that nothing is left of |Σ P z + ρλ|
    gap = float(own @ ((1 + q) * (np.log1p(q) - q) + np.expm1(q) - q))
    found = followed(gap, own, np.ones(14), q, q, logs, apart, ~certain, 2, ridge)
    assert found is not None
    for some in ((), (0,), (3,), (0, 1), (1, 3), (2, 3)):
        shares = p + sum((found.pulls[at] for at in some), np.zeros(14))
        there = certain | np.isin(np.arange(14), found.cases[list(some)])
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        kernels = np.where(there, np.exp(logs + q), 0.0)
        kernels = kernels / kernels.sum()
        rest = shares @ z + ridge * lean
        true = divergence(shares[there], kernels[there]) + float(rest @ rest) / (2 * ridge)
        assert true <= found.most + 1e-9
        values = rng.normal(size=14)
        moved = (shares - p) @ values
        assert found.own_mean(values - float(own @ values)) <= moved + 1e-9


def test_where_no_column_takes_all_of_the_radius_squares_are_smaller():
    rng = np.random.default_rng(1)
    near, moves = grids("sum", rng, columns=5, most=0.5)
    wide = Budgeted(2 * near.grid, replace(near.budget, most=1.0))
    start = np.zeros(4)
    assert longest_square(near, start, moves) < 0.8 * longest_square(wide, start, 2 * moves)
    assert (extremes(near, moves)[0] <= extremes(wide, 2 * moves)[0] + 1e-9).all()
