"""The pages of the guide run, and show what comes of it."""

from __future__ import annotations

import difflib
import importlib.util
import io
import re
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]


def load_guides():
    spec = importlib.util.spec_from_file_location("guides", ROOT / "docs" / "guides.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


guides = load_guides()
#: Their models take as long to learn and to certify as a tenth of all tests.
SLOW = {"boosted.md", "trust.md"}
PAGES = sorted(path.name for path in guides.FOLDER.glob("*.md"))


def words(text):
    """What a text says but for its numbers, which a better model may change."""
    return re.findall(r"[^\W\d]+", text)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
        for name in [*PAGES, "../../README.md"]
    ],
)
def test_a_page_runs_and_shows_about_what_comes_of_it(name):
    page = (guides.FOLDER / name).read_text(encoding="utf-8")
    pictures = []

    def draw(figure, picture):
        figure.savefig(io.BytesIO(), format="png", dpi=30)
        pictures.append(picture)

    import matplotlib.pyplot as plt

    again = guides.run(page, name, draw)
    plt.close("all")
    assert all((guides.FOLDER / picture).exists() for picture in pictures)
    pairs = list(zip(guides.blocks(page), guides.blocks(again), strict=True))
    for old, new in pairs:
        assert (old.code, old.picture) == (new.code, new.picture)
        assert bool(old.text) == bool(new.text), "run docs/guides.py to bring the page up to date"
    said = words(" ".join(old.text for old, _ in pairs))
    says = words(" ".join(new.text for _, new in pairs))
    like = difflib.SequenceMatcher(None, said, says, autojunk=False).ratio()
    assert like > 0.7, "run docs/guides.py to bring the page up to date"


def test_there_is_a_page_for_each_question():
    index = (guides.FOLDER / "index.md").read_text(encoding="utf-8")
    titles = [
        (guides.FOLDER / name).read_text(encoding="utf-8").partition("\n")[0] for name in PAGES
    ]
    for question in (
        "Explain a prediction",
        "Find what would change a prediction",
        "Find the training cases behind a prediction",
        "Find unusual rows",
    ):
        assert f"# {question}" in titles
        assert f"[{question}]" in index


def test_every_link_of_the_guide_leads_somewhere():
    for name in PAGES:
        page = (guides.FOLDER / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", page):
            if "://" not in target:
                assert (guides.FOLDER / target).exists(), (name, target)


def test_every_picture_is_of_a_page():
    pages = " ".join((guides.FOLDER / name).read_text(encoding="utf-8") for name in PAGES)
    for path in (guides.FOLDER / "images").iterdir():
        assert f"images/{path.name}" in pages


def test_a_page_is_rewritten_with_what_it_prints():
    page = "# A\n\n```python\nprint(1 + 1)\n```\n\nText.\n\n```python\nx = 3\n```\n\nMore.\n"
    once = guides.run(page, "a.md", None)
    assert "print(1 + 1)\n```\n\n```text\n2\n```\n\nText." in once
    assert guides.run(once, "a.md", None) == once
