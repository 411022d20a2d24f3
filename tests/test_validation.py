"""One table of rules says what every parameter may be, in code and in words."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from vicinal.exceptions import ParameterError
from vicinal.settings import Settings
from vicinal.validation import (
    CHOICES,
    RULES,
    check_parameter,
    check_parameters,
    checked_weights,
)

#: Of each kind of rule some values that hold and some that do not.
EXAMPLES = {
    "alpha": ([0.1, np.float32(0.5), 1e-9], [0, 1, -0.1, np.nan, "0.1", True, None]),
    "class_weight": (
        [None, "balanced", {"a": 2, 3: 0.5}, {}],
        ["balance", 2.0, {"a": 0}, {"a": -1.0}, {"a": np.inf}, {"a": None}, ["a"]],
    ),
    "contamination": (["auto", 0.1, 0.5], ["automatic", 0.0, 0.6, None, True]),
    "decision": (
        [None, "f1", "mcc", [[0, 1], [5, 0]], ((0.0,),)],
        ["F1", 1.0, [0, 1], [[0, 1]], [[0, np.nan], [1, 0]], [["a", "b"], ["c", "d"]]],
    ),
    "exact_up_to": ([0, 10, 16], [-1, 17, 2.0]),
    "k": ([1, 500, np.int64(3)], [0, -1, 2.5, "3", np.float64(2), True, None]),
    "max_loss": ([0, 0.3, 5], [-0.1, np.inf, np.nan, "0"]),
    "max_queries": ([2, 1200], [1, 0, 2.5]),
    "n_boundary": ([0, 3], [-1, 0.5]),
    "n_jobs": ([None, -1, 1, 8], [0, -2, 1.0, "all", True]),
    "n_permutations": ([4, 32], [3, 4.0]),
    "p": ([0, 1, 0.5, np.float64(2)], [-0.1, np.nan, np.inf, "1", None, False]),
    "prior": ([0, 0.2, 1], [-0.1, 1.1, np.nan, None]),
    "random_state": ([None, 0, 2**32 - 1, np.random.RandomState(0)], [-1, 2**32, 0.5, "seed"]),
    "robust": ([True, False, np.bool_(True), "auto"], [0, 1, None, "yes"]),
    "seed": ([0, 7], [-1, None, 0.5]),
    "threshold": ([0.4, 7, np.inf], [0, -1, np.nan, None]),
    "weighting": (["entropy", "irw", "mda", "paper"], ["entropi", "", None, 1, ["mda"]]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_values_hold_or_break_the_rule_and_the_message_says_got_and_expected(name):
    right, wrong = EXAMPLES[name]
    for value in right:
        check_parameter(name, value)
    for value in wrong:
        with pytest.raises(ParameterError) as refused:
            check_parameter(name, value)
        assert str(refused.value).startswith(f"{name}={value!r}; expected ")
        assert RULES[name].expected in str(refused.value)


@pytest.mark.parametrize("name", sorted(RULES))
def test_every_rule_refuses_what_is_nothing_of_the_kind_and_says_what_it_expects(name):
    assert RULES[name].expected
    with pytest.raises(ParameterError, match=f"^{name}="):
        check_parameter(name, {"no": "parameter"})


@pytest.mark.parametrize("name", sorted(CHOICES.keys() & RULES.keys()))
def test_every_choice_is_allowed_and_listed_and_a_near_name_is_suggested(name):
    for choice in CHOICES[name]:
        check_parameter(name, choice)
        with pytest.raises(ParameterError, match=rf"Did you mean {choice!r}\?"):
            check_parameter(name, f"{choice}{choice[-1]}")
    with pytest.raises(ParameterError) as refused:
        check_parameter(name, "?")
    assert all(repr(choice) in str(refused.value) for choice in CHOICES[name])


def test_the_first_parameter_that_breaks_its_rule_is_named_and_others_pass():
    check_parameters({"k": 5, "no such parameter": object()})
    with pytest.raises(ParameterError, match=r"^n_neighbors=0; expected a whole number"):
        check_parameters({"p": 1.0, "n_neighbors": 0, "max_rounds": 0})


def test_a_parameter_may_follow_the_rule_of_another():
    check_parameter("random_state", 3, rule="seed")
    with pytest.raises(ParameterError, match=r"^random_state=None; expected a whole number"):
        check_parameter("random_state", None, rule="seed")


def test_the_defaults_of_the_settings_hold_and_all_plain_ones_have_a_rule():
    check_parameters(vars(Settings()))
    # What the columns are is checked with the columns at hand.
    of_columns = {"categorical_features", "ordinal_features", "cyclic_features", "kinds"}
    of_columns |= {"missing_values", "missing", "feature_weights", "classes", "ignore", "bounds"}
    assert {field.name for field in fields(Settings)} - of_columns <= RULES.keys()


def test_weights_of_cases_are_finite_not_negative_and_one_per_row():
    assert checked_weights(None, 3) is None
    assert checked_weights([2, 0, 1.5], 3).tolist() == [2.0, 0.0, 1.5]
    assert checked_weights([], 0).shape == (0,)
    for weights, message in [
        ([1, 2], r"has the shape \(2,\); expected \(3,\), one per row"),
        ([[1, 1, 1]], r"has the shape \(1, 3\); expected \(3,\)"),
        ([1, -2, 1], r"is -2.0 in row 1; expected a finite number, at least 0"),
        ([1, 1, np.nan], r"is nan in row 2"),
        ([np.inf, 1, 1], r"is inf in row 0"),
        ([0, 0, 0], r"is zero throughout; expected a weight above 0"),
    ]:
        with pytest.raises(ParameterError, match=f"^sample_weight {message}"):
            checked_weights(weights, 3)
