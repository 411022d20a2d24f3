"""Run commands as a user would, and check how they end."""

import csv
from pathlib import Path

import pytest

import vicinal

testing = pytest.importorskip("click.testing")

PENGUINS = Path(vicinal.__file__).parent / "data" / "penguins.csv"


def run(*arguments, stdin=None):
    from vicinal.cli.commands import vicinal as command

    given = [str(one) for one in arguments]
    return testing.CliRunner().invoke(command, given, input=stdin, catch_exceptions=False)


def done(*arguments, stdin=None):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*arguments, code=1, stdin=None):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == code
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        # A note may come first, about columns that a table lacks.
        [line] = [one for one in result.stderr.splitlines() if not one.startswith("Note: ")]
        assert line.startswith("Error: ")
    return result.stderr


def rows_of(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
