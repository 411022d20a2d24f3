"""A store that has changed is saved, loaded and compacted without changing an answer."""

from __future__ import annotations

import shutil
from copy import copy

import numpy as np
import pandas as pd
import pytest

import vicinal
from tests.mixed_table import OPTIONS, mixed_table
from vicinal.exceptions import FileError, ParameterError

SETTINGS = {**OPTIONS, "max_queries": 60, "max_members": 3, "n_jobs": 1}
TABLE = pd.DataFrame(mixed_table(400, seed=3))
ROWS = pd.DataFrame(mixed_table(12, seed=4))
MORE = pd.DataFrame(mixed_table(30, seed=5))


def answers(model):
    return [
        model.predict_proba(ROWS, "colour"),
        model.neighbors(ROWS, k=5).indices,
        model.neighbors(ROWS, k=5).distances,
        model.conviction(ROWS).similarity,
    ]


def check(*models):
    for one in models[1:]:
        for actual, expected in zip(answers(one), answers(models[0]), strict=True):
            np.testing.assert_array_equal(actual, expected)
        assert len(one) == len(models[0])
        assert one.stale_ == models[0].stale_


def change(model):
    model.add(MORE)
    model.update([5, 6, 401], MORE[:3].assign(colour=["blue", "violet", "red"]))
    model.remove([0, 1, 5, 402])


@pytest.fixture
def store(tmp_path):
    return tmp_path / "mixed.vicinal.d"


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A model in memory, and a store of the same cases; both have learned a target."""
    store = tmp_path_factory.mktemp("fitted") / "any name will do"
    settings = vicinal.Model(**SETTINGS)
    sharded = vicinal.sharded.fit([TABLE], store=store, settings=settings, shard_rows=150)
    whole = vicinal.Model(**SETTINGS).fit(TABLE)
    for one in (whole, sharded):
        one.predict(ROWS, "colour")
    sharded.save(store)
    return whole, store


@pytest.fixture
def both(fitted, store):
    """Both, to be changed at will."""
    whole, original = fitted
    shutil.copytree(original, store)
    return copy(whole), vicinal.load(store)


def test_changed_stores_answer_as_changed_models_do(both, store, tmp_path):
    whole, sharded = both
    before = copy(sharded)
    for one in both:
        change(one)
    check(whole, sharded)
    assert len(before) == len(TABLE)
    sharded.save(store)
    check(whole, vicinal.load(store))
    elsewhere = tmp_path / "other.vicinal.d"
    sharded.save(elsewhere)
    vicinal.sharded.compact(store)
    compacted = vicinal.load(store)
    assert compacted.index_.recent is None
    check(whole, compacted, vicinal.load(elsewhere), vicinal.load(elsewhere, verify=True))
    for one in (whole, compacted):
        one.remove([7, 410])
        one.add(MORE[:4])
    check(whole, compacted)


def test_files_that_are_no_longer_needed_are_deleted(both, store):
    _, sharded = both
    change(sharded)
    for _ in range(2):
        sharded.save(store)
        vicinal.sharded.compact(store)
        sharded = vicinal.load(store)
    assert len(list((store / "shards").glob("*.vicinal"))) == 3
    assert len(list(store.glob("*.vicinal"))) == 2  # what was learned, and the pilot


def test_a_store_that_was_written_anew_is_not_overwritten_by_an_old_model(both, store):
    _, sharded = both
    vicinal.sharded.compact(store)
    with pytest.raises(FileError, match="was written anew since"):
        sharded.save(store)
    assert len(vicinal.load(store)) == len(TABLE)


def test_a_small_store_can_be_saved_to_a_file_and_refreshed(both, tmp_path):
    whole, sharded = both
    sharded.save(tmp_path / "one.vicinal")
    check(whole, vicinal.load(tmp_path / "one.vicinal"))
    for one in both:
        change(one)
    check(whole.refresh(), sharded.refresh())


def test_large_stores_say_what_they_cannot_do(both, monkeypatch, tmp_path):
    _, sharded = both
    monkeypatch.setattr("vicinal.index.sharded.MOST_GATHERED", 100)
    with pytest.raises(ParameterError, match="ask about some of them"):
        sharded.conviction()
    with pytest.raises(ParameterError, match=r"need all cases in memory.*baseline='auto'"):
        sharded.explain(ROWS[:1], "colour")
    with pytest.raises(ParameterError, match=r"fit the table anew with vicinal\.sharded\.fit"):
        sharded.refresh()
    with pytest.raises(ParameterError, match="expected at most 100"):
        sharded.save(tmp_path / "one.vicinal")
    imputed = sharded.impute(ROWS)
    assert len(imputed.table) == len(ROWS)
    assert imputed.n_cases == 100


def test_rows_are_compared_with_the_same_sample_of_many_cases(both, monkeypatch):
    monkeypatch.setattr("vicinal.index.sharded.MOST_GATHERED", 100)
    monkeypatch.setattr("vicinal.conviction.sampled_baseline.MOST_CASES", 100)
    monkeypatch.setattr("vicinal.conviction.sampled_baseline.SAMPLE_SIZE", 200)
    whole, sharded = both
    expected, actual = whole.conviction(ROWS), sharded.conviction(ROWS)
    np.testing.assert_array_equal(actual.similarity, expected.similarity)
    np.testing.assert_array_equal(actual.familiarity, expected.familiarity)
    assert str(sharded.anomalies(ROWS)) == str(whole.anomalies(ROWS))
    stored = sharded.conviction(case=[0, 1, 2, 3, 4])
    assert stored.cases.tolist() == [0, 1, 2, 3, 4]
    assert stored.stored
    expected, actual = (one.conviction(max_cases=30) for one in both)
    assert len(np.unique(actual.cases)) == 30
    np.testing.assert_array_equal(actual.cases, expected.cases)
    np.testing.assert_array_equal(actual.similarity, expected.similarity)
    assert str(sharded.anomalies(max_cases=30)) == str(whole.anomalies(max_cases=30))
    assert sharded.explain(ROWS[:1], "colour", features=False)


def test_contributions_and_densities_of_many_cases_come_from_samples(both, monkeypatch):
    """The same samples as on one machine, though no place has all cases."""
    monkeypatch.setattr("vicinal.index.sharded.MOST_GATHERED", 100)
    monkeypatch.setattr("vicinal.explain.case_samples.SAMPLES", 2)
    monkeypatch.setattr("vicinal.explain.case_samples.SAMPLE_SIZE", 100)
    monkeypatch.setattr("vicinal.density.sampled.MOST_CASES", 100)
    monkeypatch.setattr("vicinal.density.sampled.SAMPLE_SIZE", 80)
    monkeypatch.setattr("vicinal.density.sampled.NEAR", 90)
    expected, actual = (one.contributions(ROWS[:3], "colour") for one in both)
    assert (actual.standard_errors > 0).any()
    for name in ("values", "baseline", "predictions", "standard_errors"):
        np.testing.assert_array_equal(getattr(actual, name), getattr(expected, name), name)
    expected, actual = (one.density(ROWS, return_error=True) for one in both)
    np.testing.assert_array_equal(actual, expected)
    assert (actual[1] > 0).any()


def test_reports_and_audits_of_large_stores_are_of_a_sample_and_say_so(
    both, monkeypatch, tmp_path
):
    monkeypatch.setattr("vicinal.index.sharded.MOST_GATHERED", 100)
    monkeypatch.setattr("vicinal.conviction.sampled_baseline.MOST_CASES", 100)
    monkeypatch.setattr("vicinal.conviction.sampled_baseline.SAMPLE_SIZE", 200)
    monkeypatch.setattr("vicinal.explain.information_matrix._REFERENCE", 50)
    _, sharded = both
    assert f"Audit of 100 cases (a sample of {len(TABLE)})" in str(sharded.audit())
    sharded.report(tmp_path / "report.html", max_cases=40)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert f"40 cases, a sample of {len(TABLE)}," in page
    assert f"40 of {len(TABLE)} cases" in page


def test_a_model_in_memory_is_no_store(tmp_path):
    model = vicinal.Model().fit({"x": [1.0, 2.0, 3.0]})
    with pytest.raises(ParameterError, match="has its cases in memory"):
        model.save(tmp_path / "a.vicinal.d")


def test_damaged_stores_are_errors_that_name_the_file(both, store):
    shard = next((store / "shards").glob("*.vicinal"))
    raw = shard.read_bytes()
    shard.write_bytes(raw[:-50])
    with pytest.raises(FileError, match=shard.name):
        vicinal.load(store)
    shard.unlink()
    with pytest.raises(FileError, match=f"{shard.name} is missing"):
        vicinal.load(store)
    shard.write_bytes(raw)
    assert len(vicinal.load(store)) == len(TABLE)
    [model] = store.glob("model-*.vicinal")
    model.unlink()
    with pytest.raises(FileError, match=f"{model.name} is missing"):
        vicinal.load(store)
    with pytest.raises(FileError, match="has no manifest"):
        vicinal.load(store / "shards")
