"""Fits without a part of the cases: every case is in one part, and in no fit without it."""

from __future__ import annotations

import numpy as np

from tests.prediction.ways import mixture
from vicinal import Model
from vicinal.prediction.cross_fitting import PARTS, n_parts, without_parts


def test_every_case_with_a_known_target_is_in_one_part():
    table = mixture(40)
    table["group"] = [None, *table["group"][1:]]
    fitted = Model().fit(table)._ready()
    column = fitted.schema.column("group")
    parts = list(without_parts(fitted, column))
    assert len(parts) == PARTS
    cases = np.concatenate([part for part, _ in parts])
    np.testing.assert_array_equal(np.sort(cases), np.arange(1, 40))
    for part, rest in parts:
        others = np.setdiff1d(np.arange(1, 40), part)
        _, values = rest.index.sample(40)
        np.testing.assert_array_equal(values, fitted.index.rows(others))
        assert rest.learned is not fitted.learned


def test_equal_cases_stay_together_and_keep_their_weights():
    x = np.repeat(np.arange(10.0), 2)
    table = {"x": x, "group": np.where(x > 4, "a", "b")}
    fitted = Model().fit(table, sample_weight=1 + x)._ready()
    for part, rest in without_parts(fitted, 1):
        assert np.all(np.bincount(part // 2)[np.unique(part // 2)] == 2)
        numbers, values = rest.index.sample(20)
        np.testing.assert_array_equal(rest.index.weights_of(numbers), 1 + values[:, 0])


def test_where_all_cases_are_equal_there_is_no_part():
    fitted = Model().fit({"x": np.ones(5), "group": ["a"] * 5})._ready()
    assert list(without_parts(fitted, 1)) == []


def test_tables_of_thousands_of_columns_have_two_parts():
    assert [n_parts(300, columns, classes=True) for columns in (3000, 4000)] == [PARTS, 2]
    assert [n_parts(100, columns, classes=False) for columns in (20, 20_000)] == [10, 2]
