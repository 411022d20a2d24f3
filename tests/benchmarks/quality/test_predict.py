"""The prediction benchmark on a tiny folder: groups, seeds, caps, resuming."""

import pandas as pd
import pytest

from benchmarks.quality.predict import main
from tests.benchmarks.quality.tables import data_folder


@pytest.fixture
def folder(tmp_path):
    return data_folder(tmp_path)


def run(folder, *more, task="classification", models="vicinal-irw"):
    arguments = ["--data", str(folder), "--out", str(folder / "results.csv"), "--task", task]
    main([*arguments, "--models", models, *more])
    return pd.read_csv(folder / "results.csv")


@pytest.mark.usefixtures("jobs_run_here")
def test_group_seeds_and_models_are_those_asked_for(folder, capsys):
    peers = "hist_gradient_boosting,linear-balanced"
    results = run(folder, "--group", "real", "--seeds", "1,4", "--peers", peers)
    assert set(results["dataset"]) == {"two"}
    assert set(results["split"]) == {1, 4}
    assert set(results["model"]) == {"vicinal-irw", *peers.split(",")}
    assert results["error"].isna().all()
    assert results["auc"].between(0, 1).all()
    shown = capsys.readouterr().out
    assert "| vicinal-irw minus" in shown
    assert "| mean rank" in shown


@pytest.mark.usefixtures("jobs_run_here")
def test_training_rows_are_capped_and_caps_do_not_mix(folder):
    options = ["--splits", "1", "--only", "number", "--peers", "linear"]
    results = run(folder, *options, "--max-train", "20", task="regression")
    assert set(results["n_train"]) == {20}
    assert set(results["n_test"]) == {20}
    with pytest.raises(SystemExit, match="at most 20 training rows"):
        run(folder, *options, task="regression")


@pytest.mark.usefixtures("jobs_run_here")
def test_labeled_anomalies_are_two_classes(folder):
    results = run(folder, "--labeled-anomalies", "--splits", "1", "--peers", "linear")
    assert set(results["dataset"]) == {"odd"}
    assert set(results["group"]) == {"found"}
    assert results["error"].isna().all()
    assert results["auc"].between(0, 1).all()


def test_numbers_have_no_labeled_anomalies(folder, capsys):
    with pytest.raises(SystemExit):
        run(folder, "--labeled-anomalies", "--peers", "none", task="regression")
    assert "needs --task classification" in capsys.readouterr().err


def test_balanced_classes_are_for_classifiers_only(folder):
    with pytest.raises(SystemExit, match="unknown peers linear-balanced"):
        run(folder, "--peers", "linear-balanced", task="regression")


def test_an_unknown_group_is_refused(folder):
    with pytest.raises(SystemExit, match="--group reel: expected some of pmlb, real"):
        run(folder, "--group", "reel", "--peers", "none")
