"""Usable by everyone: themes, sizes, keyboard and screen readers."""

import pytest

from tests.web.conftest import ROOT

VIEWS = ["overview", "cases", "case/17", "anomalies", "quality", "groups"]


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


def brightness(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in color[4:-1].split(",")[:3]) / 3


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_usable_in_both_themes_and_fits_on_a_phone(window, view):
    held = '{"body_mass_g": {"between": [2700, 6000]}, "island": {"in": ["Dream"]}}'
    change = '{"bill_length_mm": 50}'
    page = window.open(view, change=change, hold=held, protected="sex", goal="1")
    page.get_by_role("heading", level=2).first.wait_for()
    window.settle()
    assert brightness(page) > 240
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert brightness(page) < 60
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    window.until("document.documentElement.scrollWidth <= innerWidth && innerWidth === 390")
    window.settle()


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
