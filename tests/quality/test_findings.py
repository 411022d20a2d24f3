"""Doubts, twins, idle features and merging, each against what can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from vicinal.exceptions import ParameterError
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support
from vicinal.quality.audit import Audit
from vicinal.quality.condensing import merge_to
from vicinal.quality.labels import doubt_classes, doubt_numbers
from vicinal.quality.uninformative import (
    copies,
    describe_emptiness,
    information,
    information_by_chance,
    parts_of,
)

CODES = st.lists(st.integers(0, 3), min_size=1, max_size=20)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(0, 100))
def test_doubts_are_those_of_confident_learning(codes, seed):
    said = np.random.default_rng(seed).dirichlet(np.ones(3), size=len(codes))
    doubts = doubt_classes(np.array(codes, dtype=float), said)
    assert doubts.likely.tolist() == naive_quality.doubt(codes, said.tolist())
    assert (doubts.score[doubts.likely] > 0).all()


def test_a_case_without_an_outcome_is_not_doubted():
    said = np.array([[0.0, 1.0], [0.5, 0.5]])
    doubts = doubt_classes(np.array([np.nan, 0.0]), said)
    assert np.isnan(doubts.score[0])
    assert not doubts.likely[0]


def test_the_weight_of_cases_counts_in_what_is_usual():
    said = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    codes = np.array([0.0, 1.0, 0.0, 1.0])
    twice = doubt_classes(np.repeat(codes, 2), np.repeat(said, 2, axis=0))
    weighted = doubt_classes(codes, said, np.full(4, 2.0))
    np.testing.assert_array_equal(twice.likely[::2], weighted.likely)


def test_numbers_far_beyond_the_errors_of_the_others_are_doubted():
    errors = np.random.default_rng(0).laplace(size=500)
    errors[7] = 40.0
    doubts = doubt_numbers(errors, np.zeros(500), np.ones(500))
    assert doubts.likely[7]
    assert doubts.likely.sum() <= 3
    nothing = doubt_numbers(np.full(3, np.nan), np.zeros(3), np.ones(3))
    assert not nothing.likely.any()


def test_exact_predictions_raise_no_doubt():
    doubts = doubt_numbers(np.zeros(20), np.zeros(20), np.ones(20))
    assert not doubts.likely.any()


@given(CODES, st.data())
def test_information_is_that_of_the_definition(one, data):
    other = data.draw(st.lists(st.integers(0, 3), min_size=len(one), max_size=len(one)))
    actual = information(np.array(one), np.array(other))
    assert actual == pytest.approx(naive_quality.information(one, other), abs=1e-12)


def test_chance_gives_no_information():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=300)
    alone, p = information_by_chance(codes, rng.integers(0, 4, size=300))
    assert p > 0.05
    assert alone < 0.02
    told, p = information_by_chance(codes, codes)
    assert p == pytest.approx(1 / 200)
    assert told > 1


def test_numbers_are_cut_into_parts_and_missing_ones_are_a_part():
    values = np.append(np.arange(100.0), np.nan)
    codes = parts_of(values, nominal=False)
    assert np.bincount(codes)[:8].min() >= 12
    assert codes[-1] == codes.max()
    assert (codes == codes[-1]).sum() == 1


@pytest.mark.parametrize(
    ("values", "nominal", "expected"),
    [
        ([np.nan, np.nan], False, "all missing"),
        ([2.0, 2.0], False, "one value only"),
        ([0.0, 1.0, 2.0], True, "every value occurs once, as in an identifier"),
        ([0.0, 1.0, 2.0], False, ""),
        ([0.0, 1.0, 1.0], True, ""),
    ],
)
def test_columns_that_tell_nothing_are_named(values, nominal, expected):
    assert describe_emptiness(np.array(values), nominal=nominal) == expected


def test_copies_are_found_in_any_unit_direction_and_spelling():
    x = np.array([0.3, 0.1, 0.9, 0.1, np.nan])
    codes = np.array([0.0, 1.0, 1.0, 0.0, 2.0])
    table = np.column_stack([x, -7 * x + 2, x**3, codes, np.array([2, 0, 0, 2, 1.0]), codes[::-1]])
    kinds = np.array([0, 0, 0, 2, 2, 2], dtype=np.uint8)
    assert copies(table, np.arange(6), kinds) == [(1, 0), (2, 0), (4, 3)]


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
    kept, mass, speaks = merge_to(values, weights, metric, 4)
    assert sorted(set(range(5)) - set(kept.tolist())) == [min((i, j), key=lambda at: weights[at])]
    assert mass.sum() == weights.sum()
    assert set(speaks.tolist()) == set(kept.tolist())


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0]), min_size=1, max_size=15), st.data())
def test_merged_weights_add_up_to_those_of_the_cases_spoken_for(values, data):
    values, metric = one_column(values)
    size = data.draw(st.integers(1, len(values)))
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=15, max_size=15)))
    weights = weights[: len(values)].astype(float)
    kept, mass, speaks = merge_to(values, weights, metric, size)
    assert len(kept) == size
    np.testing.assert_allclose(mass, [weights[speaks == one].sum() for one in kept])
    np.testing.assert_array_equal(speaks[kept], kept)


def test_an_audit_names_the_kinds_it_knows():
    with pytest.raises(ParameterError, match="Did you mean 'label'"):
        Audit((), (), 3).of("labl")
