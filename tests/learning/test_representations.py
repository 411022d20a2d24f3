"""Numbers of few values as numbers or as categories; ranks and scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vicinal.derived.learn import learn_derived
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import TermSettings
from vicinal.learning.representations import (
    FEW,
    WITH_SCORES,
    derived_representations,
    representations,
)
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


# --- with derived columns -----------------------------------------------------------------------


def derived_of(values, target=0, *, classes=False, **options):
    """The cases with everything derived for a target, and metrics that use it."""
    settings = settings_of(values)
    context = np.arange(values.shape[1]) != target
    settings = replace(settings, weights=context.astype(float))
    metric = learn_residuals(values, settings, k=5).metric
    index = ExactIndex(values, settings.kinds)
    derived = learn_derived(index, metric, target, n_classes=0, **options)
    given = {"as given": metric}
    found = derived_representations(
        StoredColumns(derived).index(index),
        derived.terms(settings),
        metric,
        derived,
        given,
        classes=classes,
        k=5,
    )
    return metric, derived, found


def told_by_the_others(n=400):
    values = table(n)
    values[:, 0] += values[:, 1] * values[:, 4] + 0.3 * values[:, 2] + (values[:, 3] == 1)
    return values


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_ranks_scores_and_both_are_tried(classes):
    metric, derived, found = derived_of(told_by_the_others(), classes=classes)
    groups, d = derived.groups, 5
    used = {name: set(one.active.tolist()) for name, one in found.items()}
    named = {3}
    ranked = named | set(groups["ranks"].tolist())
    assert used == {
        "as given": {1, 2, 3, 4},
        "ranks": ranked,
        "ranks and additive scores": ranked | set(groups["additive"].tolist()),
        "as given and trees": {1, 2, 3, 4} | set(groups["trees"].tolist()),
        "ranks and scores": ranked | set(derived.scores.tolist()),
        "scores": set(derived.scores.tolist()),
        "trees": set(groups["trees"].tolist()),
    }
    assert {name for name, one in used.items() if one & set(derived.scores.tolist())} == {
        *WITH_SCORES
    }
    for one in found.values():
        assert len(one.kinds) == d + derived.count
        assert (one.kinds[d:] == NUMERIC).all()
        assert np.isfinite(one.residuals).all()
        assert 0 not in one.active  # the target is no neighbor of itself
    assert not set(metric.active.tolist()) - {1, 2, 3, 4}


def test_classes_have_the_residuals_of_a_column_in_common():
    metric, derived, found = derived_of(told_by_the_others(), classes=True)
    trees = derived.groups["trees"]
    whole = found["ranks and scores"]
    for name in ("as given and trees", "scores", "trees"):
        np.testing.assert_array_equal(found[name].residuals[trees], whole.residuals[trees])
    given = [1, 2, 4]
    np.testing.assert_array_equal(
        found["as given and trees"].residuals[given], metric.residuals[given]
    )


def test_without_scores_ranks_alone_are_tried():
    _, _, found = derived_of(told_by_the_others(), scores=False)
    assert list(found) == ["as given", "ranks"]


def test_what_tells_no_cases_apart_is_not_tried():
    values = told_by_the_others()
    settings = settings_of(values)
    metric = learn_residuals(values, settings, k=5).metric
    index = ExactIndex(values, settings.kinds)
    context = replace(settings, weights=np.array([0.0, 1.0, 1.0, 1.0, 1.0]))
    derived = learn_derived(index, metric.restricted(np.arange(1, 5)), 0, n_classes=0)
    # Scores that are the same for all cases.
    derived = replace(derived, ignored=np.array([1, 2, 3, 4]))
    blank = StoredColumns(derived).index(index)
    same = blank.rows(np.arange(400))
    same[:, derived.scores] = 1.0
    found = derived_representations(
        blank.rebuilt(same), derived.terms(context), metric, derived, {}, classes=False, k=5
    )
    assert "scores" not in found
    assert all(len(one.active) for one in found.values())


def test_a_widened_metric_measures_encoded_columns_as_before():
    values = told_by_the_others(200)
    metric, derived, found = derived_of(values)
    wide = found["as given"]
    assert len(wide.kinds) == len(found["scores"].kinds)
    index = ExactIndex(values, metric.kinds)
    expected = index.search(values[:9], metric, k=6)
    actual = StoredColumns(derived).index(index).search(derived.cases(values[:9]), wide, k=6)
    np.testing.assert_array_equal(actual.indices, expected.indices)
    np.testing.assert_allclose(actual.distances, expected.distances, rtol=1e-12)
