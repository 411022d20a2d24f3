"""Convex functions of sums over columns are largest at the corners."""

import numpy as np
import pytest

from tests.robustness.test_guess import all_sums, grids
from vicinal.robustness.crests import corners
from vicinal.robustness.guess import convex_gap, without_total


@pytest.mark.parametrize(
    ("norm", "most"), [("max", 1.0), ("sum", 1.0), ("sum", 0.8), ("sum", 0.5)]
)
def test_no_row_is_beyond_the_corners(norm, most):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        near, moves = grids(norm, rng, most=most)
        start = rng.normal(size=4)
        radius = np.inf if near.budget is None else near.budget.radius
        every = np.array(list(all_sums(near, moves, radius)))
        found = corners(near, start, moves)
        for _ in range(20):
            sizes, middle = rng.exponential(size=4), rng.normal(size=4)
            convex = lambda sums: np.exp((sums - middle) @ sizes) + (sums - middle) ** 4 @ sizes  # noqa: B023, E731
            assert convex(start + every).max() <= convex(found).max() * (1 + 1e-9)


def test_columns_that_do_not_share_the_radius_are_at_all_their_points():
    near, moves = grids("max", np.random.default_rng(0))
    assert len(corners(near, np.zeros(4), moves)) == 5**3


def test_too_many_corners_are_not_looked_at():
    near, moves = grids("max", np.random.default_rng(0), columns=8)
    assert corners(near, np.zeros(4), moves) is None


@pytest.mark.parametrize("part", [0.0, 0.4, 1.0])
def test_what_a_case_adds_to_the_gap_is_convex_if_it_follows_as_a_whole_or_rises(part):
    lowest = -1.5 if part == 1 else 0.0
    q = np.linspace(lowest, 4.0, 801)
    found = convex_gap(q, np.full(len(q), part))
    assert (np.diff(found, 2) >= -1e-12).all()
    kept = 1 + part * q
    inside = kept > 0.02
    true = (kept * (np.log(np.where(inside, kept, 1.0)) - q) + np.expm1(q) - part * q)[inside]
    assert found[inside] == pytest.approx(true)


def test_the_gap_is_less_by_what_the_logarithm_of_the_kernels_is_below_its_tangent():
    rng = np.random.default_rng(0)
    for size in (0.1, 0.5, 0.9, 2.0):
        own = rng.dirichlet(np.ones(30))
        q = np.clip(size * rng.normal(size=30), -0.95, 2 * size)
        for _ in range(20):  # what is left of a mean is taken from all
            q = np.clip(q - own @ q, -0.95, 2 * size)
        each = convex_gap(q, np.ones(30))
        sums = float(np.expm1(q) @ own - q @ own)
        true = float(own @ each) - (sums - np.log1p(sums))
        most = without_total(1.2 * float(own @ each), np.array([q.min(), q.max()]))
        assert true <= most + 1e-12
        assert most <= 1.2 * float(own @ each)
    assert without_total(0.05, np.array([-0.5, 0.5])) < 0.03
