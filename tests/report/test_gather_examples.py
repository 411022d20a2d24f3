import pytest

from vicinal.report.gather_examples import choose_examples, gather_examples


@pytest.fixture(scope="module")
def examples(held_out):
    return {
        target: gather_examples(held, choose_examples(held)) for target, held in held_out.items()
    }


def test_contributions_of_examples_lead_to_their_predictions(examples):
    for one in examples["body_mass_g"]:
        total = sum(value for _, _, value, _ in one.contributions)
        assert float(one.baseline) + total == pytest.approx(float(one.prediction), rel=1e-3)


def test_a_typical_prediction_an_error_and_a_close_call_are_chosen(held_out, examples):
    assert [one.chosen for one in examples["island"]] == [
        "a typical prediction",
        "the most confident error",
        "a close call",
    ]
    assert examples["island"][0].verdict == "the prediction is correct"
    assert examples["island"][1].verdict == "the prediction is incorrect"
    held = held_out["body_mass_g"]
    worst = int(held.cases[held.scores.argmax()])
    [one] = [one for one in examples["body_mass_g"] if one.case == worst]
    assert one.verdict == "the interval does not contain it"


def test_an_example_is_not_among_the_cases_behind_it(examples):
    for found in examples.values():
        for one in found:
            assert one.case not in [near.case for near in (*one.cases, *one.boundary)]
            assert len(one.cases) == 5
            assert one.more.startswith(tuple("123456789"))
            assert " more cases contribute " in one.more
