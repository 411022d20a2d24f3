"""Powers beyond the range of floats: the nearest cases are right nonetheless."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support
from vicinal.index.ties import search_ties

KINDS = np.zeros(3, dtype=np.uint8)


def metric_of(values, p):
    return Metric(
        kinds=KINDS,
        residuals=np.ones(3),
        periods=np.zeros(3),
        weights=np.array([1.0, 2.0, 1.0]),
        p=p,
        supports=tuple(observed_support(column, nominal=False) for column in values.T),
        distinct=np.zeros(3, dtype=bool),
    )


def naive_distances(values, query, p):
    """Power means with the largest term factored out, by hand."""
    found = []
    for row in values:
        gaps = [abs(float(a - b)) for a, b in zip(row, query, strict=True)]
        terms = [gap + 0.5 * np.exp(-gap) * (3 + gap) for gap in gaps]
        largest = max(terms)
        shares = zip((0.25, 0.5, 0.25), terms, strict=True)
        mean = sum(share * (term / largest) ** p for share, term in shares)
        found.append(largest * mean ** (1 / p))
    return np.array(found)


@pytest.mark.parametrize("index", [ExactIndex, BruteForce])
@pytest.mark.parametrize("p", [50.0, 200.0, 1000.0])
@pytest.mark.parametrize("scale", [1.0, 100.0, 1e5])
def test_nearest_cases_are_right_for_large_powers(index, p, scale):
    rng = np.random.default_rng(0)
    values, queries = rng.normal(size=(60, 3)) * scale, rng.normal(size=(4, 3)) * scale
    found = index(values, KINDS).search(queries, metric_of(values, p), 7)
    for at, query in enumerate(queries):
        expected = naive_distances(values, query, p)
        np.testing.assert_allclose(found.distances[at], np.sort(expected)[:7], rtol=1e-9)
        np.testing.assert_array_equal(found.indices[at], np.argsort(expected)[:7])


def test_large_powers_respect_weights_exclusion_and_missing_values():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(40, 3)) * 1e5
    values[::5, 2] = np.nan
    weights = np.where(np.arange(40) % 7 == 0, 0.0, 1.0)
    weights[3] = 2.0
    metric = metric_of(values, 300.0)
    options = {"exclude": np.arange(5), "required": 2}
    one = ExactIndex(values, KINDS, weights).search(values[:5], metric, 40, **options)
    other = BruteForce(values, KINDS, weights).search(values[:5], metric, 40, **options)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_allclose(one.distances, other.distances, rtol=1e-9)
    assert 3 in one.indices[3]


@given(st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 7.3, 40.0]), st.integers(0, 50))
def test_distances_are_in_the_order_of_their_keys(p, seed):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(50, 3)), 1) * rng.choice([1e-3, 1.0, 20.0])
    for index in (ExactIndex(values, KINDS), BruteForce(values, KINDS)):
        found = index.search(values[:6], metric_of(values, p), 50, with_keys=True)
        assert (np.diff(found.keys, axis=1) >= 0).all()
        assert (np.diff(found.distances, axis=1) >= 0).all()


@pytest.mark.parametrize("index", [ExactIndex, BruteForce])
@pytest.mark.parametrize("p", [3.0, 120.0, 1000.0])
def test_only_equal_distances_tie_for_large_powers(index, p):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(60, 3)) * 10.0 ** rng.integers(0, 6, size=(60, 1))
    values[30:33] = values[29]
    metric = metric_of(values, p)
    found = search_ties(index(values, KINDS), values[:40], metric, 9, exclude=np.arange(40))
    for at, query in enumerate(values[:40]):
        expected = naive_distances(values, query, p)
        expected[at] = np.inf
        tied = expected <= np.sort(expected)[8] * (1 + 1e-12)
        assert found.masses is None or found.masses[at].sum() == tied.sum()
        assert set(found.indices[at][found.indices[at] >= 0]) <= set(np.flatnonzero(tied))


@pytest.mark.parametrize("index", [ExactIndex, BruteForce])
def test_ceilings_hold_where_keys_are_cut_off(index):
    values = np.random.default_rng(3).normal(size=(50, 3)) * np.logspace(0, 6, 50)[:, None]
    metric, cases = metric_of(values, 150.0), index(values, KINDS)
    whole = cases.search(values[:1], metric, 50, with_keys=True)
    assert (np.diff(whole.keys[0]) > 0).all()
    for last in (4, 20, 49):
        some = cases.search(
            values[:1], metric, 50, ceilings=whole.keys[:, last].copy(), with_keys=True
        )
        assert (some.indices[0] >= 0).sum() == last + 1
        np.testing.assert_array_equal(some.indices[0, : last + 1], whole.indices[0, : last + 1])
        np.testing.assert_array_equal(some.keys[0, : last + 1], whole.keys[0, : last + 1])
