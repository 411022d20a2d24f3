"""``--id``: cases go by the names that a column gives them, wherever a table is read."""

import csv
import json

import numpy as np
import pytest

from tests.cli.running import done, refused, rows_of

NAMES = [f"P-{i}" for i in range(60)]


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("ids") / "patients.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "number", "age", "dose", "group"])
        for i, name in enumerate(NAMES):
            age = rng.normal(50, 5) if i != 7 else 500.0
            writer.writerow([name, 1000 + i, f"{age:.1f}", f"{age / 10:.2f}", "ab"[i % 2]])
    return path


@pytest.fixture(scope="module")
def model(patients):
    path = patients.parent / "patients.vicinal"
    done("fit", patients, "-o", path, "--id", "patient", "--drop", "number")
    return path


@pytest.mark.parametrize(("column", "name"), [("patient", "P-7"), ("number", 1007)])
def test_anomalies_go_by_their_id(patients, column, name):
    options = ("anomalies", patients, "--id", column)
    found = json.loads(done(*options, "--json"))["anomalies"]
    assert found[0]["case"] == name
    assert str(name) in done(*options)
    path = patients.parent / f"anomalies-{column}.csv"
    done(*options, "-o", path)
    assert rows_of(path)[0]["case"] == str(name)
    assert rows_of(path)[0]["nearest_ordinary"].split(", ")[0][:2] in ("P-", "10")


@pytest.mark.parametrize(("column", "name"), [("patient", "P-3"), ("number", "1003")])
def test_a_case_is_explained_by_its_id(patients, column, name):
    said = done("explain", patients, "--id", column, "-t", "dose", "--case", name)
    assert said.startswith(f"Case {name}\n")
    wanted = ("-t", "group", "--want", "a", "--case", name)
    assert done("counterfactual", patients, "--id", column, *wanted)


def test_a_model_file_keeps_the_ids(model):
    assert done("explain", model, "-t", "dose", "--case", "P-3").startswith("Case P-3\n")
    # Cases without labels of whole numbers may go by their numbers, too.
    assert done("explain", model, "-t", "dose", "--case", "3").startswith("Case P-3\n")


def test_rows_with_the_id_of_a_case_are_predicted_without_it(model, patients):
    said = json.loads(done("predict", model, patients, "-t", "dose", "--json"))["predictions"]
    plain = patients.parent / "plain.csv"
    with patients.open(newline="") as file:
        rows = [row[1:] for row in csv.reader(file)]
    with plain.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    other = json.loads(done("predict", model, plain, "-t", "dose", "--json"))["predictions"]
    assert said != other
    # The one far from all others knows itself only as a new row.
    assert abs(other[7]["dose_predicted"] - 50) < abs(said[7]["dose_predicted"] - 50)


def test_the_audit_names_cases_by_their_id(patients):
    path = patients.parent / "findings.csv"
    done("audit", patients, "--id", "patient", "-t", "group", "-o", path)
    assert {"P-7"} <= {row["case"] for row in rows_of(path)}


def test_ids_that_are_none_are_refused_in_one_line(patients, model):
    wrong = ("explain", model, "-t", "dose", "--case", "P-99")
    assert "No case has the label 'P-99'" in refused(*wrong)
    plain = ("explain", patients, "-t", "dose", "--drop", "patient", "--drop", "number")
    assert "there is no case x" in refused(*plain, "--case", "x")
    assert "'patiend'" in refused("anomalies", patients, "--id", "patiend")
    assert "group" in refused("anomalies", patients, "--id", "group")
    assert "--id applies only to a table" in refused("anomalies", model, "--id", "patient")


def test_bounds_of_a_column_are_kept(patients):
    path = patients.parent / "bounded.vicinal"
    done("fit", patients, "-o", path, "--bounds", "age=0..600", "--bounds", "dose=0..")
    assert "outside its bounds" in refused("anomalies", patients, "--bounds", "age=0..120")
    assert "expected LOW..HIGH" in refused("anomalies", patients, "--bounds", "age=120")
