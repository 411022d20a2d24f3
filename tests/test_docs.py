"""The documentation site, as far as it can be checked without building it."""

import re
import runpy
from pathlib import Path

import pytest

import vicinal

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))


def reference_names():
    """The names that the API reference lists, in its order."""
    page = (DOCS / "reference.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    return re.findall(r"py:data:: vicinal\.(\w+)", page) + listed


def test_the_reference_lists_the_public_names_each_once():
    assert sorted(reference_names()) == sorted(vicinal.__all__)


def test_every_theory_page_is_in_the_table_of_contents():
    pages = {path.stem for path in (DOCS / "theory").glob("*.md")} - {"index"}
    index = (DOCS / "theory" / "index.md").read_text(encoding="utf-8")
    listed = index.partition("```{toctree}")[2].partition("```")[0]
    assert set(re.findall(r"^[a-z-]+$", listed, re.MULTILINE)) == pages


def test_every_theory_page_says_where_its_formula_is_from():
    for path in (DOCS / "theory").glob("*.md"):
        assert path.stem == "index" or "\n## Source\n" in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("name", ["index.md", "start.md"])
def test_the_code_of_the_first_pages_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / name).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(compile(code, name, "exec"), {"__name__": name})


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    runpy.run_path(str(path))
    import matplotlib.pyplot as plt

    assert plt.get_fignums()
    plt.close("all")
