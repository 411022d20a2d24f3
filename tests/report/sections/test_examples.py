from dataclasses import replace

from tests.report.reading import text_of
from vicinal.report.parts import Example, NearCase
from vicinal.report.sections.examples import examples_section

NEAR = NearCase(7, 0.625, "b", ("1.5",), (True,))
EXAMPLE = Example(
    case=3,
    chosen="a close call",
    answer="y = b (51.0 %)",
    truth="a",
    verdict="the prediction is incorrect",
    baseline="0.4",
    prediction="0.51 (probability of b)",
    contributions=(("x", "2", 0.11, "+0.11"),),
    names=("x",),
    given=("2",),
    cases=(NEAR,),
    boundary=(replace(NEAR, case=9, outcome="a", differs=(False,)),),
    more="65 more cases contribute 37.5 % in total",
    notes=("Unusual? No.",),
)


def test_an_example_has_its_prediction_its_contributions_and_its_cases():
    text = text_of(examples_section((EXAMPLE,), "y"))
    for part in (
        "Case #3: a close call",
        "The true value is a: the prediction is incorrect.",
        "Contributions: from the baseline 0.4 to 0.51 (probability of b)",
        "Most influential training cases",
        "62.5 %",
        "65 more cases contribute 37.5 % in total",
        "Nearest cases with a different outcome",
        "Unusual? No.",
    ):
        assert part in text


def test_values_that_differ_are_highlighted():
    page = examples_section((EXAMPLE,), "y")
    assert page.count('class="differs"') == 1


def test_what_is_not_there_is_left_out():
    bare = replace(EXAMPLE, contributions=(), boundary=(), more="")
    text = text_of(examples_section((bare,), "y"))
    assert "Contributions: from" not in text
    assert "Nearest cases with a different outcome" not in text
