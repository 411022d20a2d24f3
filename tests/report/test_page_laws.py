"""What holds for every table: the page is whole, and data stay data."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vicinal
from tests.report.reading import fit, outline
from vicinal.report.gather import gather_report
from vicinal.report.page import report_page

KNOWN = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section"}
KNOWN |= {
    "article",
    "h1",
    "h2",
    "h3",
    "p",
    "nav",
    "ul",
    "li",
    "a",
    "dl",
    "div",
    "dt",
    "dd",
    "span",
}
KNOWN |= {"table", "caption", "thead", "tbody", "tr", "th", "td", "b", "strong", "figure"}
KNOWN |= {"figcaption", "details", "summary", "svg", "rect", "path", "circle", "polyline", "text"}
KNOWN |= {"form", "label", "input", "select", "option", "output", "button", "script", "code"}

words = st.text(max_size=12) | st.sampled_from(["<b>", "</td>", "&lt;", "'\"", "\ud800", "\x7f"])
numbers = st.sampled_from([None, 0.0, 1.0, 1.0, -3.5, 1e100, 1e-100]) | st.integers(-5, 5)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 9))
    names = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    values = st.lists(words | st.none(), min_size=n, max_size=n)
    values |= st.lists(numbers, min_size=n, max_size=n)
    return {name: draw(values) for name in names}


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.booleans())
def test_every_table_becomes_a_page_of_known_elements_only(table, predict):
    try:
        fitted = fit(table, max_queries=8, max_members=2, max_rounds=2)
    except vicinal.VicinalError:  # numbers too far apart, or names that are none
        return
    target = next(iter(table)) if predict and len(table) > 1 else None
    if target is not None and all(value is None for value in table[target]):
        target = None
    read = outline(report_page(gather_report(fitted, target)))
    assert set(read.tags) <= KNOWN
    assert not [key for _, key, _ in read.attributes if key.startswith("on") or key == "style"]
