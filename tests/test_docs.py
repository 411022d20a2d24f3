"""The documentation site, as far as it can be checked without building it."""

import re
import runpy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import vicinal

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))
PAGES = [
    *sorted(DOCS.glob("**/*.md")),
    *(DOCS.parent / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    DOCS.parent / "benchmarks" / "README.md",
    *EXAMPLES,
]
READ_BY_USERS = [
    *PAGES,
    *sorted((DOCS.parent / "src").rglob("*.py")),
    *sorted((DOCS.parent / "web" / "src").rglob("*.svelte")),
]
#: What was once written, and what a colleague would not say; STYLE: plain English.
NOT_PLAIN = (
    "answered, each by its influence",
    "all alike",
    "already answers as wished",
    "as sure as it says",
    "Fill the holes",
    "doubt the labels",
    "there more than once, or nearly",
    "Tells alone",
    "Lost without it",
    "More of it: raises it",
    "Of whatever is drawn",
)
BRITISH = re.compile(
    r"colour|neighbour|behaviour|favour|flavour|labell|centre|\bgrey|judgement|spoilt|learnt|modell"
    r"|\w(?:al|im|ar|er|or|in)is(?:e[ds]?|ing|ation)\b",
    re.IGNORECASE,
)


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


def test_the_code_that_a_theory_page_names_is_there():
    for path in (DOCS / "theory").glob("*.md"):
        code = path.read_text(encoding="utf-8").rpartition("Code:")[2]
        for module in re.findall(r"`(vicinal\.[\w.]+)`", code):
            package, _, name = module.rpartition(".")
            found = hasattr(import_module(package), name) or find_spec(module)
            assert found, f"{path.name} names {module}"


def test_the_native_files_that_a_page_names_are_there():
    for path in (DOCS / "engine.md", *(DOCS / "theory").glob("*.md")):
        for name in re.findall(r"`(?:native/)?(\w+\.[hc]pp)`", path.read_text(encoding="utf-8")):
            assert (DOCS.parent / "native" / name).is_file(), f"{path.name} names {name}"


@pytest.mark.parametrize("name", ["index.md", "start.md"])
def test_the_code_of_the_first_pages_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / name).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(compile(code, name, "exec"), {"__name__": name})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_spelled_as_americans_do(path):
    # Old names of parameters, in quotes, may be spelled otherwise.
    text = re.sub(r"`[^`\n]*`", "", path.read_text(encoding="utf-8"))
    assert not BRITISH.findall(text)


def test_the_speller_sees_british_words():
    assert len(BRITISH.findall("The colours of labelled, normalised neighbours, centred.")) == 5
    assert not BRITISH.findall("Otherwise, a precise exercise raises the colors of the center.")


def test_no_sentence_is_of_the_kind_that_nobody_says():
    for path in READ_BY_USERS:
        text = path.read_text(encoding="utf-8")
        assert [one for one in NOT_PLAIN if one in text] == [], path


@pytest.mark.parametrize("path", sorted((DOCS / "coming-from").glob("*.md")), ids=lambda p: p.stem)
def test_a_comparison_shows_what_both_libraries_print(path):
    page = path.read_text(encoding="utf-8")
    assert f"(coming-from/{path.name})" in (DOCS / "index.md").read_text(encoding="utf-8")
    for library in ("### With Vicinal\n", "### With "):
        part = page.partition(library)[2].partition("\n##")[0]
        assert "```python\n" in part, library
        assert "```text\n" in part, library


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    runpy.run_path(str(path))
    import matplotlib.pyplot as plt

    assert plt.get_fignums()
    plt.close("all")
