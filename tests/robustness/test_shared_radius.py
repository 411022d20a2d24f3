"""Sums whose parts share one radius: never more than the bound, against all combinations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import robustness as twin
from tests.robustness.attacking import rows_within
from vicinal.derived.additive import AdditiveScores
from vicinal.derived.bins import ALL, Bins
from vicinal.robustness.perturbation import Perturbation
from vicinal.robustness.shared_radius import most_of_sum
from vicinal.robustness.sum_ranges import sum_range


def flat(options):
    values, costs = np.concatenate([np.array(one).T for one in options], axis=1)
    return values, costs, np.cumsum([0, *map(len, options)])[:-1]


@given(
    parts=st.lists(
        st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 2)), min_size=0, max_size=4),
        min_size=1,
        max_size=4,
    ),
    own=st.floats(-1, 1),
    radius=st.sampled_from([0.0, 0.3, 1.0, 5.0]),
)
@settings(max_examples=60)
def test_no_combination_exceeds_the_bound(parts, own, radius):
    options = [[(own, 0.0), *one] for one in parts]
    bound = most_of_sum(*flat(options), radius)
    assert bound >= twin.most_of_sum(options, radius) - 1e-12
    assert bound <= sum(max(value for value, _ in one) for one in options) + 1e-6


def test_a_radius_is_spent_once_and_best():
    steep, flat_one = [(0.0, 0.0), (3.0, 1.0)], [(0.0, 0.0), (1.0, 1.0)]
    for radius, most in ((0.5, 1.5), (1.0, 3.0), (1.5, 3.5), (2.0, 4.0), (9.0, 4.0)):
        found = most_of_sum(*flat([flat_one, steep, flat_one[:1]]), radius)
        assert found == pytest.approx(most, rel=1e-3)


def scores_of_bins(rng, width=2):
    """Scores with points by bin for two numbers and a category, and a slope for each number."""
    values = np.column_stack([rng.normal(size=(80, 2)) * [1.0, 3.0], rng.integers(0, 3, 80)])
    nominal = np.array([False, False, True])
    bins = Bins.of(values, np.arange(3), nominal, np.ones(80), most=7)
    slopes = rng.normal(size=(2, 3, width)) * ~nominal[:, None]
    spread = np.array([1.0, 3.0, 1.0])
    tables = rng.normal(size=(2, 3, ALL, width))
    return AdditiveScores(bins, tables, slopes, np.zeros(3), spread), values


@pytest.mark.parametrize("radius", [0.05, 0.6, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_changed_row_leaves_the_range_of_a_sum(seed, radius):
    rng = np.random.default_rng(seed)
    scores, values = scores_of_bins(rng)
    row = values[rng.integers(80)]
    nominal, units = np.array([False, False, True]), np.array([0.7, 1.5, 0.0])
    changes = Perturbation(row, units, nominal, np.zeros(3), "sum")
    low, high = sum_range(scores, changes.box(radius), [0, 1], changes, radius)
    rows = rows_within(changes, radius, values, rng, 400)
    # At the edges of bins, too.
    edges = np.concatenate([scores.bins.edges_of(place) for place in range(2)])
    for column in range(2):
        near = np.repeat(row[None], 2 * len(edges), axis=0)
        near[:, column] = [np.nextafter(edge, way) for edge in edges for way in (-99, 99)]
        rows = np.concatenate([rows, near[changes.costs(near) <= radius]])
    found = scores.values(rows, np.full(len(rows), -1))
    assert (found >= low - 1e-9).all()
    assert (found <= high + 1e-9).all()


def test_points_by_bin_share_the_radius():
    rng = np.random.default_rng(5)
    scores, _ = scores_of_bins(rng, width=1)
    scores = AdditiveScores(
        scores.bins, scores.tables, 0 * scores.slopes, scores.centers, scores.scales
    )
    row = np.array([0.1, -0.2, 1.0])
    changes = Perturbation(
        row, np.array([1.0, 3.0, 0.0]), np.array([False, False, True]), np.zeros(3), "sum"
    )
    tables = scores.tables.mean(axis=0)[:2, :7, 0]
    code = int(scores.bins.codes(row[None])[0, 2])
    fixed = scores.tables.mean(axis=0)[2, code, 0]
    edges = [scores.bins.edges_of(place) for place in range(2)]
    costs = [
        np.maximum(np.maximum(np.append(-np.inf, cut) - x, x - np.append(cut, np.inf)), 0) / unit
        for cut, x, unit in zip(edges, row, (1.0, 3.0), strict=False)
    ]
    for radius in (0.3, 0.8, 1.5):
        _, high = sum_range(scores, changes.box(radius), [0, 1], changes, radius)
        exact = fixed + twin.most_of_tables(tables, costs, radius)
        apart = fixed + sum(
            max(value for value, cost in zip(table, cost_of, strict=True) if cost <= radius)
            for table, cost_of in zip(tables.tolist(), costs, strict=True)
        )
        assert exact - 1e-9 <= high[0] <= apart + 1e-6


def test_columns_that_pay_nothing_add_all_they_can():
    rng = np.random.default_rng(1)
    scores, values = scores_of_bins(rng)
    changes = Perturbation(
        values[3],
        np.array([1.0, 1.0, 0.0]),
        np.array([False, False, True]),
        np.zeros(3),
        "sum",
        unpaid=np.array([True, False, False]),
    )
    box = changes.box(1.0)
    low, high = sum_range(scores, box, [0], changes, 1.0)
    rows = np.repeat(values[3][None], 200, axis=0)
    rows[:, 0] = rng.uniform(box.lower[0], box.upper[0], 200)
    rows[:, 1] = rng.uniform(box.lower[1], box.upper[1], 200)
    found = scores.values(rows, np.zeros(200, dtype=np.int64))
    assert (found >= low - 1e-9).all()
    assert (found <= high + 1e-9).all()
