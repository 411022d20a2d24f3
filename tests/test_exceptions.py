"""The exception tree and the suggestion for mistyped names."""

from __future__ import annotations

import pickle

import pytest
from sklearn.exceptions import NotFittedError as Theirs

from vicinal import exceptions
from vicinal.exceptions import FeatureError, NotFittedError, VicinalError, did_you_mean

ERRORS = [getattr(exceptions, name) for name in exceptions.__all__ if name.endswith("Error")]


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_is_caught_as_a_vicinal_error(error):
    assert issubclass(error, VicinalError)


@pytest.mark.parametrize("error", [e for e in ERRORS if e is not VicinalError])
def test_every_error_is_also_a_value_error(error):
    assert issubclass(error, ValueError)


@pytest.mark.parametrize("error", ERRORS)
def test_the_message_is_shown_as_it_was_written(error):
    assert str(error("k must be at least 1; got 0.")) == "k must be at least 1; got 0."


@pytest.mark.parametrize("error", ERRORS)
def test_errors_survive_pickling_so_that_workers_can_raise_them(error):
    copy = pickle.loads(pickle.dumps(error("text")))
    assert type(copy) is error
    assert str(copy) == "text"


@pytest.mark.parametrize("error", ERRORS)
def test_the_tree_in_the_docstring_names_every_error(error):
    assert error.__name__ in exceptions.__doc__


def test_an_unknown_feature_is_a_key_error():
    assert issubclass(FeatureError, KeyError)


def test_not_fitted_has_the_same_builtin_bases_as_the_error_of_scikit_learn():
    assert set(Theirs.__bases__) <= set(NotFittedError.__mro__)


def test_a_near_miss_is_suggested():
    assert did_you_mean("agee", ["income", "age"]) == " Did you mean 'age'?"


def test_a_name_in_the_wrong_case_is_suggested_as_it_is_spelled():
    assert did_you_mean("INCOME", ["Income", "age"]) == " Did you mean 'Income'?"


def test_names_that_are_not_strings_are_understood():
    assert did_you_mean("1984", [1985, 3]) == " Did you mean 1985?"


@pytest.mark.parametrize("known", [[], ["age", "income"]])
def test_nothing_is_suggested_when_nothing_is_close(known):
    assert did_you_mean("zip", known) == ""
