"""The documentation site, as far as it can be checked without building it."""

import re
from pathlib import Path

import pytest

import vicinal

DOCS = Path(__file__).parents[1] / "docs"


def reference_names():
    """The names that the API reference lists, in its order."""
    page = (DOCS / "reference.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    return re.findall(r"py:data:: vicinal\.(\w+)", page) + listed


def test_the_reference_lists_the_public_names_each_once():
    assert sorted(reference_names()) == sorted(vicinal.__all__)


@pytest.mark.parametrize("folder", ["theory"])
def test_every_page_of_a_folder_is_in_its_table_of_contents(folder):
    pages = {path.stem for path in (DOCS / folder).glob("*.md")} - {"index"}
    index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    listed = index.partition("```{toctree}")[2].partition("```")[0].split()
    assert {name for name in listed if name.isidentifier() or "-" in name} == pages


def test_every_theory_page_says_where_its_formula_is_from():
    for path in (DOCS / "theory").glob("*.md"):
        assert path.stem == "index" or "\n## Source\n" in path.read_text(encoding="utf-8"), path
