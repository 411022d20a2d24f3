"""Our models among published ones, on a tiny folder in TabArena's manner."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks.quality.arena import published_errors, read_arena
from benchmarks.quality.arena_summary import print_summary
from benchmarks.quality.tabarena import main
from tests.benchmarks.quality.tables import arena_folder

pytest.importorskip("pyarrow")


@pytest.fixture
def folder(tmp_path):
    return arena_folder(tmp_path)


def run(folder, *more):
    main(["--data", str(folder), "--out", str(folder / "results.csv"), *more])
    return pd.read_csv(folder / "results.csv")


@pytest.mark.usefixtures("jobs_run_here")
def test_every_table_is_fitted_on_its_rows_and_shown(folder, capsys):
    results = run(folder, "--models", "vicinal-irw,hist_gradient_boosting", "--seeds", "0,1")
    assert len(results) == 3 * 2 * 2
    assert results["error"].isna().all()
    assert set(results["n_train"]) == {60}
    assert set(results["n_test"]) == {20}
    shown = capsys.readouterr().out
    assert "geometric mean" in shown
    assert "## Elo, all methods: 3 tables, 4 published methods" in shown
    assert "## Elo, defaults only: 3 tables, 3 published methods" in shown
    assert "TABICL (default)*" in shown


@pytest.mark.usefixtures("jobs_run_here")
def test_a_second_run_goes_on_where_the_first_stopped(folder, capsys):
    first = run(folder, "--models", "vicinal-irw", "--only", "two")
    second = run(folder, "--models", "vicinal-irw")
    assert "3 jobs, 1 already in" in capsys.readouterr().out
    pd.testing.assert_frame_equal(first, second[:1], check_dtype=False)
    assert len(second) == 3


@pytest.mark.usefixtures("jobs_run_here")
def test_the_summary_shows_what_was_asked_for_only(folder, capsys):
    run(folder, "--models", "vicinal-irw,hist_gradient_boosting")
    capsys.readouterr()
    run(folder, "--models", "vicinal-irw", "--only", "two")
    assert "hist_gradient_boosting" not in capsys.readouterr().out


def test_errors_are_those_of_the_metric(folder):
    tables = {table.name: table for table in read_arena(folder, [])}
    truth, p = np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.9, 0.5])
    both = np.column_stack([1 - p, p])
    two, classes = tables["two"], np.array([0, 1])
    assert two.error(truth, both, classes) == pytest.approx(1 - roc_auc_score(truth, p))
    three = tables["three"]
    assert three.error(truth, both, classes) == pytest.approx(log_loss(truth, both))
    number = tables["number"]
    assert number.error(np.array([0.0, 0.0]), np.array([3.0, 1.0]), classes) == np.sqrt(5)


def test_ranks_and_ratios_are_against_the_published_defaults(folder, capsys):
    columns = [
        "dataset",
        "model",
        "seed",
        "metric",
        "metric_error",
        "fit_cpu_s",
        "predict_cpu_s",
        "error",
    ]
    rows = [
        ("two", "vicinal", 0, "roc_auc", 0.2, 1.0, 2.0, None),
        ("two", "vicinal", 1, "roc_auc", 0.3, 1.0, 2.0, None),
        ("number", "vicinal", 0, "rmse", 1.0, 1.0, 2.0, None),
    ]
    print_summary(pd.DataFrame(rows, columns=columns), published_errors(folder))
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if line.startswith("| two"))
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells == ["two", "roc_auc", "0.25", "0.5", "0.500", "2 of 4", "1.00", "2.00"]
    mean = next(line for line in shown.splitlines() if line.startswith("| geometric mean"))
    assert " 1.000 " in mean  # of 0.25 / 0.5 and 1 / 0.5


def test_an_unknown_model_or_table_is_refused(folder):
    with pytest.raises(SystemExit, match="unknown model cart"):
        run(folder, "--models", "cart")
    with pytest.raises(SystemExit, match="nowhere: fits none of 3"):
        run(folder, "--only", "nowhere")
