"""``vicinal report``."""

import csv
import json

import pytest

from tests.cli.running import run as run_command
from tests.report import tables
from vicinal.cli.report import page_title


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "a table.csv"
    columns = tables.hostile()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        names = [name for name in columns if "\x00" not in str(columns[name])]
        writer.writerow(names)
        writer.writerows(zip(*(columns[name] for name in names), strict=True))
    return path


def run(*arguments):
    return run_command("report", *arguments)


def test_a_table_becomes_a_page(table, tmp_path):
    page = tmp_path / "page.html"
    done = run(table, "-t", "${1+1}`{{x}}", "-o", page, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["bytes"] == page.stat().st_size
    assert "<h1>a table: ${1+1}`{{x}}</h1>" in page.read_text("utf-8")


def test_a_page_without_a_target_says_where_it_is(table, tmp_path):
    done = run(table, "-o", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    assert "Open it in a browser" in done.output


def test_a_model_is_reported_on_by_the_target_it_was_fitted_for(model, tmp_path):
    done = run(model, "-o", tmp_path / "page.html", "--json")
    assert json.loads(done.output)["target"] == "species"
    assert "<h1>penguins: species</h1>" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["no.csv", "-o", "page.html"], "no.csv"),
        (["TABLE", "-o", "page.html", "-t", "${1+1}"], "Did you mean"),
        (["TABLE", "-o", "nowhere/page.html"], "nowhere"),
        (["TABLE", "-o", "-"], "name a file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    table, tmp_path, monkeypatch, arguments, complaint
):
    monkeypatch.chdir(tmp_path)
    done = run(*(table if one == "TABLE" else one for one in arguments))
    assert done.exit_code != 0
    assert complaint in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_page_is_named_by_its_file():
    assert page_title("data/penguins.csv", "species") == "penguins: species"
    assert page_title("data/penguins.csv", None) == "penguins"
