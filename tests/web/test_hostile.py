"""Names and values that would do harm are text, everywhere."""

import json

import pytest

from tests.web.tables import CONTROL, IMAGE, LONG, SCRIPT

VIEWS = ["overview", "cases", "case/3", "case", "anomalies", "quality", "groups"]
#: What a page that took data for markup would have.
PLANTED = "main script, main img, [onload], [onerror], svg svg, h1 script"


def text_of(page):
    return page.evaluate("document.body.textContent")


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_in_a_hostile_table_becomes_code(window, view):
    page = window.open(
        view,
        model="hostile",
        protected=IMAGE,
        goal="1",
        change=json.dumps({SCRIPT: 3.5, LONG: "<b>new</b>"}) if view.startswith("case/") else "",
        filter=json.dumps([{"feature": LONG, "in": [LONG]}]) if view == "cases" else "",
    )
    page.get_by_role("heading", level=2).first.wait_for()
    window.settle()
    assert page.evaluate("window.harmed") is None
    assert page.locator(PLANTED).count() == 0
    text = text_of(page)
    assert SCRIPT in text
    assert "\x00" not in text
    assert "\x1b" not in text
    # Long text is cut, so that the page stays readable and within its width.
    assert max(map(len, text.split())) < 1000
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


def test_control_characters_show_that_they_were_there(window):
    page = window.open("overview", model="hostile")
    page.get_by_role("heading", name="Columns").wait_for()
    assert CONTROL.replace("\x00", "\ufffd").replace("\x1b", "\ufffd") in text_of(page)
    window.settle()


def test_a_hostile_address_is_text_too(window):
    page = window.open(f"case/{SCRIPT.replace('/', '%2F')}", target=SCRIPT, model=IMAGE)
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("window.harmed") is None
    assert page.locator(PLANTED).count() == 0
    window.problems.clear()  # there is no such target, and the service says so
