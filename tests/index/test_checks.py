"""Searches that cannot be answered say what was expected."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import NUMERIC, make_metric
from vicinal.exceptions import ParameterError, TableError
from vicinal.index.exact import ExactIndex


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_an_error_that_says_so(k):
    cases = np.arange(4.0)[:, None]
    with pytest.raises(ParameterError, match=f"k must be at least 1; got {k}"):
        ExactIndex(cases, [0]).search(cases, make_metric(cases, NUMERIC, 1.0), k)


def test_queries_of_another_width_are_an_error_that_says_so():
    cases = np.arange(4.0)[:, None]
    with pytest.raises(TableError, match=r"1 columns; got an array of shape \(4, 2\)"):
        ExactIndex(cases, [0]).search(np.ones((4, 2)), make_metric(cases, NUMERIC, 1.0), 1)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_wrong_case_weights_are_an_error_that_names_the_row(wrong):
    with pytest.raises(ParameterError, match=r"in row 1\."):
        ExactIndex(np.arange(2.0)[:, None], [0], np.array([1.0, wrong]))


def test_an_unknown_path_is_an_error():
    cases = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="path"):
        ExactIndex(cases, [0])._searched(cases, make_metric(cases, NUMERIC, 1.0), 1, path="abacus")


def test_excluding_a_case_that_is_not_there_is_an_error():
    cases = np.arange(4.0)[:, None]
    with pytest.raises(ParameterError, match="9"):
        ExactIndex(cases, [0]).search(
            cases[:1], make_metric(cases, NUMERIC, 1.0), 1, exclude=np.array([9])
        )
