"""Left-out cases as an attacker would move them, and what a model learns from these."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import robustness as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal import Model
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.learning.moved_cases import moved_cases
from vicinal.learning.views import Views


def moved(cases, radius, numbers=None):
    """The rows that all cases are judged at; the class is in column 0, a category in column 1."""
    numbers = np.arange(len(cases)) if numbers is None else numbers
    kinds = [NOMINAL, NOMINAL, NUMERIC, NUMERIC]
    metric = make_metric(cases, kinds, 0.5, weights=[0, 1.0, 1.0, 1.0])
    index = ExactIndex(cases, metric.kinds)
    views = moved_cases(Views(index), metric, Target.of(index, 0, n_classes=2), numbers, radius)
    return views.rows(index, numbers)


@given(seed=st.integers(0, 10_000), radius=st.sampled_from([0.1, 1.0, 50.0]), whole=st.booleans())
@settings(max_examples=20)
def test_numbers_move_toward_the_nearest_case_of_another_class(seed, radius, whole):
    rng = np.random.default_rng(seed)
    cases = np.column_stack([rng.integers(0, 2, (20, 2)), rng.normal(size=(20, 2)) * [1.0, 9.0]])
    cases = np.round(cases) if whole else cases
    cases[rng.random(20) < 0.2, 2] = np.nan
    expected = [naive.moved_row(row, row[0], cases, cases[:, 0], (2, 3), radius) for row in cases]
    np.testing.assert_allclose(moved(cases, radius), expected, atol=1e-12)


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(3)
    cases = np.column_stack([rng.integers(0, 2, (40, 2)), np.round(rng.normal(size=(40, 2)))])
    order = rng.permutation(40)
    np.testing.assert_array_equal(moved(cases[order], 0.5), moved(cases, 0.5)[order])


def test_cases_of_a_single_class_stay():
    cases = np.column_stack([np.zeros((5, 2)), np.arange(10.0).reshape(5, 2)])
    np.testing.assert_array_equal(moved(cases, 0.5), cases)


def brittle(n, seed):
    """Numbers of which one tells the class by a hair, the other nearly always and by far."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    side = np.where(y == 1, 1.0, -1.0)
    wrong = rng.random(n) < 0.06
    hair = 0.1 * side + np.where(rng.random(n) < 0.5, 3.0, -3.0) + 0.01 * rng.normal(size=n)
    far = np.where(wrong, -side, side) + 0.1 * rng.normal(size=n)
    return {"hair": hair, "far": far, "y": np.where(y == 1, "b", "a").tolist()}


def test_a_robust_model_does_not_rest_on_what_a_small_change_alters():
    table, new = brittle(160, 0), brittle(100, 1)
    truth = np.array(new.pop("y"))
    attacked = new | {"hair": new["hair"] + np.where(truth == "b", -0.2, 0.2)}
    plain, robust = (Model(robust_radius=r, n_jobs=1, max_members=4).fit(table) for r in (0, 0.25))
    right = [
        [float((model.predict(rows, "y") == truth).mean()) for rows in (new, attacked)]
        for model in (plain, robust)
    ]
    assert right[0][0] > 0.95
    assert right[0][1] < 0.7
    assert min(right[1]) > 0.85
    # What rests on left-out cases is about the cases themselves, not about where they were moved.
    tuning = robust.tuning("y")
    names = np.array(list(dict.fromkeys(table["y"])))  # in the order of their codes
    named = names[tuning.predictions.argmax(axis=1)]
    assert (named == np.array(table["y"])[tuning.queries]).mean() > 0.85
    again = robust.predict(new, "y", decision="balanced_accuracy")
    assert (again == robust.predict(new, "y")).mean() > 0.9
