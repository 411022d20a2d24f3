"""Models and estimators in files: the same answers to the last bit, and nothing taken on trust."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import vicinal
from tests.mixed_table import OPTIONS, mixed_table, take
from tests.model.questions import ask, assert_same
from vicinal import (
    FileError,
    Model,
    VicinalClassifier,
    VicinalDensity,
    VicinalOutlierDetector,
    VicinalRegressor,
)
from vicinal.model.files import model_parts
from vicinal.storage import open_file, write_file

DATA = Path(__file__).parents[1] / "data"
LOADS = [{}, {"mmap": True}, {"mmap": True, "verify": True}]


@pytest.fixture(scope="module")
def lived(queries):
    """A model with targets learned, and a life behind it."""
    model = Model(**OPTIONS).fit(mixed_table(90, seed=2))
    ask(model, queries)
    more = mixed_table(12, seed=5)
    more["colour"][0] = "violet"
    model.add(more, sample_weight=np.resize([1, 2, 0.5], 12))
    model.remove([3, 17, 92])
    model.update([5, 95], take(mixed_table(9, seed=8), [0, 1]))
    return model


@pytest.fixture(scope="module")
def file(lived, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "lived.vicinal"
    lived.save(path)
    return path


@pytest.mark.parametrize("options", LOADS)
def test_every_answer_is_the_same_after_saving_and_loading(lived, file, queries, options):
    loaded = vicinal.load(file, **options)
    assert_same(ask(loaded, queries), ask(lived, queries))
    assert loaded.schema_ == lived.schema_
    assert loaded.residuals_ == lived.residuals_
    assert loaded.residual_history_ == lived.residual_history_
    assert loaded.residual_sample_ == lived.residual_sample_
    assert loaded.stale_ == lived.stale_
    assert repr(loaded.log_) == repr(lived.log_)
    assert loaded.tuning("weight").trials == lived.tuning("weight").trials


def test_a_target_learned_only_after_loading_is_learned_alike(file, lived):
    asked = {"weight": [70.0], "colour": ["red"]}
    assert_same(
        [vicinal.load(file, mmap=True).predict(asked, "income")], [lived.predict(asked, "income")]
    )


def test_a_loaded_model_lives_on_like_the_one_that_was_saved(lived, file, queries):
    loaded, kept = vicinal.load(file, mmap=True), copy.deepcopy(lived)
    for model in (loaded, kept):
        model.remove([8])
        model.add(mixed_table(4, seed=11))
        model.update([9], {"colour": ["brown"]})
    assert_same(ask(loaded, queries), ask(kept, queries))
    assert loaded.stale_ == kept.stale_
    loaded.refresh()
    kept.refresh()
    asked = ["neighbors", "predict_proba", "conviction"]
    assert_same(ask(loaded, queries, asked), ask(kept, queries, asked))


def test_saving_what_was_loaded_gives_the_same_file(file, tmp_path):
    vicinal.load(file, mmap=True).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_a_mapped_model_may_be_saved_over_its_own_file(lived, tmp_path, queries):
    lived.save(tmp_path / "m")
    loaded = vicinal.load(tmp_path / "m", mmap=True)
    loaded.save(tmp_path / "m")
    assert_same(ask(loaded, queries, ["neighbors"]), ask(lived, queries, ["neighbors"]))


def test_values_of_removed_cases_are_not_in_the_file(tmp_path):
    secret = 123456.789
    model = Model().fit({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"]})
    [number] = model.add({"a": [secret], "b": ["x"]})
    model.remove(number)
    model.refresh().save(tmp_path / "m")
    assert np.float64(secret).tobytes() not in (tmp_path / "m").read_bytes()


def test_large_tables_high_cardinality_and_every_setting_survive(tmp_path):
    rng = np.random.default_rng(0)
    table = {
        "word": [f"wörd {i}" for i in rng.integers(0, 900, 3000)],
        "n": rng.normal(size=3000),
        "when": np.datetime64("2024-01-01") + rng.integers(0, 1000, 3000).astype("m8[h]"),
        "rank": rng.integers(0, 5, 3000),
    }
    model = Model(
        p=0.5,
        n_neighbors=7,
        ordinal_features=["rank"],
        missing_values={"n": [-999, float("nan")]},
        missing={"n": "distinct"},
        feature_weights={"n": 2.0},
        kinds={"word": "nominal"},
        max_rounds=1,
        residual_mean="square",
        n_jobs=1,
    ).fit(table)
    model.save(tmp_path / "m")
    loaded = vicinal.load(tmp_path / "m")
    names = "p n_neighbors ordinal_features missing feature_weights kinds residual_mean"
    for name in names.split():
        assert getattr(loaded, name) == getattr(model, name)
    rows = {name: column[:20] for name, column in table.items()}
    asked = ["neighbors", "conviction"]
    assert_same(ask(loaded, rows, asked), ask(model, rows, asked))


def test_a_model_without_cases_or_not_fitted(tmp_path):
    with pytest.raises(vicinal.NotFittedError):
        Model().save(tmp_path / "m")
    model = Model().fit({"a": [1.0, 2.0]})
    model.remove([0, 1])
    model.save(tmp_path / "m")
    assert len(vicinal.load(tmp_path / "m", mmap=True)) == 0


def test_settings_that_are_no_plain_values_are_named(tmp_path):
    model = Model().fit({"a": [1.0, 2.0]})
    model.n_jobs = object()
    with pytest.raises(FileError, match="n_jobs is or holds a object"):
        model.save(tmp_path / "m")


# --- estimators ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    return list(estimators())


def estimators():
    words = np.array(["no", "yes", "maybe"])
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = words[np.digitize(X[:, 0], [-0.5, 0.5])]
    weights = np.resize([1.0, 2.0, 0.0, 1.0], 60)
    yield VicinalClassifier(categorical_features=None).fit(X, y, weights), X
    yield VicinalClassifier().fit(X, X[:, 0] > 0), X
    yield VicinalRegressor().fit(X, X[:, :2] * 3, weights), X
    yield VicinalRegressor(random_state=4).fit(X, X[:, 0]), X
    yield VicinalOutlierDetector(contamination=0.1).fit(X, sample_weight=weights), X
    yield VicinalDensity().fit(X), X


def answers(estimator, X):
    methods = ("predict", "predict_proba", "predict_set", "predict_interval", "score_samples")
    methods += ("kneighbors", "decision_function")
    return [getattr(estimator, one)(X[:9]) for one in methods if hasattr(estimator, one)]


@pytest.mark.parametrize("options", LOADS)
@pytest.mark.parametrize("place", range(6))
def test_estimators_answer_alike_after_saving_and_loading(tmp_path, fitted, place, options):
    estimator, X = fitted[place]
    estimator.save(tmp_path / "e")
    loaded = vicinal.load(tmp_path / "e", **options)
    assert type(loaded) is type(estimator)
    assert loaded.get_params() == estimator.get_params()
    for actual, expected in zip(answers(loaded, X), answers(estimator, X), strict=True):
        np.testing.assert_array_equal(actual, expected)
    if hasattr(estimator, "classes_"):
        np.testing.assert_array_equal(loaded.classes_, estimator.classes_)
        assert loaded.classes_.dtype == estimator.classes_.dtype
    if hasattr(estimator, "labels_"):
        np.testing.assert_array_equal(loaded.labels_, estimator.labels_)


def test_a_random_state_object_cannot_be_saved(tmp_path):
    detector = VicinalDensity(random_state=np.random.RandomState(0)).fit([[1.0], [2.0], [4.0]])
    with pytest.raises(FileError, match="random_state is or holds a RandomState"):
        detector.save(tmp_path / "e")


# --- kept samples of every protocol -------------------------------------------------------------


@pytest.mark.parametrize("protocol", [1])
def test_files_of_every_protocol_are_read(protocol):
    with open_file(DATA / f"protocol-{protocol}.vicinal") as file:
        assert file.header.protocol == protocol
    model = vicinal.load(DATA / f"protocol-{protocol}.vicinal")
    kept = json.loads((DATA / f"protocol-{protocol}.json").read_text())
    rows = {"height": [1.2, None], "colour": ["red", "blue"]}
    assert model.neighbors(rows, k=3).indices.tolist() == kept["indices"]
    np.testing.assert_allclose(model.neighbors(rows, k=3).distances, kept["distances"], rtol=1e-12)
    np.testing.assert_allclose(model.predict(rows, "weight"), kept["weight"], rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(rows, "colour"), kept["colour"], rtol=1e-9)
    assert [change.action for change in model.log_] == ["fit", "add", "remove", "update"]
    classifier = vicinal.load(DATA / f"protocol-{protocol}-classifier.vicinal")
    assert classifier.predict([[0.0], [3.0]]).tolist() == ["low", "high"]


# --- content that cannot be ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def parts():
    model = Model().fit({"a": [1.0, 2.0, 4.0, 8.0, None], "b": ["x", "y", "x", "x", "y"]})
    model.predict_interval({"b": ["x"]}, "a")
    model.predict({"a": [3.0]}, "b")
    model.add({"a": [3.0], "b": ["z"]})
    return model_parts(model)


def refused(tmp_path, state, arrays, kind="Model"):
    write_file(tmp_path / "m", kind, "0", state, arrays)
    for options in LOADS:
        with pytest.raises(FileError, match="cannot be loaded"):
            vicinal.load(tmp_path / "m", **options)


def test_parts_that_are_as_they_were_are_taken(tmp_path, parts):
    write_file(tmp_path / "m", "Model", "0", *parts)
    assert len(vicinal.load(tmp_path / "m")) == 6


def test_what_is_not_known_is_refused(tmp_path, parts):
    refused(tmp_path, *parts, kind="Exploit")
    refused(tmp_path, *parts, kind="VicinalClassifier")
    refused(tmp_path, *parts, kind="__builtins__")


ARRAYS = [
    ("cases/values", lambda a: a[:-1]),
    ("cases/values", lambda a: a[:, :1]),
    ("cases/values", lambda a: a.ravel()),
    ("cases/values", lambda a: np.nan_to_num(a).astype(np.int64)),
    ("cases/codes", lambda a: a[:0]),
    ("cases/codes", lambda a: a[:, :, :16]),
    ("cases/summary", lambda a: a[:0]),
    ("cases/bins", lambda a: a * np.nan),
    ("cases/edges", lambda a: a[:, :3]),
    ("cases/kinds", lambda a: a + 2),
    ("cases/kinds", lambda a: a[::-1]),
    ("cases/kinds", lambda a: a[:0]),
    ("cases/lacking", lambda a: a[:1]),
    ("cases/scales", lambda a: a * np.inf),
    ("cases/row_of", lambda a: a + 1),
    ("cases/row_of", lambda a: a - 2),
    ("cases/row_of", lambda a: a * 0),
    ("cases/row_of", lambda a: a.astype(float)),
    ("residuals/values", lambda a: a[:1]),
    ("residuals/history", lambda a: a[0]),
    ("log/action", lambda a: a + 9),
    ("log/count", lambda a: a - 99),
    ("log/first", lambda a: ~a),
    ("log/when", lambda a: a[:-1]),
    ("log/when", lambda a: a * 10_000),
    ("moved/cells", lambda a: a + (1 << 40)),
    ("moved/masses", lambda a: a[:1]),
    ("moved/counts", lambda a: a[:2]),
]


@pytest.mark.parametrize(("name", "change"), ARRAYS)
def test_arrays_that_no_model_has_are_refused(tmp_path, parts, name, change):
    state, arrays = parts
    refused(tmp_path, state, {**arrays, name: np.ascontiguousarray(change(arrays[name]))})


def test_arrays_that_are_absent_are_refused(tmp_path, parts):
    state, arrays = parts
    for name in [one for one in arrays if not one.startswith("learned")] + ["learned/0"]:
        refused(tmp_path, state, {key: one for key, one in arrays.items() if key != name})


def test_infinite_values_and_codes_out_of_range_are_found(tmp_path, parts):
    state, arrays = parts
    for wrong in (np.inf, -1.0, 0.5, 1e12):
        values = arrays["cases/values"].copy()
        values[0, 1] = wrong
        write_file(tmp_path / "m", "Model", "0", state, {**arrays, "cases/values": values})
        for options in ({}, {"mmap": True, "verify": True}):
            with pytest.raises(FileError):
                vicinal.load(tmp_path / "m", **options)


def leaves(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in items:
        yield (*path, key)
        if isinstance(one, dict | list):
            yield from leaves(one, (*path, key))


@pytest.mark.parametrize(
    "wrong", [None, -1, 1e308, "x", [], {}, {"array": "cases/values"}, {"mapping": [1]}, 10**20]
)
def test_states_with_anything_in_any_place_are_refused_or_answer(tmp_path, parts, wrong):
    state, arrays = parts
    places = list(leaves(state))
    for place in places[:: max(1, len(places) // 60)]:
        changed = copy.deepcopy(state)
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = wrong
        write_file(tmp_path / "m", "Model", "0", changed, arrays)
        try:
            loaded = vicinal.load(tmp_path / "m")
        except FileError:
            continue
        # What is taken can be asked.
        try:
            loaded.neighbors({"a": [1.0]}, k=2)
            loaded.predict({"a": [3.0]}, "b")
        except vicinal.VicinalError:
            pass
