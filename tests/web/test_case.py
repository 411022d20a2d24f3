"""One case: why, what if, and what would change the prediction."""

import json
from urllib.parse import parse_qs

import pytest


def prediction(page):
    """The predicted class or number, as it is shown."""
    heading = page.get_by_role("heading", name="Prediction", exact=True)
    return page.locator("section", has=heading).locator("strong")


def wait_for_prediction(page, text):
    prediction(page).get_by_text(text, exact=True).wait_for()


def test_a_case_shows_why(window):
    page = window.open("case/17")
    wait_for_prediction(page, "Adelie")
    page.get_by_role("heading", name="Contributions of the features").wait_for()
    behind = page.get_by_role("region", name="Influential cases")
    behind.get_by_text("this case").wait_for()
    assert behind.locator("td.differs").count() > 0
    assert page.get_by_text("Unusual?").count() == 1
    window.settle()


def test_changing_a_value_moves_the_answer_and_can_be_undone(window):
    page = window.open("case/40")
    wait_for_prediction(page, "Adelie")
    page.get_by_label("bill_length_mm", exact=True).fill("59.5")
    wait_for_prediction(page, "Chinstrap")
    page.get_by_text("was Adelie").wait_for()
    page.wait_for_url("**change=*")
    page.reload()
    wait_for_prediction(page, "Chinstrap")
    assert page.get_by_label("bill_length_mm", exact=True).input_value() == "59.5"
    page.get_by_role("button", name="Reset").click()
    wait_for_prediction(page, "Adelie")
    window.settle()


def test_a_slider_moves_the_answer_by_keyboard(window):
    page = window.open("case/40")
    wait_for_prediction(page, "Adelie")
    slider = page.get_by_label("bill_length_mm, slider")
    slider.focus()
    page.keyboard.press("End")
    wait_for_prediction(page, "Chinstrap")
    window.settle()


def test_a_constraint_set_by_clicking_is_kept_by_counterfactuals(window):
    page = window.open("case/17")
    wait_for_prediction(page, "Adelie")
    wanted = page.get_by_label("Wanted")
    wanted.select_option(label="Chinstrap")
    page.get_by_text("Found 3 counterfactuals.").wait_for()
    card = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Try these"))
    first = card.first.locator("tbody th").first.inner_text()
    # What would have changed is fixed, so something else has to.
    page.get_by_role("button", name=f"Counterfactuals: {first} is free").click()
    page.get_by_role("button", name=f"Counterfactuals: {first} is fixed").wait_for()
    page.wait_for_url("**hold=*")
    window.until(
        "(name) => [...document.querySelectorAll('.cards tbody th')]"
        ".every((cell) => cell.innerText !== name)",
        first,
    )
    window.settle()
    if card.count():
        card.first.get_by_role("button", name="Try these values").click()
        wait_for_prediction(page, "Chinstrap")
        window.settle()


def test_a_range_and_a_set_are_kept_by_counterfactuals(window):
    page = window.open("case/17")
    wait_for_prediction(page, "Adelie")

    def hold(name, word):
        for _ in range(5):
            button = page.get_by_role("button", name=f"Counterfactuals: {name} is ")
            if button.inner_text() == word:
                return
            button.click()
        raise AssertionError(f"{name} cannot be {word}")

    hold("bill_length_mm", "range")
    page.get_by_label("Counterfactuals: bill_length_mm, at most").fill("45")
    page.keyboard.press("Tab")
    hold("island", "set")
    page.get_by_role("group", name="Counterfactuals: values of island").get_by_label(
        "Biscoe"
    ).uncheck()
    page.get_by_text("Under 2 constraints.").wait_for()
    page.get_by_label("Wanted").select_option(label="Gentoo")
    page.get_by_text("Found 3 counterfactuals.").wait_for()
    window.settle()
    held = {"bill_length_mm": {"between": [32.1, 45]}, "island": {"in": ["Dream", "Torgersen"]}}
    assert json.loads(parse_qs(page.url.split("?")[1])["hold"][0]) == held
    for row in page.locator(".cards tbody tr").all():
        name, _, _, value = row.locator("th, td").all_inner_texts()
        assert name != "bill_length_mm" or float(value) <= 45
        assert name != "island" or value != "Biscoe"
    window.settle()


def test_two_cases_are_compared(window):
    page = window.open("case/17", **{"with": "200"})
    comparison = page.get_by_role("region", name="Comparison")
    comparison.wait_for()
    assert comparison.locator("tbody tr").count() == 8
    assert comparison.locator("td.differs").count() > 0
    window.settle()


def test_a_new_case_begins_with_typical_values(window):
    page = window.open("case", change=json.dumps({"bill_depth_mm": 14, "body_mass_g": 5500}))
    page.get_by_role("heading", name="A new case").wait_for()
    wait_for_prediction(page, "Gentoo")
    window.settle()


def test_a_number_has_an_interval_and_a_range_as_goal(window):
    page = window.open("case/17", target="body_mass_g")
    page.get_by_text("90 % prediction interval").wait_for()
    value = float(prediction(page).first.inner_text().replace(",", ""))
    assert 3000 < value < 6000
    page.get_by_label("Wanted, from").fill("5200")
    page.get_by_role("button", name="Find").click()
    page.get_by_text("counterfactual", exact=False).filter(has_text="Found").wait_for()
    window.settle()


@pytest.mark.parametrize("name", ["999999", "x", "%00"])
def test_a_case_that_does_not_exist_is_said_to_be_missing(window, name):
    page = window.open(f"case/{name}")
    if name == "999999":
        page.get_by_role("alert").first.wait_for()
        assert "999999" in page.get_by_role("alert").first.inner_text()
        window.settle()
        window.problems.clear()  # the browser reports the 4xx answers, which are meant
    else:
        page.get_by_role("heading", name="A new case").wait_for()
        window.settle()


def test_a_case_is_opened_and_compared_by_its_label(window):
    page = window.open("case?model=wards")
    page.get_by_placeholder("case label").first.fill("W-17")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("heading", name="Case W-17").wait_for()
    page.get_by_placeholder("case label").last.fill("W-04")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("columnheader", name="Case W-04").wait_for()
    page.get_by_placeholder("case label").first.fill("W-99")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("alert").get_by_text("W-99").wait_for()
    window.problems.clear()  # that it was refused
