"""The group of commands, and what all commands have in common."""

import json
import os
import subprocess
import sys

import pytest

import vicinal
from tests.cli.conftest import ODD
from tests.cli.running import PENGUINS, done, refused, rows_of, run
from vicinal.cli import main

COMMANDS = (
    "demo",
    "fit",
    "info",
    "predict",
    "explain",
    "counterfactual",
    "anomalies",
    "audit",
    "impute",
    "drift",
    "report",
    "neighbors",
    "contributions",
    "certify",
    "density",
    "synthesize",
    "reduce",
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_and_can_speak_json(name):
    text = done(name, "--help")
    assert "Examples:" in text
    assert f"vicinal {name}" in text
    assert "--json" in text


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


def test_every_command_takes_an_odd_table(odd, odd_model, folder):
    target = ODD[0][2]
    out = folder / "odd out.csv"
    done("predict", odd_model, odd, "-t", target, "-o", out)
    kept = [[row[name] for name in ODD[0]] for row in rows_of(out)]
    assert kept == ODD[1:]
    done("predict", odd_model, odd, "-t", ODD[0][4], "--interval", 0.2)
    done("explain", odd_model, odd, "-t", target, "--row", 3)
    done("counterfactual", odd_model, odd, "--row", 3, "-t", "ok", "--want", "true")
    done("anomalies", odd_model)
    done("audit", odd, "-t", target)
    filled = folder / "odd filled.csv"
    done("impute", odd, "-o", filled, "--effort", "low")
    assert all(cell for row in rows_of(filled) for cell in row.values())
    done("drift", odd_model, odd, "--shuffles", 19)
    for name in ("info", "anomalies", "impute"):
        assert json.loads(done(name, odd, "--json"))


def test_wrong_usage_has_exit_code_2(model):
    assert "--want" in refused("counterfactual", model, PENGUINS, code=2)
    refused("predict", model, PENGUINS, "-t", "species", "--interval", "2", code=2)
    refused("nonsense", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "MODEL", "-t", "species"],
        ["explain", "MODEL", "-t", "species"],
        ["drift", "MODEL"],
        ["anomalies"],
        ["anomalies", "MODEL", "a.csv", "b.csv"],
        ["anomalies", "MODEL", "-k", "3"],
        ["predict", "MODEL", "-", "-t", "species", "--json", "-o", "-"],
        ["explain", "MODEL", "-t", "species", "--case", "999"],
        ["explain", "MODEL", "TABLE", "-t", "species", "--row", "999"],
        ["fit", "MODEL", "-o", "again.vicinal"],
        ["fit", "TABLE", "-o", "-"],
        ["predict", "MODEL", "-t", "species", "--set", "island"],
        ["counterfactual", "MODEL", "--case", "0", "-t", "species", "--want", "Emperor"],
    ],
)
def test_a_question_that_makes_no_sense_is_one_clear_line(model, arguments):
    places = {"MODEL": str(model), "TABLE": str(PENGUINS)}
    refused(*(places.get(one, one) for one in arguments))


def test_the_command_runs_as_a_process(tmp_path):
    code = "from vicinal.cli import main; main()"

    def real(*arguments, **options):
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
            check=False,
            **options,
        )

    table = tmp_path / "heights.csv"
    table.write_text("height,sort\n" + "".join(f"{i / 10},{'ab'[i > 9]}\n" for i in range(20)))
    piped = real("predict", table, "-", "-t", "sort", "-o", "-", input="height\n0.2\n1.7\n")
    assert piped.stdout.splitlines() == ["height,sort_predicted", "0.2,a", "1.7,b"]
    assert piped.returncode == 0
    failed = real("info", tmp_path / "nothing.csv")
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert failed.stderr.count("\n") == 1


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
