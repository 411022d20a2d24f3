"""All spaces at once have what each has by itself, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import make_metric
from vicinal.formulas import SAME
from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.shares import balanced_shares
from vicinal.index.spaces import FEW_QUERIES, BalancedSpace, search_spaces

RULES = [("centered", 0.5, 0.3), ("linear", 0.5, 0.1), ("centered", 0.2, 0.1)]
KINDS = np.array([0, 0, 2, 0], dtype=np.uint8)


def numbers(seed, count):
    values = np.random.default_rng(seed).normal(size=(count, 4))
    values[:, 2] = np.floor(np.abs(values[:, 2]) * 2)
    return values


CASES, QUERIES = numbers(0, 400), numbers(1, 5)
METRICS = [
    make_metric(CASES, KINDS, 0.5, weights=[1.0, 0.0, 2.0, 0.5], p=1.0),
    make_metric(CASES, KINDS, 0.3, weights=[0.0, 1.0, 0.0, 3.0], p=2.0),
]
SPACES = [
    BalancedSpace(METRICS[0], 20, RULES, [(2, 0.3), (0, 0.25)]),
    BalancedSpace(METRICS[1], 7, [], []),
]


def test_neighbors_and_shares_are_those_of_each_space():
    index = ExactIndex(CASES, KINDS)
    found = search_spaces(index, SPACES, QUERIES, required=3, threads=1)
    for one, metric, k in zip(found, METRICS, (20, 7), strict=True):
        alone = index.search(QUERIES, metric, k + 1, required=3, with_keys=True)
        for name in ("indices", "distances", "keys"):
            np.testing.assert_array_equal(getattr(one.found, name), getattr(alone, name))
        twin = BruteForce(CASES, KINDS).search(QUERIES, metric, k + 1, required=3)
        np.testing.assert_array_equal(one.found.indices, twin.indices)
        excess = np.maximum(alone.distances[:, :k] - SAME, 0.0) * metric.total
        np.testing.assert_array_equal(one.excess, excess)
    first, second = found
    near = first.found.indices[:, :20]
    shares = balanced_shares(index, QUERIES, near, METRICS[0], first.excess, None, RULES)
    np.testing.assert_array_equal(first.shares, shares)
    np.testing.assert_array_equal(first.mean, 0.0 + 0.3 * shares[2] + 0.25 * shares[0])
    assert second.shares is None
    assert second.mean is None


def test_rows_of_removed_and_added_cases_are_looked_up():
    index = ExactIndex(CASES, KINDS)
    index.remove(np.arange(0, 100, 3))
    index.add(numbers(2, 50))
    (found,) = search_spaces(index, SPACES[:1], QUERIES, required=0)
    alone = index.search(QUERIES, METRICS[0], 20, required=0)
    given = (QUERIES, alone.indices, METRICS[0], found.excess, None, RULES)
    np.testing.assert_array_equal(found.shares, balanced_shares(index, *given))


@pytest.mark.parametrize("repeated", ["the last place", "a nearer one"])
def test_ties_are_left_to_the_search_for_ties(repeated):
    index = ExactIndex(CASES, KINDS)
    near = index.search(QUERIES[:1], METRICS[0], 21).indices[0]
    index.add(CASES[near[[19 if repeated == "the last place" else 4]]])
    (found,) = search_spaces(index, SPACES[:1], QUERIES[:1], required=0)
    assert found[1:] == (None, None, None)
    alone = index.search(QUERIES[:1], METRICS[0], 21, required=0)
    np.testing.assert_array_equal(found.found.indices, alone.indices)


def test_what_is_not_the_same_is_not_searched_at_once():
    def asked(index, queries=QUERIES, spaces=SPACES):
        return search_spaces(index, spaces, queries, required=3)

    assert asked(ExactIndex(CASES, KINDS, np.ones(400))) is None  # weights take places
    assert asked(BruteForce(CASES, KINDS)) is None
    assert asked(ExactIndex(CASES[:20], KINDS)) is None  # too few cases
    assert asked(ExactIndex(CASES, KINDS), numbers(1, FEW_QUERIES + 1)) is None
    large = BalancedSpace(make_metric(CASES, KINDS, 0.3, p=9.0), 7, [], [])
    assert asked(ExactIndex(CASES, KINDS), spaces=[large]) is None
