"""The page on the architecture is true: its map, its layers, its walks and its index."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import vicinal

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "vicinal"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

_QUOTED = re.compile(r"`([^`]+)`")
_FILE = re.compile(r"[\w/]+\.(?:py|hpp|cpp)")


def section(title):
    """The text under a heading of the page, up to the next one of its rank."""
    found = re.search(rf"^(#+) {re.escape(title)}.*\n", PAGE, re.MULTILINE)
    rest = PAGE[found.end() :]
    return re.split(rf"^#{{2,{len(found[1])}}} ", rest, flags=re.MULTILINE)[0]


def references(text):
    """Every file in quotes with the names in quotes that follow it, up to the next file."""
    file = None
    for quoted in _QUOTED.findall(text):
        if _FILE.fullmatch(quoted):
            file = quoted
            yield file, None
        elif file is not None and re.fullmatch(r"[\w.]+", quoted):
            yield file, quoted


def listed(text):
    """The references of list items and rows of tables; prose in between has none."""
    items = re.split(r"\n(?=\s*(?:\d+\.|-|\|) )|\n\n", f"\n{text}")
    for item in items:
        if re.match(r"\s*(\d+\.|-|\|) ", item):
            yield from references(item)


def path_of(file):
    return ROOT / file if file.startswith("native/") else PACKAGE / file


@cache
def names_in(path):
    """Everything that a Python file defines: functions, classes, methods and constants."""
    return set(_defined(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def _defined(body, within):
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield within + node.name
            if isinstance(node, ast.ClassDef):
                yield from _defined(node.body, f"{within}{node.name}.")
        elif isinstance(node, ast.Assign):
            yield from (within + one.id for one in node.targets if isinstance(one, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield within + node.target.id


REFERENCES = sorted({*listed(section("Walks")), *listed(section("Where do I find"))}, key=str)


@pytest.mark.parametrize(("file", "name"), REFERENCES, ids=str)
def test_what_the_page_names_is_there(file, name):
    path = path_of(file)
    assert path.is_file(), f"{file} is not there; docs/architecture.md names it"
    if name is not None and path.suffix == ".py":
        assert name in names_in(path), f"{file} does not define {name}"
    elif name is not None:
        assert re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")), f"{file}: {name}"


def test_the_checker_sees_a_name_that_is_not_there():
    assert "Model.fit" in names_in(PACKAGE / "model" / "model.py")
    assert "Model.fits" not in names_in(PACKAGE / "model" / "model.py")
    assert list(references("`a/b.py` `f` and `C.g`")) == [
        ("a/b.py", None),
        ("a/b.py", "f"),
        ("a/b.py", "C.g"),
    ]


def test_every_room_is_in_the_map():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    rooms |= {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    rows = re.findall(r"^\| `(\w+)`", section("Map"), re.MULTILINE)
    assert sorted(rows) == sorted(rooms)


def test_the_layers_are_those_that_are_checked():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    drawn = section("Layers").partition("```text\n")[2].partition("```")[0].splitlines()
    assert [re.split(r"\s{2,}", line)[0] for line in drawn] == contract["layers"]


def called_by(act):
    """Every Python function of the package that is called: its file, and its name in it."""
    seen = set()

    def watch(frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        if code.co_name == "__init__" and code.co_filename == "<string>":  # of a dataclass
            made = type(frame.f_locals["self"])
            module = sys.modules.get(made.__module__)
            seen.add((getattr(module, "__file__", None) or "", made.__qualname__))
        seen.add((code.co_filename, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        act()
    finally:
        sys.setprofile(before)
    return {
        (Path(file).relative_to(PACKAGE).as_posix(), name)
        for file, name in seen
        if Path(file).is_relative_to(PACKAGE)
    }


TABLE = {
    "size": [i % 17 + 0.1 * i for i in range(150)],
    "age": [i % 5 for i in range(150)],
    "color": ["red" if i % 17 > 8 else "blue" for i in range(150)],
}
NEW = {"size": [3.0], "age": [2]}


def fit():
    return vicinal.Model().fit(TABLE)


def predict(model):
    model.predict(NEW, "color")
    model.predict(NEW, "color", decision="balanced_accuracy")
    model.predict(NEW, "size", context=["age"])
    model.predict_interval(NEW, "size", context=["age"])
    model.predict_set(NEW, "color")


def explain(model):
    why = model.explain(NEW, "color", counterfactuals=True)[0]
    assert str(why)
    assert why._repr_html_()
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    why.plot()
    plt.close("all")


def search(model):
    found = model.neighbors(NEW, 3, terms=True)
    assert str(found)
    assert found._repr_html_()


WALKS = {
    "A fit": lambda _: fit(),
    "A prediction": predict,
    "An explanation": explain,
    "A search": search,
}


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_passes_where_the_page_says(title):
    model = fit()
    seen = called_by(lambda: WALKS[title](model))
    for file, name in listed(section(title)):
        if name is None or file.startswith("native/"):
            continue
        assert any(
            where == file and (what == name or what.startswith(f"{name}.")) for where, what in seen
        ), f"{title} does not pass {name} in {file}"
