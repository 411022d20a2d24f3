"""``vicinal demo``."""

import re

import numpy as np
import pytest

import vicinal
from tests.cli.running import run
from vicinal.cli.demo import demo_report
from vicinal.cli.demo_sections import residuals_section, section
from vicinal.data import load_penguins
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import value_text

SETTINGS = {
    "case": 200,
    "k": 3,
    "title": "Penguins of Antarctica",
    "target": "species",
    "fixed": ("sex", "year"),
}


@pytest.fixture(scope="module")
def report():
    return demo_report(load_penguins(), **SETTINGS)


def test_demo_prints_the_report(report):
    result = run("demo")
    assert result.exit_code == 0, result.output
    assert result.output.startswith(report)
    assert "vicinal explore " in result.output.splitlines()[-1]


def test_demo_is_the_same_every_time(report):
    again = demo_report(load_penguins(), **SETTINGS)
    assert again == report


def test_demo_fits_into_a_terminal(report):
    assert max(map(len, report.splitlines())) <= 90


def test_demo_says_whether_the_residuals_have_converged(report):
    assert "The last round changed very little" in report
    assert "not converged" in residuals_section([{"a": 1.0}, {"a": 0.5}], converged=False)


def test_demo_names_every_feature_in_every_part(report):
    parts = re.split(r"\n\n\d\. ", report)[1:]
    assert len(parts) == 6
    for part in parts[:5]:
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


def test_demo_explains_the_case_by_rows_of_the_table(report):
    table = load_penguins()
    part = re.split(r"\n\n\d\. ", report)[4]
    asked = {name: [values[200]] for name, values in table.items()}
    why = vicinal.Model().fit(without(table, 200)).explain(asked, "species")[0]
    assert why.headline in part
    first = int(why.cases.numbers[0])
    assert f"#{first + (first >= 200)} " in part
    assert "Features: the probability of Gentoo goes from" in part


def test_demo_shows_an_anomaly_of_which_all_is_known(report):
    table = load_penguins()
    part = re.split(r"\n\n\d\. ", report)[5]
    rows = [line.split() for line in part.split("\n\n")[1].splitlines()]
    case = int(rows[0][1].removeprefix("#"))
    assert [cells[1] for cells in rows[1:]] == [value_text(v[case]) for v in table.values()]
    assert "?" not in [cells[1] for cells in rows[1:]]
    assert any(cells[2].startswith("+") for cells in rows[1:])


def test_demo_shows_a_change_that_changes_the_answer(report):
    table = load_penguins()
    part = re.split(r"\n\n\d\. ", report)[6]
    wanted = re.search(r"leads to the prediction (\w+)", part)[1]
    changed = {name: values[200] for name, values in table.items() if name != "species"}
    for line in part.split("\n\n")[1].splitlines()[1:]:
        name, before, after = line.split()
        assert value_text(changed[name]) == before
        assert name not in ("sex", "year")
        changed[name] = after if name == "island" else float(after)
    row = {name: [value] for name, value in changed.items()}
    # What is shown is rounded, so the answer may be as close to the edge as the search left it.
    model = vicinal.Model().fit(without(table, 200))
    chances = model.predict_proba(row, "species")[0]
    place = model.schema_["species"].categories.index(wanted)
    assert chances[place] > chances.max() - 0.05


def test_demo_says_so_where_nothing_is_strange_or_can_change():
    table = {"a": [float(i) for i in range(12)], "b": ["x"] * 12}
    report = demo_report(table, case=0, k=1, target="b")
    assert "There is none: every case is about as close" in report
    assert "6. " not in report
    other = {"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"], "c": [5.0] * 4}
    report = demo_report(other, case=0, k=1, target="b", fixed=("a",))
    assert "No counterfactual" in report


def test_demo_writes_plots_where_it_is_told(tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "new" / "pictures"
    result = run("demo", "--plots", str(folder))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == [
        "conviction.png",
        "explanation.png",
        "features.png",
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.iterdir())
    assert str(folder / "features.png") in result.output


def part_3(report):
    lines = report.split("3. The nearest neighbors")[1].split("\n\n")[1].splitlines()
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


def test_a_section_has_an_underlined_title():
    assert section("Schema", "two features") == "Schema\n------\ntwo features"
