"""How the house is built: who may look into an index, how thin the Model is, who tests what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from vicinal.model.model import Model

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "vicinal"
TESTS = ROOT / "tests"
MODULES = sorted(SOURCE.rglob("*.py"))
OUTSIDE = [path for path in MODULES if SOURCE / "index" not in path.parents]

#: What an index has for the kernels alone; questions ask for rows, cells, weights_of and the like.
INSIDE = {"_cases", "column", "numbers", "storage", "values", "weights"}
MOST_LINES = 400
MOST_LINES_OF_A_METHOD = 10

#: Tests of what several modules of a room do together, in any room.
ALL_ROOMS = {"against_naive", "laws", "promises"}
#: Tests that are about no single module, by room.
NO_MODULE = {
    ".": {
        *("comparison", "coverage", "docs", "guides", "house", "naive", "naive_is_independent"),
        "architecture",
        "package",
    },
    "cli": {"ids"},
    "estimators": {"bounds", "ignored_columns", "partial_fit", "scores", "sklearn_checks"},
    "explain": {"estimators", "faithfulness", "players"},
    "index": {
        "add_remove",
        "ceilings",
        "category_rows",
        "cell_codes",
        "kept_codes",
        "many_stored",
        "native_sources",
        "native_stub",
        "small_ints",
    },
    "model": {
        "bounds",
        "class_order",
        "encodes_once",
        "errors",
        "extreme_values",
        "ignored_columns",
        "interrupt",
        "odd_inputs",
    },
    "plots": {"displays"},
    "report": {"page_in_browser", "page_laws"},
    "robustness": {"soundness"},
    "sharded": {"recipes"},
    "storage": {"kill"},
    "web": {"access", "case", "cases", "hostile", "views", "widget_in_browser"},
}


def short(path):
    return path.relative_to(ROOT).as_posix()


def is_index(node):
    """Whether an expression names an index: `index`, `fitted.index`, `model.index_`."""
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return name.rstrip("_") == "index"


def looks_inside(tree):
    """Lines that read what an index has for the kernels, or take hold of its storage."""
    for node in ast.walk(tree):
        read = isinstance(node, ast.Attribute) and node.attr in INSIDE and is_index(node.value)
        if read or (isinstance(node, ast.ImportFrom) and node.module == "vicinal.index.storage"):
            yield node.lineno


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("fitted.index.storage.values", [1]),
        ("index.values[3]", [1]),
        ("model.index_.numbers", [1]),
        ("self.index.column(2)", [1]),
        ("from vicinal.index.storage import CaseStorage", [1]),
        ("index.rows(rows.values), index.weights_of(rows.numbers)", []),
        ("schema.storage[0], table.values(), metric.weights, target.column", []),
        ("from vicinal.storage import write_file", []),
    ],
)
def test_the_search_for_looks_into_an_index_finds_them_and_nothing_else(code, expected):
    assert list(looks_inside(ast.parse(code))) == expected


def test_nobody_outside_looks_into_an_index():
    found = {short(path): list(looks_inside(ast.parse(path.read_text()))) for path in OUTSIDE}
    assert {path: lines for path, lines in found.items() if lines} == {}


def too_long(paths, most):
    lengths = {short(path): len(path.read_text().splitlines()) for path in paths}
    return {path: length for path, length in lengths.items() if length > most}


def test_no_module_is_longer_than_can_be_read_at_a_sitting():
    assert too_long(MODULES, MOST_LINES) == {}


# --- the Model -----------------------------------------------------------------------------------


def model_class():
    tree = ast.parse((SOURCE / "model" / "model.py").read_text())
    return next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"
    )


def public_methods(cls):
    return {name for name in dir(cls) if not name.startswith("_") and callable(getattr(cls, name))}


def lines_of_statements(function):
    statements = function.body[ast.get_docstring(function) is not None :]
    return sum(one.end_lineno - one.lineno + 1 for one in statements)


def test_every_public_method_of_the_model_stands_in_one_file():
    body = model_class().body
    written = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    bound = {
        target.id
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert public_methods(Model) <= written | bound


@pytest.mark.parametrize(
    "method",
    [node for node in model_class().body if isinstance(node, ast.FunctionDef)],
    ids=lambda node: node.name,
)
def test_a_method_of_the_model_is_short(method):
    assert lines_of_statements(method) <= MOST_LINES_OF_A_METHOD


def test_the_model_inherits_parameters_and_attributes_but_no_questions():
    for base in Model.__mro__[1:-1]:
        assert {name for name, value in vars(base).items() if callable(value)} & public_methods(
            Model
        ) == set(), f"{base.__name__} has public methods"


# --- the tests -----------------------------------------------------------------------------------


def test_every_test_file_is_named_after_a_module_or_stated():
    homeless = []
    for path in sorted(TESTS.rglob("test_*.py")):
        room, name = path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
        # The rooms of tests/benchmarks are those of benchmarks, beside the package.
        module = (ROOT if room.parts[:1] == ("benchmarks",) else SOURCE) / room / name
        stated = NO_MODULE.get(room.as_posix(), set()) | ALL_ROOMS
        if not (module.with_suffix(".py").exists() or module.is_dir() or name in stated):
            homeless.append(short(path))
    assert homeless == []


def test_no_test_file_is_too_long():
    assert too_long(TESTS.rglob("*.py"), 350) == {}
