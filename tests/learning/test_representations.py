"""Numbers of few values, read as numbers or as categories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import TermSettings
from vicinal.learning.representations import FEW, representations
from vicinal.learning.residuals import learn_residuals


def table(n=400, seed=0):
    """A number, a code of 5, a code of 30, a category, a switch of two values."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 5, size=n),
            rng.integers(0, 30, size=n),
            rng.integers(0, 3, size=n),
            rng.integers(0, 2, size=n),
        ]
    ).astype(float)


def settings_of(values):
    d = values.shape[1]
    kinds = np.full(d, NUMERIC, dtype=np.uint8)
    kinds[3] = NOMINAL
    return TermSettings(kinds, np.zeros(d), np.ones(d), 1.0, np.zeros(d, dtype=bool))


def read(values, settings=None, weights=None):
    settings = settings or settings_of(values)
    metric = learn_residuals(values, settings, k=5, case_weights=weights).metric
    return representations(ExactIndex(values, settings.kinds, weights), settings, metric, k=5)


def nominal_columns(metric):
    return np.flatnonzero(metric.kinds == NOMINAL).tolist()


def test_columns_of_few_values_are_also_read_as_categories():
    found = read(table())
    assert {name: nominal_columns(metric) for name, metric in found.items()} == {
        "as given": [3],
        "few as categories": [1, 3],
        "codes as categories": [1, 2, 3],
    }


def test_a_reading_is_not_made_twice():
    values = table()[:, [0, 1, 4, 3]]
    assert list(read(values)) == ["as given", "few as categories"]
    settings = settings_of(values)
    assert list(read(values[:, [0, 0, 0, 3]], settings)) == ["as given"]


def test_columns_that_do_not_count_are_left_alone():
    values = table()
    settings = replace(settings_of(values), weights=np.array([1.0, 0.0, 1.0, 1.0, 1.0]))
    found = read(values, settings)
    assert nominal_columns(found["codes as categories"]) == [2, 3]


@pytest.mark.parametrize("scale", [1 / 3, 1e-9, 1e9])
def test_the_unit_of_a_code_does_not_matter(scale):
    values = table()
    moved = values.copy()
    moved[:, [1, 2]] = (moved[:, [1, 2]] + 0.5) * scale
    for name, metric in read(values).items():
        other = read(moved)[name]
        np.testing.assert_array_equal(other.kinds, metric.kinds)
        codes = metric.kinds == NOMINAL
        np.testing.assert_allclose(other.residuals[codes], metric.residuals[codes], rtol=1e-6)


def test_integer_weights_equal_repeated_rows():
    values = table(60)
    weights = np.random.default_rng(1).integers(0, 4, size=60)
    weighed = read(values, weights=weights.astype(float))
    repeated = read(np.repeat(values, weights, axis=0))
    assert list(weighed) == list(repeated)
    for name, metric in repeated.items():
        np.testing.assert_array_equal(weighed[name].kinds, metric.kinds)
        np.testing.assert_allclose(weighed[name].residuals, metric.residuals, rtol=1e-9)


def test_a_small_table_has_no_codes_that_come_but_once():
    values = table(FEW)
    values[:, 1] = np.arange(FEW)
    assert 1 not in nominal_columns(list(read(values).values())[-1])
