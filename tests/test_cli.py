"""The command ``vicinal``."""

import sys

import numpy as np
import pytest

import vicinal
from vicinal.cli import main
from vicinal.cli.demo import demo_report, residuals_section, value_text
from vicinal.cli.layout import columns
from vicinal.data import load_penguins
from vicinal.exceptions import ParameterError

testing = pytest.importorskip("click.testing")


def run(*arguments):
    from vicinal.cli.commands import vicinal as command

    return testing.CliRunner().invoke(command, list(arguments))


@pytest.fixture(scope="module")
def report():
    return demo_report(load_penguins(), case=200, k=3, title="Penguins of Antarctica")


def test_version_is_the_packages():
    result = run("--version")
    assert result.exit_code == 0
    assert vicinal.__version__ in result.output


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["demo", "--help"]])
def test_help_shows_examples(arguments):
    result = run(*arguments)
    assert result.exit_code == 0
    assert "Examples:" in result.output
    assert "vicinal demo" in result.output


def test_demo_prints_the_report(report):
    result = run("demo")
    assert result.exit_code == 0, result.output
    assert result.output == report + "\n"


def test_demo_is_the_same_every_time(report):
    again = demo_report(load_penguins(), case=200, k=3, title="Penguins of Antarctica")
    assert again == report


def test_demo_fits_into_a_terminal(report):
    assert max(map(len, report.splitlines())) <= 90


def test_demo_says_whether_the_residuals_have_settled(report):
    assert "The last round changed next to nothing" in report
    assert "not settled" in residuals_section([{"a": 1.0}, {"a": 0.5}], converged=False)


def test_demo_names_every_feature_in_every_part(report):
    parts = report.split("\n\n1. ")[1].split("\n\n2. ")
    parts = [parts[0], *parts[1].split("\n\n3. ")]
    assert len(parts) == 3
    for part in parts:
        assert all(name in part for name in load_penguins())


def test_demo_shows_the_residuals_of_every_round(report):
    model = vicinal.Model().fit(without(load_penguins(), 200))
    assert len(model.residual_history_) > 1
    assert f"round {len(model.residual_history_) - 1}" in report
    for found in model.residual_history_:
        assert all(f"{residual:.4g}" in report for residual in found.values())


def test_demo_shows_the_neighbors_that_the_model_finds(report):
    table = load_penguins()
    asked = {name: [values[200]] for name, values in table.items()}
    found = vicinal.Model().fit(without(table, 200)).neighbors(asked, k=3, terms=True)
    header, distances, *features = part_3(report)
    # Rows after the one set aside are one number lower in the model.
    shown = [int(i) + (i >= 200) for i in found.indices[0]]
    assert header[:2] == ["feature", "#200"]
    assert header[2:] == [cell for row in shown for cell in (f"#{row}", "nats")]
    assert distances == ["distance", *(f"{d:.3f}" for d in found.distances[0])]
    assert [cells[0] for cells in features] == list(found.names)
    surprisals = [cells[3::2] for cells in features]
    assert surprisals == [[f"{term:.2f}" for term in terms] for terms in found.terms[0].T]


def test_the_distance_is_the_mean_of_the_surprisals(report):
    _, distances, *features = part_3(report)
    terms = np.array([cells[3::2] for cells in features], dtype=float)
    np.testing.assert_allclose(terms.mean(axis=0), np.array(distances[1:], float), atol=0.006)


def part_3(report):
    lines = report.split("3. The cases nearest")[1].split("\n\n")[1].splitlines()
    return [line.split() for line in lines]


def without(table, row):
    return {name: [*values[:row], *values[row + 1 :]] for name, values in table.items()}


def test_demo_takes_a_case_with_missing_values():
    result = run("demo", "--case", "3", "-k", "2")
    assert result.exit_code == 0, result.output
    assert "#3" in result.output
    assert "?" in result.output


@pytest.mark.parametrize("case", ["-1", "344", "100000"])
def test_a_case_that_is_not_in_the_table_is_refused(case):
    result = run("demo", "--case", case)
    assert result.exit_code == 1
    assert f"got case {case}, expected" in result.output
    assert "Traceback" not in result.output


def test_k_below_one_is_refused():
    result = run("demo", "-k", "0")
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_fewer_cases_than_asked_for_are_all_shown():
    table = {"a": [1.0, 2.0, 4.0], "b": ["x", "y", "x"]}
    report = demo_report(table, case=0, k=10)
    assert sorted(part_3(report)[0]) == ["#0", "#1", "#2", "feature", "nats", "nats"]


def test_a_report_checks_its_case():
    with pytest.raises(ParameterError, match="expected one of the table's rows, 0 to 2"):
        demo_report({"a": [1.0, 2.0, 4.0]}, case=3, k=1)


def test_without_click_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert "\n" not in ended.value.code
    assert "pip install vicinal[cli]" in ended.value.code


def test_the_console_script_runs_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["vicinal", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert vicinal.__version__ in capsys.readouterr().out


def test_columns_align_text_left_and_numbers_right():
    assert columns([["a", "1"], [], ["bcd", "23", "x"]]) == "a     1\n\nbcd  23  x"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "?"), (float("nan"), "?"), (3750.0, "3750"), (7, "7"), ("", "")]
)
def test_values_are_shown_short(value, text):
    assert value_text(value) == text
