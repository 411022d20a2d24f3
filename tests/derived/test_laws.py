"""Laws of models that search in derived columns: the same answers however a table is written."""

from __future__ import annotations

import numpy as np
import pytest

import vicinal
from tests.derived.tables import frame
from vicinal import Model

N = 300
both = pytest.mark.parametrize("classes", [False, True], ids=["number", "classes"])


def rows_of(table):
    return {name: values for name, values in table.items() if name != "y"}


def take(table, places):
    return {name: values[places] for name, values in table.items()}


ROWS = rows_of(frame(12, seed=5))
ROWS["a"][3] = np.nan
ROWS["group"][4:6] = ["violet", None]


def fit(table, **options):
    return Model(max_queries=300, max_members=6, **options).fit(table)


def answers(model, rows=ROWS):
    classes = model.schema_["y"].kind == "nominal"
    if classes:
        return model.predict_proba(rows, "y")
    return np.column_stack([model.predict(rows, "y"), *model.predict_interval(rows, "y")])


def predictor_of(model):
    [predictor] = model._ready().learned.values()
    return predictor


@pytest.fixture(scope="module")
def models():
    return {classes: fit(frame(N, classes=classes)) for classes in (False, True)}


@pytest.fixture(scope="module")
def expected(models):
    return {classes: answers(model) for classes, model in models.items()}


@both
def test_derived_columns_are_used(models, expected, classes):
    derived = predictor_of(models[classes]).derived
    assert derived is not None
    assert len(derived.scores)


@both
def test_the_order_of_rows_changes_no_bit(expected, classes):
    order = np.random.default_rng(1).permutation(N)
    actual = answers(fit(take(frame(N, classes=classes), order)))
    np.testing.assert_array_equal(actual, expected[classes])


@both
def test_the_order_of_columns_changes_no_bit(expected, classes):
    table = dict(reversed(frame(N, classes=classes).items()))
    actual = answers(fit(table), dict(reversed(ROWS.items())))
    np.testing.assert_array_equal(actual, expected[classes])


@both
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_the_number_of_threads_changes_no_bit(expected, classes, n_jobs):
    actual = answers(fit(frame(N, classes=classes), n_jobs=n_jobs))
    np.testing.assert_array_equal(actual, expected[classes])


@both
def test_splitting_the_rows_changes_no_bit(models, expected, classes):
    alone = [answers(models[classes], take(ROWS, [i])) for i in range(12)]
    np.testing.assert_array_equal(np.concatenate(alone), expected[classes])


@both
def test_a_table_that_comes_in_parts_is_the_same_table(expected, classes):
    # Nothing is learned before the target is asked for, so all cases take part.
    table = frame(N, classes=classes)
    model = fit(table)
    model.remove(np.arange(0, N, 3))
    model.add(take(table, np.arange(0, N, 3)))
    np.testing.assert_allclose(answers(model), expected[classes], rtol=1e-6, atol=1e-6)


@both
@pytest.mark.parametrize(("scale", "shift"), [(1e9, 0.0), (0.25, 3.0), (1e-6, 0.0)])
def test_the_unit_and_the_zero_point_of_a_feature_do_not_matter(expected, classes, scale, shift):
    def changed(table):
        return {**table, "a": (table["a"] + shift) * scale}

    actual = answers(fit(changed(frame(N, classes=classes))), changed(ROWS))
    np.testing.assert_allclose(actual, expected[classes], rtol=1e-6, atol=1e-6)


def test_predictions_move_with_the_unit_of_the_target(expected):
    table = frame(N)
    for scale in (1e-6, 1024.0):
        actual = answers(fit({**table, "y": table["y"] * scale}))
        np.testing.assert_allclose(actual / scale, expected[False], rtol=1e-6, atol=1e-6)


@both
def test_integer_weights_equal_repeated_rows(classes):
    table = frame(150, classes=classes)
    counts = np.random.default_rng(3).integers(1, 4, size=150)
    weighed = Model(max_members=6).fit(table, sample_weight=counts)
    repeated = Model(max_members=6).fit(take(table, np.repeat(np.arange(150), counts)))
    np.testing.assert_allclose(answers(weighed), answers(repeated), rtol=1e-6, atol=1e-6)


@both
def test_influence_times_outcome_is_the_prediction(models, expected, classes):
    found = models[classes].influences(ROWS, "y")
    np.testing.assert_allclose(found.shares.sum(axis=1) + found.background, 1.0, rtol=1e-9)
    if classes:
        hit = found.outcomes[:, :, None] == np.arange(2)
        actual = (found.shares[:, :, None] * hit).sum(axis=1) + found.background * found.expected
        np.testing.assert_allclose(actual, expected[True], atol=1e-9)
    else:
        actual = (found.shares * found.outcomes).sum(axis=1) + found.background * found.expected[0]
        np.testing.assert_allclose(actual, expected[False][:, 0], rtol=1e-9, atol=1e-9)


@both
def test_contributions_sum_to_the_prediction_less_the_baseline(models, expected, classes):
    found = models[classes].contributions(ROWS, "y")
    assert found.names == ("a", "b", "group", "noise")
    total = found.values.sum(axis=1) + found.baseline
    wanted = expected[classes] if classes else expected[classes][:, 0]
    np.testing.assert_allclose(total, wanted, rtol=1e-9, atol=1e-9)


@both
def test_a_feature_without_effect_contributes_nothing(classes):
    table = {**frame(N, classes=classes), "constant": np.full(N, 3.0)}
    rows = {**ROWS, "constant": np.full(12, 3.0)}
    found = fit(table).contributions(rows, "y")
    sizes = np.abs(found.values).reshape(12, 5, -1).mean(axis=(0, 2))
    by_name = dict(zip(found.names, sizes, strict=True))
    assert by_name["constant"] == 0
    assert by_name["noise"] < 0.25 * by_name["a"]


@both
def test_a_model_saved_and_loaded_gives_the_same_bits(models, expected, classes, tmp_path):
    models[classes].save(tmp_path / "m")
    for options in ({}, {"mmap": True}, {"mmap": True, "verify": True}):
        loaded = vicinal.load(tmp_path / "m", **options)
        np.testing.assert_array_equal(answers(loaded), expected[classes])
        ours, theirs = (one.contributions(ROWS, "y") for one in (models[classes], loaded))
        np.testing.assert_array_equal(theirs.values, ours.values)
        stored, again = (one.influences(None, "y") for one in (models[classes], loaded))
        np.testing.assert_array_equal(again.shares, stored.shares)


@both
def test_stored_cases_are_predicted_without_their_own_outcome(classes):
    # The number of rounds and the metric may see it, but neighbors and scores must not.
    table = frame(N, classes=classes)
    model = fit(table)
    before = answers_of_stored(model, 7)
    outcome = np.where(table["y"][7] == "yes", "no", "yes") if classes else table["y"][7] + 50
    model.update([7], {"y": [outcome.item() if classes else outcome]})
    np.testing.assert_array_equal(answers_of_stored(model, 7), before)


def answers_of_stored(model, case):
    ready = model._ready()
    model.tuning("y")
    predictor = predictor_of(model)
    left_out = predictor.left_out(np.array([case]))
    shares = predictor.influences(ready.cases(np.array([case]), "y"))
    return np.concatenate([shares.indices.ravel(), shares.shares.ravel(), left_out.values * 0])
