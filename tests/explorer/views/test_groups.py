"""Two selections compared, against counts made one case after the other."""

import contextlib

import numpy as np
import pytest

from tests.explorer.tables import mixed_table
from vicinal.explorer.tasks import NotReady

TABLE = mixed_table()
OPEN = [{"feature": "open", "in": [True]}]
A = [i for i, one in enumerate(TABLE["open"]) if one]
B = [i for i, one in enumerate(TABLE["open"]) if not one]


@pytest.fixture(scope="module")
def answer(served):
    return served.ask("groups", {"a": OPEN, "protected": "shop", "positive": "large"})


def predicted(served):
    return served.state.computed("predictions", "kind")


def shares(cases, name, value):
    return sum(TABLE[name][case] == value for case in cases) / len(cases)


def test_the_second_selection_is_by_default_the_rest(answer):
    assert answer["a"] == {"cases": len(A), "computed": len(A)}
    assert answer["b"] == {"cases": len(B), "computed": len(B)}


def test_the_gap_of_classes_is_the_total_variation_distance(answer):
    found = {one["feature"]: one for one in answer["features"]}
    values = [*dict.fromkeys(TABLE["shop"])]
    expected = sum(abs(shares(A, "shop", v) - shares(B, "shop", v)) for v in values) / 2
    assert found["shop"]["gap"] == pytest.approx(expected)
    assert found["open"]["gap"] == pytest.approx(1.0)
    gaps = [one["gap"] for one in answer["features"]]
    assert gaps == sorted(gaps, reverse=True)


def test_the_gap_of_numbers_is_that_of_their_distributions(answer):
    found = {one["feature"]: one for one in answer["features"]}
    values = sorted(set(TABLE["count"]))
    expected = max(
        abs(
            sum(TABLE["count"][case] <= v for case in A) / len(A)
            - sum(TABLE["count"][case] <= v for case in B) / len(B)
        )
        for v in values
    )
    assert found["count"]["gap"] == pytest.approx(expected)


def test_the_accuracy_of_a_selection_is_that_of_its_cases(served, answer):
    [accuracy] = [one for one in answer["quality"]["measures"] if one["name"] == "Accuracy"]
    wrong = predicted(served).wrong
    assert accuracy["a"] == pytest.approx(1 - np.mean([wrong[case] for case in A]))
    assert accuracy["b"] == pytest.approx(1 - np.mean([wrong[case] for case in B]))


def test_rates_of_groups_are_counted_case_by_case(served, answer):
    categories = served.state.fitted.schema["kind"].categories
    chosen = [categories[int(code)] for code in predicted(served).values]
    for group in answer["fairness"]["groups"]:
        cases = [i for i, one in enumerate(TABLE["shop"]) if one == group["value"]]
        true = [i for i in cases if TABLE["kind"][i] == "large"]
        false = [i for i in cases if TABLE["kind"][i] != "large"]
        said = [i for i in cases if chosen[i] == "large"]
        assert group["cases"] == len(cases)
        assert group["selection_rate"] == pytest.approx(len(said) / len(cases))
        assert group["base_rate"] == pytest.approx(len(true) / len(cases))
        hits = sum(chosen[i] == "large" for i in true)
        assert group["true_positive_rate"] == pytest.approx(hits / len(true))
        alarms = sum(chosen[i] == "large" for i in false)
        assert group["false_positive_rate"] == pytest.approx(alarms / len(false))


def test_parity_is_the_largest_difference_of_the_rates(answer):
    fairness = answer["fairness"]
    rates = [one["selection_rate"] for one in fairness["groups"]]
    measures = {one["name"]: one["value"] for one in fairness["measures"]}
    assert fairness["positive"] == "large"
    assert measures["Demographic parity difference"] == pytest.approx(max(rates) - min(rates))
    assert measures["Demographic parity ratio"] == pytest.approx(min(rates) / max(rates))


def test_numbers_are_compared_by_error_and_bias(served):
    request = {"a": OPEN, "target": "size", "protected": "count"}
    with contextlib.suppress(NotReady):
        served.ask("groups", request)
    assert served.state.tasks.wait(60)
    answer = served.ask("groups", request)
    names = [one["name"] for one in answer["quality"]["measures"]]
    assert names[0] == "Mean absolute error"
    found = served.state.computed("predictions", "size")
    known = [i for i in A if TABLE["size"][i] is not None]
    assert answer["quality"]["measures"][0]["a"] == pytest.approx(np.mean(found.error[known]))
    texts = [one["text"] for one in answer["fairness"]["groups"]]
    assert texts[0].startswith("up to ")
    assert sum(one["cases"] for one in answer["fairness"]["groups"]) == sum(
        one is not None for one in TABLE["size"]
    )
