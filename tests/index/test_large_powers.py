"""Powers beyond the range of floats: the nearest cases are right nonetheless."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support

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
