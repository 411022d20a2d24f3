"""Surprising classes, and classes that may be called wrong, by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from vicinal.quality.label_classes import contestable, suspect_classes


@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(0, 100))
def test_surprising_classes_are_those_of_confident_learning(codes, seed):
    said = np.random.default_rng(seed).dirichlet(np.ones(3), size=len(codes))
    found = suspect_classes(np.array(codes, dtype=float), said)
    assert found.surprising.tolist() == naive_quality.suspect_classes(codes, said.tolist())
    assert (found.score[found.surprising] > 0).all()
    assert not found.likely.any()


def test_a_case_without_an_outcome_is_not_suspected():
    said = np.array([[0.0, 1.0], [0.5, 0.5]])
    found = suspect_classes(np.array([np.nan, 0.0]), said)
    assert np.isnan(found.score[0])
    assert not found.surprising[0]


def test_the_weight_of_cases_counts_in_what_is_usual():
    said = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    codes = np.array([0.0, 1.0, 0.0, 1.0])
    twice = suspect_classes(np.repeat(codes, 2), np.repeat(said, 2, axis=0))
    weighted = suspect_classes(codes, said, np.full(4, 2.0))
    np.testing.assert_array_equal(twice.surprising[::2], weighted.surprising)


def test_a_disagreement_may_be_called_wrong_only_where_predictions_agree_mostly():
    codes = np.array([0.0] * 10 + [1.0] * 10)
    predicted = codes.astype(int)
    predicted[0] = 1
    assert np.flatnonzero(contestable(codes, predicted)).tolist() == [0]
    predicted[:5] = 1  # 75 % agree
    assert not contestable(codes, predicted).any()


def test_a_class_that_is_seldom_recognized_is_not_called_wrong():
    codes = np.array([0.0] * 30 + [1.0] * 4)
    predicted = np.zeros(34, dtype=int)
    predicted[-1] = 1
    assert not contestable(codes, predicted).any()


def test_where_one_class_is_common_agreement_by_chance_is_no_evidence():
    codes = np.array([0.0] * 80 + [1.0] * 20)
    predicted = codes.astype(int)
    predicted[[0, 1, 2, 3, 4, 95, 96, 97, 98, 99]] ^= 1
    # 90 % agree, by chance 68 %: kappa is .6875.
    assert not contestable(codes, predicted).any()
    predicted[0] = 0  # 91 %: kappa is .7144
    assert contestable(codes, predicted).sum() == 9


def test_a_missing_class_is_not_called_wrong():
    codes = np.array([np.nan, *[0.0] * 9, *[1.0] * 9])
    predicted = np.array([1, *[0] * 9, *[1] * 9])
    assert not contestable(codes, predicted).any()
