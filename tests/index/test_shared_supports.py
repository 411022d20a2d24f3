"""Metrics of the same features share what is known of their distributions."""

from __future__ import annotations

import gc
import pickle

import numpy as np

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.shared_supports import SharedSupports


def drawn():
    rng = np.random.default_rng(0)
    cases = np.column_stack([rng.normal(size=6000), rng.integers(0, 5500, size=6000)])
    cases[::9, 0] = np.nan
    cases[::7, 1] = np.nan
    return cases, make_metric(cases, [NUMERIC, NOMINAL], 0.5)


def test_metrics_that_differ_in_weights_share_them_whichever_is_asked_first():
    _, metric = drawn()
    light = metric.with_weights(np.array([1.0, 0.2]))
    assert light.shared_supports is metric.shared_supports
    assert metric.restricted(np.array([1])).shared_supports is metric.shared_supports
    assert pickle.loads(pickle.dumps(light)).shared_supports is not light.shared_supports


def test_those_of_no_metric_are_forgotten():
    _, metric = drawn()
    key = tuple(map(id, metric.supports))
    assert metric.shared_supports is SharedSupports._known[key]
    del metric
    gc.collect()
    assert key not in SharedSupports._known


def test_missing_values_are_compared_by_distributions_of_any_length():
    cases, metric = drawn()
    index = ExactIndex(cases, metric.kinds)
    queries = np.array([[np.nan, 3.0], [0.5, np.nan], [np.nan, np.nan], [0.1, 5499.0]])
    found = index._searched(queries, metric, 40, with_keys=True)
    expected = index._searched(queries, metric, 40, pruned=False, with_keys=True)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.keys, expected.keys)
    # By hand: a missing category costs its contrast times the share of the others, in the mean.
    shares = metric.supports[1].shares
    known = ~np.isnan(cases[:, 1])
    term = 1.5 + 0.5 * (1 - shares[int(cases[known][0, 1])])
    alone = metric.restricted(np.array([1]))
    first = index._searched(queries[1:2], alone, len(cases), pruned=False, with_keys=True)
    at = np.flatnonzero(first.indices[0] == np.flatnonzero(known)[0])
    np.testing.assert_allclose(first.keys[0, at], term)
