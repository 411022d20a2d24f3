"""What the package promises as a whole: its public names, its layers, a light import."""

import ast
import difflib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import vicinal

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "vicinal"
HEAVY = ["click", "joblib", "matplotlib", "narwhals", "numpy", "pandas", "polars", "pyarrow"]
HEAVY += ["scipy", "sklearn"]


def modules_loaded_by(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "code", ["import vicinal", "import vicinal.cli", "dir(__import__('vicinal'))"]
)
def test_importing_the_package_loads_nothing_heavy(code):
    # Nothing beyond what the interpreter of this environment loads by itself.
    assert (modules_loaded_by(code) - modules_loaded_by("")) & set(HEAVY) == set()


def test_importing_the_model_loads_numpy_and_a_face_of_dataframes_alone():
    # scikit-learn and scipy.stats take longer to import than everything else together.
    assert modules_loaded_by("from vicinal import Model") & set(HEAVY) == {"narwhals", "numpy"}


def test_a_fit_imports_no_dataframe_library_of_its_own():
    code = "import vicinal; vicinal.Model().fit({'a': [1.0, 2.0, 4.0], 'b': ['x', 'y', 'x']})"
    optional = {"click", "matplotlib", "pandas", "polars", "pyarrow"}
    assert modules_loaded_by(code) & optional == set()


def test_public_names_are_sorted_and_unique():
    assert vicinal.__all__ == sorted(set(vicinal.__all__))


@pytest.mark.parametrize("name", vicinal.__all__)
def test_every_public_name_resolves_and_is_listed(name):
    assert getattr(vicinal, name) is not None
    assert name in dir(vicinal)


def test_every_lazy_name_is_public():
    assert {*vicinal._HOMES, *vicinal._ROOMS, "__version__"} == set(vicinal.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        vicinal.Modle  # noqa: B018


def test_the_version_has_one_source():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert vicinal.__version__ == declared
    assert f"version: {declared}" in (ROOT / "CITATION.cff").read_text()


def test_layers_hold():
    pytest.importorskip("importlinter")
    # In a process of its own, for it turns off the loggers of the one it runs in.
    code = "from importlinter.cli import lint_imports; exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_layer_has_an_exception():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    for contract in contracts["contracts"]:
        assert not {"ignore_imports", "exhaustive_ignores"} & set(contract)


def imports_native(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        if any("_native" in name.split(".") for name in names):
            return True
    return False


def test_only_the_index_touches_native_code():
    # import-linter reads Python files only, so the extension module is not in its graph.
    touching = {path.parent for path in SOURCE.rglob("*.py") if imports_native(path)}
    assert touching <= {SOURCE / "index"}


def packages():
    found = pkgutil.walk_packages([str(SOURCE)], prefix="vicinal.")
    return ["vicinal", *(module.name for module in found if module.ispkg)]


@pytest.mark.parametrize("name", packages())
def test_every_folder_opens_with_a_map_of_at_most_30_lines(name):
    folder = SOURCE.joinpath(*name.split(".")[1:])
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    assert doc, f"{name} has no docstring"
    assert len(doc.splitlines()) <= 30
    # A map names what is there.
    parts = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert {part for part in parts if not re.search(rf"\b{part}\b", doc)} == set()


def test_the_readme_shows_about_what_its_code_prints(capsys):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (text,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    said, says = (re.findall(r"[^\W\d]+", one) for one in (text, printed))
    # Not word for word: a better model may choose other cases.
    like = difflib.SequenceMatcher(None, said, says, autojunk=False).ratio()
    assert like > 0.7, "run docs/guides.py README.md"


def test_the_package_says_that_it_is_typed():
    assert (SOURCE / "py.typed").exists()


def test_no_name_says_nothing():
    empty = {"common", "core", "helpers", "misc", "utils"}
    assert not {path for path in SOURCE.rglob("*.py") if path.stem in empty}
