"""Many stored cases ask at once, group after group, each without itself: as a plain scan finds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.comparison import assert_same_neighbors
from tests.naive import distance as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex

CASES = 5000  # in so many blocks that not all are visited first
ASKED = 1100  # more than two threads answer in one go


def plain(rng):
    return rng.normal(size=(CASES, 8)) @ rng.normal(size=(8, 8))


def tied(rng):
    values = rng.integers(0, 4, size=(CASES, 8)).astype(float)
    values[:, 0] += 0.25  # no whole numbers, whose keys would be looked up in tables
    return values


def repeated(rng):
    values = plain(rng)
    values[1000:4000] = values[:1000][rng.integers(0, 40, size=3000)]
    return values


def scaled(rng):
    values = plain(rng) * 10.0 ** np.array([12, -12, 6, 0, 0, -6, 0, 0])
    values[:, 4] = -3.5
    values[::500] *= 1e5
    return values


def lacking(rng):
    values = plain(rng)
    values[rng.random(values.shape) < 0.05] = np.nan
    return values


@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
@pytest.mark.parametrize("draw", [plain, tied, repeated, scaled, lacking])
def test_stored_cases_find_what_a_plain_scan_finds(draw, weighted):
    rng = np.random.default_rng(3)
    cases = np.column_stack([draw(rng), rng.integers(0, 5, size=CASES)])
    spread = np.nanmean(np.abs(cases - np.nanmedian(cases, axis=0)), axis=0)
    residuals = np.where(spread > 0, 0.3 * spread, 1.0)
    metric = make_metric(cases, [*[NUMERIC] * 8, NOMINAL], residuals, p=1)
    metric = metric.with_weights(rng.uniform(0.2, 2.0, size=9))
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], size=CASES) if weighted else None
    index = ExactIndex(cases, metric.kinds, weights)
    numbers, values = next(index.blocks(size=ASKED, clustered=True))
    expected = index._searched(values, metric, 12, exclude=numbers, pruned=False)
    few = rng.choice(ASKED, size=8, replace=False)
    slow = naive.neighbors(values[few], cases, metric, CASES, numbers[few], weights)
    assert_same_neighbors((expected.indices[few], expected.distances[few]), slow, cases=cases)
    for threads in (1, 2, 3):
        for path in paths():
            way = {"exclude": numbers, "threads": threads, "path": path}
            actual = index._searched(values, metric, 12, **way, with_keys=True)
            np.testing.assert_array_equal(actual.indices, expected.indices, err_msg=str(way))
            np.testing.assert_array_equal(actual.distances, expected.distances, err_msg=str(way))


def test_one_case_finds_none_but_itself():
    metric = make_metric(np.ones((1, 2)), [NUMERIC, NUMERIC], 0.5, p=1)
    index = ExactIndex(np.ones((1, 2)), metric.kinds)
    many = np.ones((ASKED, 2))
    alone = index.search(many, metric, 3, exclude=np.zeros(ASKED, dtype=np.int64))
    assert (alone.indices == -1).all()
    assert (index.search(many, metric, 3).indices == [0, -1, -1]).all()
