"""Merging the most similar cases, against what can be worked out by hand."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support
from vicinal.quality.condensing import merge_cases_to


def one_column(values):
    values = np.array(values, dtype=float)[:, None]
    metric = Metric(
        kinds=np.zeros(1, dtype=np.uint8),
        residuals=np.ones(1),
        periods=np.zeros(1),
        weights=np.ones(1),
        p=1.0,
        supports=(observed_support(values[:, 0], nominal=False),),
        distinct=np.zeros(1, dtype=bool),
    )
    return values, metric


def test_the_first_pair_to_be_merged_is_the_cheapest():
    values, metric = one_column([0.0, 5.0, 5.4, 9.0, 9.3])
    weights = np.array([1.0, 1.0, 1.0, 5.0, 4.0])
    t = np.abs(values - values.T)
    distances = t + np.exp(-t) * (3 + t) / 2
    _, i, j = naive_quality.merge_once(distances.tolist(), weights.tolist())
    kept, mass, representative = merge_cases_to(values, weights, metric, 4)
    assert sorted(set(range(5)) - set(kept.tolist())) == [min((i, j), key=lambda at: weights[at])]
    assert mass.sum() == weights.sum()
    assert set(representative.tolist()) == set(kept.tolist())


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0]), min_size=1, max_size=15), st.data())
def test_merged_weights_add_up_to_those_of_the_cases_represented(values, data):
    values, metric = one_column(values)
    size = data.draw(st.integers(1, len(values)))
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=15, max_size=15)))
    weights = weights[: len(values)].astype(float)
    kept, mass, representative = merge_cases_to(values, weights, metric, size)
    assert len(kept) == size
    np.testing.assert_allclose(mass, [weights[representative == one].sum() for one in kept])
    np.testing.assert_array_equal(representative[kept], kept)


def test_negative_integers_may_be_compared_as_categories():
    values, metric = one_column([-3.0, -3.0, -1.0, 2.0, 2.0])
    support = observed_support(values[:, 0], nominal=True)
    codes = replace(metric, kinds=np.array([NOMINAL], np.uint8), supports=(support,))
    codes = replace(codes, residuals=np.array([2.0]))
    kept, mass, _ = merge_cases_to(values, np.ones(5), codes, 3, kinds=metric.kinds)
    assert sorted(values[kept, 0].tolist()) == [-3.0, -1.0, 2.0]
    assert mass.sum() == 5
