"""Bad input gets an error that says what came, what was expected and what to do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mixed_table import OPTIONS, mixed_table
from vicinal import Model, VicinalError
from vicinal.exceptions import FeatureError, NotFittedError, ParameterError, TableError

SMALL = {"age": [31.0, 47.0, 22.0], "job": ["cook", "smith", "cook"]}


@pytest.fixture
def small():
    return Model().fit(SMALL)


# --- tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"age": []}, "The table has no rows; expected at least one"),
        ({}, "The table has no columns; expected at least one"),
        ({"age": [1, 2], "job": ["cook"]}, "'job'"),
        ("age", "Got a str"),
        (np.arange(3.0), r"expected 2 \(rows and columns\)"),
    ],
)
def test_what_is_no_table_is_refused(table, message):
    with pytest.raises(TableError, match=message):
        Model().fit(table)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_named_by_column_and_row(value, small):
    ages = [31.0, 47.0, value]
    for ask in (
        lambda: Model().fit({**SMALL, "age": ages}),
        lambda: small.neighbors({"age": ages}),
    ):
        with pytest.raises(TableError, match=r"'age' has an infinite value, -?inf, in row 2"):
            ask()


@pytest.mark.parametrize("values", [[1e308, -1e308, 0.0], [5e-324, 0.0, 1e-310]])
def test_differences_that_no_float_can_hold_are_refused(values):
    with pytest.raises(TableError, match=r"The values of 'age' are up to .* Use another unit"):
        Model().fit({**SMALL, "age": values})


@pytest.mark.parametrize("method", ["neighbors", "add"])
def test_an_unknown_column_is_refused_with_a_suggestion(small, method):
    with pytest.raises(FeatureError, match=r"'agee' is not in the schema.* Did you mean 'age'\?"):
        getattr(small, method)({"agee": [3.0], "job": ["cook"]})
    assert len(small) == 3


def test_cases_to_add_need_all_columns(small):
    with pytest.raises(VicinalError, match="'job'"):
        small.add({"age": [3.0]})
    assert len(small) == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"age": ["old"], "job": ["cook"]}, r"'age' has 'old' \(str\) in row 0.*expected numbers"),
        ({"age": [3.0], "job": [7]}, r"'job' has 7 \(int\) in row 0.*expected strings"),
    ],
)
@pytest.mark.parametrize("method", ["neighbors", "add"])
def test_values_of_another_type_are_refused(small, rows, message, method):
    with pytest.raises(TableError, match=message):
        getattr(small, method)(rows)
    assert len(small) == 3
    assert small.schema_["job"].categories == ("cook", "smith")


def test_an_unlisted_level_of_an_ordered_feature_is_refused():
    model = Model(**OPTIONS).fit(mixed_table(20))
    with pytest.raises(TableError, match=r"'XXL' in row 0; expected one of.*Did you mean 'XL'\?"):
        model.neighbors({"size": ["XXL"]})


def test_arrays_with_another_number_of_columns_are_refused():
    model = Model().fit(np.arange(12.0).reshape(4, 3))
    for columns in (2, 4):
        with pytest.raises(VicinalError, match=r"3|x3"):
            model.neighbors(np.zeros((1, columns)))


# --- parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", np.float64(2)])
def test_k_is_a_whole_number_from_one_on(small, k):
    with pytest.raises(ParameterError, match=r"k=.*; expected a whole number, at least 1"):
        small.neighbors(SMALL, k=k)
    with pytest.raises(
        ParameterError, match=r"n_neighbors=.*; expected a whole number, at least 1"
    ):
        Model(n_neighbors=k).fit(SMALL)


@pytest.mark.parametrize("p", [-0.1, np.nan, np.inf, "1", None])
def test_p_is_a_number_from_zero_on(p):
    with pytest.raises(ParameterError, match=r"p=.*; expected a finite number, at least 0"):
        Model(p=p).fit(SMALL)


@pytest.mark.parametrize("rounds", [0, 1.5])
def test_there_is_at_least_one_round(rounds):
    with pytest.raises(
        ParameterError, match=r"max_rounds=.*; expected a whole number, at least 1"
    ):
        Model(max_rounds=rounds).fit(SMALL)


def test_residuals_are_means_of_a_known_kind():
    with pytest.raises(ParameterError, match="Did you mean 'square'"):
        Model(residual_mean="squared").fit(SMALL)


@pytest.mark.parametrize("state", [-1, None, 0.5])
def test_the_random_state_is_a_whole_number(state):
    with pytest.raises(ParameterError, match=r"random_state=.*; expected (None, )?a whole number"):
        Model(random_state=state).fit(SMALL)


@pytest.mark.parametrize("n_jobs", [0, -2])
def test_there_is_at_least_one_thread(n_jobs):
    with pytest.raises(
        ParameterError,
        match=r"n_jobs=.*; expected None or −1 for all processors, or a whole number",
    ):
        Model(n_jobs=n_jobs).fit(SMALL)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2, 1], r"sample_weight is -2.0 in row 1; expected a finite number, at least 0"),
        ([1, 1, np.nan], r"sample_weight is nan in row 2; expected a finite number, at least 0"),
        ([1, np.inf, 1], r"sample_weight is inf in row 1; expected a finite number, at least 0"),
        ([1, 1], r"has the shape \(2,\); expected \(3,\), one per row"),
        ([[1, 1, 1]], r"has the shape \(1, 3\); expected \(3,\), one per row"),
        ([0, 0, 0], r"sample_weight is zero throughout; expected a weight above 0"),
    ],
)
def test_case_weights_are_not_negative_and_one_per_row(weights, message, small):
    for method in (Model().fit, small.add):
        with pytest.raises(ParameterError, match=message):
            method(SMALL, sample_weight=weights)
    assert len(small) == 3


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf])
def test_feature_weights_are_not_negative(weight):
    with pytest.raises(ParameterError, match=r"finite and not negative; got .* for 'age'"):
        Model(feature_weights={"age": weight}).fit(SMALL)


@pytest.mark.parametrize(
    "options",
    [
        {"feature_weights": {"jop": 2.0}},
        {"missing": {"jop": "distinct"}},
        {"categorical_features": ["jop"]},
        {"ordinal_features": {"jop": ["cook", "smith"]}},
        {"cyclic_features": {"jop": 24}},
        {"kinds": {"jop": "nominal"}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_an_unknown_feature_is_refused_with_a_suggestion(options):
    with pytest.raises(FeatureError, match=r"'jop'.*Did you mean 'job'\?"):
        Model(**options).fit(SMALL)


def test_an_unknown_treatment_of_missing_values_is_refused_with_a_suggestion():
    with pytest.raises(
        ParameterError, match=r"missing='distnct'; expected .* Did you mean 'distinct'\?"
    ):
        Model(missing="distnct").fit(SMALL)


# --- questions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [lambda m: m.neighbors(), lambda m: m.add(SMALL), lambda m: m.remove([0]), len],
    ids=["neighbors", "add", "remove", "len"],
)
def test_a_question_before_fit_says_what_to_do(question):
    with pytest.raises(NotFittedError, match=r"call fit\(table\) first"):
        question(Model())


def test_an_unknown_context_is_refused_with_a_suggestion(small):
    with pytest.raises(FeatureError, match=r"'jop'. Did you mean 'job'\?"):
        small.neighbors(SMALL, context=["jop"])


def test_a_context_that_the_rows_lack_is_refused(small):
    with pytest.raises(TableError, match=r"The rows lack 'job', which the context names"):
        small.neighbors({"age": [3.0]}, context=["age", "job"])


def test_a_context_names_something(small):
    with pytest.raises(ParameterError, match="context names no feature"):
        small.neighbors(SMALL, context=[])


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([0, 3], "There is no case number 3"),
        ([0, -1], "There is no case number -1"),
        ([0.0, 1.0], "whole numbers; got float64"),
        ([True, False, True], "whole numbers; got bool"),
        (["a"], "expected a case number, because these cases have no labels"),
        ([0, 1 << 62], "There is no case number 4611686018427387904"),
    ],
)
def test_a_case_that_is_not_there_cannot_be_removed_and_nothing_is(small, cases, message):
    with pytest.raises(ParameterError, match=message):
        small.remove(cases)
    assert len(small) == 3
    assert small.neighbors(SMALL, k=3).indices.min() == 0


def test_a_case_is_removed_only_once(small):
    small.remove([1])
    with pytest.raises(
        ParameterError, match=r"There is no case number 1 \(any more\).*numbered from 0 to"
    ):
        small.remove([0, 1])
    assert len(small) == 2


def test_a_fit_that_fails_leaves_the_model_as_it_was(small):
    before = small._ready()
    small.p = -1
    with pytest.raises(ParameterError):
        small.fit(mixed_table(20))
    small.p = 1.0
    with pytest.raises(TableError):
        small.fit({"age": [np.inf]})
    assert len(small) == 3
    assert small._ready() is before
