"""The reference must not share code with what it checks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ALLOWED = {
    "boosting.py": {"__future__", "itertools", "math"},
    "category_groups.py": set(),
    "distance.py": {"__future__", "numpy", "vicinal.formulas"},
    "quality.py": {"itertools", "math"},
    "conviction.py": {"__future__", "numpy", "tests.naive"},
    "counterfactual.py": {"__future__", "itertools"},
    "explain.py": {"__future__", "dataclasses", "itertools", "numpy", "tests.naive"},
    "explanation.py": {"__future__", "numpy", "tests.naive"},
    "prediction.py": {
        "__future__",
        "fractions",
        "numpy",
        "scipy.optimize",
        "tests.naive.distance",
        "vicinal.formulas",
    },
    "cells.py": {"bisect", "math"},
    "domain.py": {"decimal"},
    "robustness.py": {
        "__future__",
        "itertools",
        "numpy",
        "tests.naive.distance",
        "tests.naive.prediction",
    },
    "synthesis.py": {"itertools"},
    "decision.py": {"__future__", "fractions", "itertools", "math"},
    "ties.py": {"__future__", "fractions"},
    "within_table.py": {"__future__", "math", "numpy", "tests.naive"},
}
NAIVE = Path(__file__).with_name("naive")


def source_of(name):
    return (NAIVE / name).read_text(encoding="utf-8")


def imported_modules(source):
    """Names of all modules that a piece of source imports, wherever it does so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def test_every_reference_is_listed():
    assert {path.name for path in NAIVE.glob("*.py")} - {"__init__.py"} == set(ALLOWED)


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_the_reference_imports_numpy_and_the_formulas_only(name):
    assert set(imported_modules(source_of(name))) <= ALLOWED[name]


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_the_reference_does_not_import_by_other_means(name):
    names = {
        node.id for node in ast.walk(ast.parse(source_of(name))) if isinstance(node, ast.Name)
    }
    assert not names & {"__import__", "importlib", "exec", "eval"}


def test_an_import_inside_a_function_would_be_seen():
    source = "def f():\n    from vicinal.index import ExactIndex\n    import vicinal.model as m"
    assert set(imported_modules(source)) == {"vicinal.index", "vicinal.model"}


def test_a_relative_import_would_be_seen():
    assert set(imported_modules("from . import strategies")) == {"."}
