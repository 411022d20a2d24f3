"""Laws of what results show, each for every result."""

from __future__ import annotations

from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pytest

from tests.views.results import all_results
from vicinal.formatting.text_table import text_width

SCRIPT = "<script>alert(1)</script>"
TAGS = {
    *("div", "style", "h4", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "b"),
    *("details", "summary"),
}
HOSTILE = {
    "script": SCRIPT,
    "svg": "<svg onload=alert(1)>",
    "attribute": '" onmouseover="alert(1)',
    "end of style": "</style><img src=x onerror=alert(1)>",
    "right to left": "\u202eexe.txt\u2066 \u05d0\u05d1",
    "nul and escape": "nul\x00\x1b[31m\nline",
    "mathematics": "$\\frac{a$ $$",
    "long": "long " * 40,
}


class Page(HTMLParser):
    """The tags, attributes and text of a page, with a check that every tag is closed."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = set(), set(), "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if "style" in self.open else data


@pytest.fixture(scope="module")
def plain():
    return all_results()


@pytest.fixture(scope="module", params=HOSTILE)
def hostile(request):
    word = HOSTILE[request.param]
    return word, all_results((f"{word}1", f"{word}2", f"{word}3", f"{word}4"), word)


def test_every_result_is_a_table_of_text_no_wider_than_a_terminal(plain):
    for question, result in plain.items():
        lines = str(result).splitlines()
        assert lines == repr(result).splitlines(), question
        assert len(lines) >= 2 or question == "no counterfactuals", question
        assert max(map(text_width, lines)) <= 90, question


def test_every_result_is_a_closed_page_of_tables(plain):
    for question, result in plain.items():
        page = Page(result._repr_html_())
        assert not page.open, question
        assert page.tags <= TAGS, question
        assert page.text.strip(), question


def test_text_and_page_have_the_same_title(plain):
    for question, result in plain.items():
        title = str(result).splitlines()[0]
        assert title[:60] in Page(result._repr_html_()).text.replace("\u00a0", " "), question


def test_no_name_or_value_gets_out_of_its_cell(hostile):
    word, results = hostile
    for question, result in results.items():
        page = Page(result._repr_html_())
        assert page.tags <= TAGS, question
        assert not page.attributes & {"onmouseover", "onload", "onerror", "src"}, question
        assert not set("\x00\x1b\u202e\u2066") & set(page.text), question
        assert all(line.isprintable() for line in str(result).splitlines()), question
    if word == SCRIPT:
        shown = [question for question, result in results.items() if word in str(result)]
        assert {"neighbors", "synthesis", "contributions", "influences"} <= set(shown)
        assert word in Page(results["neighbors"]._repr_html_()).text


def test_every_result_draws_itself_on_the_axes_given(plain):
    plt = _pyplot()
    for question, result in plain.items():
        if question in ("no counterfactuals", "explanation"):
            continue
        if question in ("anomalies", "new anomalies", "audit") and not len(result):
            continue
        _, ax = plt.subplots()
        assert result.plot(ax=ax) is ax, question
        assert ax.patches or ax.lines or ax.texts or ax.images, question
        plt.close("all")


def test_hostile_names_can_be_drawn(hostile):
    plt = _pyplot()
    _, results = hostile
    for question in ("neighbors", "drift", "matrix", "counterfactuals", "one contribution"):
        ax = results[question].plot()
        ax.figure.canvas.draw()
        assert ax.texts, question
        plt.close("all")


@pytest.mark.parametrize(("frame", "library"), [(pd.DataFrame, pd), (pl.DataFrame, pl)])
def test_frames_are_of_the_library_of_the_fitted_table(frame, library):
    for question, result in all_results(frame=frame).items():
        assert isinstance(result.to_frame(), library.DataFrame), question


def test_a_result_without_findings_says_so(plain):
    found = plain["anomalies"]
    none = type(found)(
        cases=found.cases[:0],
        conviction=found.conviction[:0],
        p_value=found.p_value[:0],
        tail_p_value=found.tail_p_value[:0],
        direction=found.direction[:0],
        features=(),
        ordinary=found.ordinary[:0],
        n_judged=24,
        clean_share=0.05,
        stored=True,
    )
    assert str(none).splitlines() == [
        "0 of 24 cases are anomalies",
        "  Of ordinary cases, the same rule lists about 5 %.",
    ]
    assert "0 of 24 cases" in none._repr_html_()
    with pytest.raises(ValueError, match="nothing to draw"):
        none.plot()


def _pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt
