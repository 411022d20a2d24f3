"""The table of cases and its map."""

import json
from urllib.parse import unquote

import pytest


def shown_cases(page):
    return [text.strip() for text in page.locator("tbody tr td:first-child").all_inner_texts()]


def parameters(page):
    query = page.url.partition("?")[2]
    return dict(part.partition("=")[::2] for part in unquote(query).split("&") if part)


def wait_for_count(page, text):
    page.get_by_text(text, exact=True).wait_for()


def test_a_filter_set_by_clicking_selects_cases_and_is_kept_in_the_address(window):
    page = window.open("cases")
    wait_for_count(page, "344 cases")
    page.get_by_role("button", name="Filter").click()
    page.get_by_label("Condition on").select_option("feature:island")
    page.get_by_role("checkbox", name="Dream").check()
    page.get_by_role("button", name="Add", exact=True).click()
    wait_for_count(page, "124 cases of 344")
    page.wait_for_url("**filter=*")
    page.reload()
    wait_for_count(page, "124 cases of 344")
    page.get_by_role("button", name="Remove condition island is Dream").click()
    wait_for_count(page, "344 cases")


def test_a_deep_link_restores_conditions_order_and_search(window):
    conditions = [{"feature": "body_mass_g", "at_least": 5500}]
    page = window.open(
        "cases", filter=json.dumps(conditions), sort="feature:body_mass_g", order="descending"
    )
    page.get_by_text("body_mass_g ≥ 5500").wait_for()
    header = page.locator("th[aria-sort=descending]")
    header.wait_for()
    assert "body_mass_g" in header.inner_text()
    page.get_by_role("link", name="#", exact=False).first.wait_for()
    # The heaviest penguin has 6300 grams.
    page.locator("tbody tr").first.get_by_text("6300").wait_for()
    page.get_by_label("Search by case number").fill("16")
    page.wait_for_url("**search=16*")
    window.until(
        "[...document.querySelectorAll('tbody tr td:first-child')]"
        ".every((cell) => cell.innerText.startsWith('#16'))"
    )


def test_the_table_is_sorted_by_clicking_on_its_head_and_scrolls_to_the_end(window):
    page = window.open("cases")
    page.get_by_role("link", name="#0", exact=True).wait_for()
    page.get_by_role("button", name="conviction").click()
    page.locator("th[aria-sort=ascending]").wait_for()
    page.get_by_role("link", name="#0", exact=True).wait_for(state="detached")
    convictions = page.locator("tbody tr td:nth-child(5)")
    values = [float(text) for text in convictions.all_inner_texts() if text not in ("–", "·")]
    assert values == sorted(values)
    page.get_by_role("button", name="case", exact=True).click()
    page.get_by_role("region", name="Table of cases").evaluate("(box) => box.scrollTo(0, 1e9)")
    page.get_by_role("link", name="#343", exact=True).wait_for()
    # Only what is in view exists.
    assert page.locator("tbody tr").count() < 40


def test_dragging_over_the_map_selects_a_region_and_so_do_the_keys(window):
    page = window.open("cases", color="count")
    plane = page.get_by_role("application")
    plane.wait_for()
    window.settle()
    box = plane.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"], steps=4)
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + box["height"] - 5, steps=4)
    page.mouse.up()
    page.get_by_text("region of the map").wait_for()
    page.get_by_text(" cases of 344").wait_for()
    page.wait_for_url("**region*")
    region = json.loads(parameters(page)["filter"])[0]["region"]
    assert region["x"] == pytest.approx([0.0, 0.5], abs=0.03)
    assert region["y"] == pytest.approx([0.0, 1.0], abs=0.03)
    plane.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: unquote(url) != "" and json.dumps(region) not in unquote(url))
    page.keyboard.press("Escape")
    wait_for_count(page, "344 cases")


def test_a_case_of_the_table_opens(window):
    page = window.open("cases")
    page.get_by_role("link", name="#3", exact=True).click()
    page.get_by_role("heading", name="Case #3", level=1).wait_for()
    window.settle()
    page.go_back()
    page.get_by_role("heading", name="Cases", level=1).wait_for()
