"""The study of robustness: what disturbances change, what attacks find, how models compare."""

from argparse import Namespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.quality.robustness import noise
from benchmarks.quality.robustness.comparison import (
    by_table,
    compared,
    from_best,
    mean_ranks,
    rank,
)
from benchmarks.quality.robustness.disturbances import DISTURBANCES
from benchmarks.quality.robustness.elsewhere import other_table, permuted
from benchmarks.quality.robustness.evasion import minimum_norm
from benchmarks.quality.robustness.samples import Sample
from benchmarks.quality.robustness.thresholds import _mixed

LEVELS = [(name, level) for name, (_, levels) in DISTURBANCES.items() for level in levels]


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120)})
    table["word"] = rng.choice(["x", "y", "z"], 120)
    order = rng.permutation(120)
    return Sample(table, rng.integers(3, size=120), order[:80], order[80:])


def disturbed(sample, name, level):
    return DISTURBANCES[name][0](sample, level, np.random.default_rng(1))


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_outcomes_of_test_rows_are_never_disturbed(sample, name, level):
    changed = disturbed(sample, name, level)
    assert not set(changed.train) & set(changed.test)
    if name != "cluster left out":
        assert np.array_equal(changed.test, sample.test)
    assert np.array_equal(changed.target[changed.test], sample.target[changed.test])
    untouched = name in ("none", "label noise", "class balance", "cluster left out")
    assert changed.table.equals(sample.table) == untouched


@pytest.mark.parametrize("level", [0.1, 0.4])
def test_label_noise_changes_as_many_labels_as_it_says(sample, level):
    changed = disturbed(sample, "label noise", level)
    assert (changed.target != sample.target).sum() == round(level * 80)


def test_new_cell_noise_leaves_training_rows_alone(sample):
    changed = disturbed(sample, "new cell noise", 0.5)
    assert changed.table.iloc[sample.train].equals(sample.table.iloc[sample.train])
    assert (changed.table["a"] != sample.table["a"]).sum() == 40


def test_columns_are_added_and_the_old_ones_stay(sample):
    for name in ("irrelevant columns", "duplicated columns"):
        changed = disturbed(sample, name, 1.0)
        assert changed.table.shape == (120, 13)
        assert changed.table[["a", "b", "word"]].equals(sample.table)


def test_outliers_are_added_to_the_training_rows(sample):
    changed = disturbed(sample, "outliers planted", 0.1)
    assert len(changed.train) == 88
    assert changed.table["a"].iloc[120:].abs().max() > 5


def test_one_class_becomes_rare(sample):
    often = np.bincount(sample.target[sample.train]).argmax()
    before, after = (
        (one.target[one.train] == often).sum()
        for one in (sample, disturbed(sample, "class balance", 0.2))
    )
    assert after == round(0.2 * before)


def test_the_walk_finds_the_nearest_side_of_a_line():
    rng = np.random.default_rng(0)
    train = rng.normal(size=(300, 2))
    predict = lambda points: (points.sum(axis=1) > 0).astype(np.int64)  # noqa: E731
    rows = np.array([[0.5, 0.3], [-1.0, -0.6], [0.1, -0.4]])
    changes, costs = minimum_norm(predict, rows, train, predict(train), seed=0)
    # The smallest change moves both coordinates by half of their sum.
    np.testing.assert_allclose(costs, np.abs(rows.sum(axis=1)) / 2, rtol=0.05)
    np.testing.assert_allclose(np.abs(changes).max(axis=1), costs)
    assert (predict(rows + changes) != predict(rows)).all()


def test_rows_from_elsewhere():
    rng = np.random.default_rng(0)
    rows, others = rng.normal(size=(30, 3)), [rng.normal(size=(50, 2)), rng.normal(size=(40, 5))]
    assert other_table(rows, others, rng).shape == (30, 3)
    assert other_table(rows, others[:1], rng) is None
    mixed = permuted(rows, rng)
    assert np.array_equal(np.sort(mixed, axis=0), np.sort(rows, axis=0))
    assert not np.array_equal(mixed, rows)


def test_shares_of_anomalies_are_those_asked_for():
    for share in (0.0, 0.1, 0.35):
        _, strange = _mixed(np.zeros((500, 2)), np.ones((90, 2)), share)
        assert strange.mean() == pytest.approx(share, abs=0.005)


def test_a_study_goes_on_where_its_file_ends(tmp_path, monkeypatch, sample):
    tried = []
    monkeypatch.setattr(noise, "samples", lambda given: [("table", 0, sample)])
    monkeypatch.setattr(
        noise, "_trial", lambda *job: tried.append(job) or {"accuracy": 0.5, "log_loss": 1.0}
    )
    given = Namespace(out=tmp_path, models=["linear"])
    noise.run(given)
    assert len(tried) == len(LEVELS)
    noise.run(given)
    assert len(tried) == len(LEVELS)


def test_models_are_compared_table_by_table():
    lines = pd.DataFrame(
        [
            {"dataset": d, "split": 0, "disturbance": k, "level": 1.0, "model": m}
            | {"accuracy": a, "log_loss": 1 - a}
            for k, d, m, a in [
                ("noise", "one", "good", 0.9),
                ("noise", "one", "poor", 0.7),
                ("noise", "two", "good", 0.8),
                ("noise", "two", "poor", 0.8),
                ("shift", "one", "good", 0.5),
                ("shift", "one", "poor", 0.6),
            ]
        ]
    )
    one = lines[lines["disturbance"] == "noise"]
    below, error = from_best(by_table(one, "accuracy"))
    assert below["poor"] == pytest.approx(0.1)
    assert error["poor"] == pytest.approx(0.1)
    assert rank(one).to_dict() == {"good": 1.25, "poor": 1.75}
    assert "0.100 ± 0.100" in compared(one)
    # Best under noise; under shift a single table says nothing of an error.
    [good] = [line for line in mean_ranks(lines).splitlines() if "good" in line]
    assert "1 of 2" in good
