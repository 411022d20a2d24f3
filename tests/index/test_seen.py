"""Views of shared columns answer as an index of their columns alone, to the last bit."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from tests.strategies import make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.seen import SharedColumns
from vicinal.index.shares import balanced_shares
from vicinal.index.terms import case_excess, case_offsets, case_terms
from vicinal.index.ties import search_ties

#: Three columns that are shared, and three versions of two others.
KINDS = np.array([0, 2, 1, *[0] * 6], dtype=np.uint8)
PERIODS = [0.0, 0.0, 7.0, 0.0, 0.0]


def rows(seed, count):
    rng = np.random.default_rng(seed)
    # Few distinct values, so that there are ties; and some that are missing.
    values = rng.integers(0, 5, size=(count, 9)) / 2
    values[:, 1] = np.floor(values[:, 1])
    values[rng.random(values.shape) < 0.05] = np.nan
    values[:, 4::2] += rng.normal(size=(count, 3))
    return values


CASES = rows(0, 150)
WEIGHTS = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 3.0], size=150)


def both(version, weights):
    """Return a view, and an index of the same columns."""
    view = SharedColumns(ExactIndex(CASES, KINDS, weights), 3, 3).views()[version]
    own = [0, 1, 2, 3 + 2 * version, 4 + 2 * version]
    return view, ExactIndex(CASES[:, own], KINDS[own], weights), rows(1, 20)[:, own]


@pytest.mark.parametrize("version", range(3))
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
def test_a_search_finds_the_same(version, weights, p):
    view, alone, queries = both(version, weights)
    metric = make_metric(
        alone.rows(np.arange(150)),
        alone.kinds,
        [0.5, 1.0, 0.7, 0.3, 0.2],
        weights=np.array([1.0, 0.5, 0.0, 2.0, 0.7]),
        periods=PERIODS,
        p=p,
    )
    how = {"exclude": np.arange(20), "required": 4, "with_keys": True, "with_values": True}
    seen, apart = (index.search(queries, metric, 7, **how) for index in (view, alone))
    for one, other in zip(seen, apart, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(view.rows(np.arange(150)), alone.rows(np.arange(150)))


@pytest.mark.parametrize("version", range(3))
def test_ties_terms_and_shares_are_the_same(version):
    view, alone, queries = both(version, WEIGHTS)
    values = alone.rows(np.arange(150))
    weights = np.array([1.0, 0.5, 0.3, 2.0, 0.0])
    metric = make_metric(values, alone.kinds, 0.5, weights=weights, periods=PERIODS)
    near = [search_ties(one, queries, metric, 9, outcome=1) for one in (view, alone)]
    for name in ("indices", "distances", "keys", "masses"):
        np.testing.assert_array_equal(*(getattr(one, name) for one in near))
    found = near[0].indices
    for question in (case_terms, case_excess, case_offsets):
        seen, own = (question(one, queries, found, metric) for one in (view, alone))
        np.testing.assert_array_equal(seen, own)
    excess = np.where(found >= 0, near[0].distances, np.inf)
    rules = [("centered", 0.5, 0.1), ("linear", 1.0, 1.0)]
    shares = [
        balanced_shares(one, queries, found, metric, excess, None, rules) for one in (view, alone)
    ]
    np.testing.assert_array_equal(*shares)


def test_views_are_freed_without_looking_for_circles():
    gc.disable()
    try:
        views = SharedColumns(ExactIndex(CASES, KINDS), 3, 3).views()
        index = weakref.ref(views[0].index)
        del views
        assert index() is None
    finally:
        gc.enable()
