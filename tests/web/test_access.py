"""Usable by everyone: themes, sizes, keyboard and screen readers."""

import pytest

from tests.web.conftest import ROOT

VIEWS = ["overview", "cases", "case/17", "anomalies", "quality", "groups"]
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}


def violations(page):
    """What axe-core finds that keeps people from using the page."""
    axe = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    page.evaluate(axe.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "window", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True, ids=str
)
def test_nothing_keeps_people_from_using_a_view(window, view):
    page = window.open(view, change='{"bill_length_mm": 50}', protected="sex", goal="1")
    page.get_by_role("heading", level=2).first.wait_for()
    window.settle()
    assert violations(page) == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_fits_on_a_phone(window, view):
    window.page.set_viewport_size({"width": 390, "height": 800})
    page = window.open(view, protected="sex")
    page.get_by_role("heading", level=2).first.wait_for()
    window.settle()
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


def brightness(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in color[4:-1].split(",")[:3]) / 3


@pytest.mark.parametrize("window", [{"color_scheme": "dark"}], indirect=True)
def test_the_theme_follows_the_system_until_the_reader_chooses(window):
    page = window.open("overview")
    assert brightness(page) < 60
    page.get_by_role("button", name="System theme").click()
    page.get_by_role("button", name="Light theme").wait_for()
    assert brightness(page) > 240
    page.reload()
    page.get_by_role("heading", level=1).wait_for()
    assert brightness(page) > 240


def test_the_keyboard_reaches_content_and_views(window):
    page = window.open("overview")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("link", name="Groups").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Groups", level=1).wait_for()
    assert page.get_by_role("link", name="Groups").get_attribute("aria-current") == "page"
    window.settle()
