"""Every question: its answer is of the type that is documented, and says what it should."""

import json

import numpy as np
import pytest
from pydantic import ValidationError

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.explorer.questions import QUESTIONS
from vicinal.explorer.tasks import NotReady

ROW = {"size": 2.5, "count": 3, "day": "2024-01-15", "wait": 600, "shop": "shop 1", "open": True}
REQUESTS = [
    ("cases/query", {}),
    ("cases/query", {"search": "1", "columns": ["day", "wait"], "limit": 3}),
    ("cases/query", {"filter": [{"feature": "day", "at_least": "2024-02-01"}]}),
    ("cases/answers", {"cases": [0, 59]}),
    ("cases/summary", {"filter": [{"flag": "wrong prediction", "not": True}]}),
    ("map", {"bins": 8, "color": {"by": "feature", "feature": "kind"}}),
    ("map", {"bins": 8, "color": {"by": "error"}, "view": {"x": [0, 0.5], "y": [0, 1]}}),
    ("map", {"filter": [{"feature": "shop", "missing": True}]}),
    ("predict", {"rows": [ROW, {"size": None}]}),
    ("predict", {"cases": [1, 2], "target": "day", "alpha": 0.2}),
    ("predict", {"cases": [1], "decision": "f1", "class_weight": "balanced"}),
    ("what-if", {"cases": [4], "changes": {"size": 5.0, "shop": None}}),
    ("what-if", {"rows": [ROW], "target": "wait"}),
    ("explain", {"cases": [4]}),
    ("explain", {"rows": [ROW], "target": "wait", "n_cases": 2}),
    ("explain", {"cases": [4], "changes": {"size": 9.0}, "contributions": False}),
    ("compare", {"a": {"case": 1}, "b": {"row": ROW}}),
    ("neighbors", {"cases": [5], "k": 3, "terms": True}),
    ("conviction", {"rows": [{**ROW, "size": 99.0}]}),
    ("anomalies", {}),
    ("anomalies", {"rows": [{**ROW, "size": 99.0}], "threshold": 0.9, "inliers": True}),
    ("counterfactual", {"cases": [4], "wanted": "large", "immutable": ["shop"], "n": 2}),
    ("counterfactual", {"rows": [ROW], "target": "size", "wanted": {"low": 3}}),
    ("counterfactual", {"rows": [ROW], "wanted": {"any": ["small", "large"]}}),
    ("density", {"cases": [1, 2]}),
    ("impute", {"rows": [{**ROW, "size": None, "shop": None}]}),
    ("drift", {"rows": [ROW] * 20, "shuffles": 19}),
    ("audit", {}),
    ("audit", {"kind": "duplicate", "limit": 1}),
    ("groups", {"a": [{"feature": "open", "in": [True]}], "protected": "shop"}),
    ("groups", {"a": [], "b": [{"cases": [1, 2, 3]}], "protected": "size", "positive": "large"}),
]


@pytest.mark.parametrize(("name", "request_"), REQUESTS, ids=lambda one: str(one)[:60])
def test_an_answer_is_of_its_type_and_is_json(served, name, request_):
    answer = served.ask(name, request_)
    QUESTIONS[name].answer.model_validate(answer, strict=True)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_every_question_is_asked_above():
    assert {name for name, _ in REQUESTS} == set(QUESTIONS)


def test_a_prediction_is_that_of_the_model(served):
    model = served.state.model
    answer = served.ask("predict", {"cases": [0, 1, 2], "target": "size"})
    expected = model.predict(case=[0, 1, 2], target="size")
    low, high = model.predict_interval(case=[0, 1, 2], target="size")
    assert [one["prediction"] for one in answer["predictions"]] == expected.tolist()
    assert [one["interval"] for one in answer["predictions"]] == np.c_[low, high].tolist()


def test_an_explanation_is_that_of_the_model(served):
    [answer] = served.ask("explain", {"cases": [4], "n_boundary": 2})["explanations"]
    why = served.state.model.explain(case=[4], target="kind")[0]
    assert answer["prediction"] == why.prediction
    assert [one["case"] for one in answer["cases"]] == why.cases.numbers[:10].tolist()
    steps = answer["contributions"]["steps"]
    assert steps[0]["start"] == answer["contributions"]["baseline"]
    assert steps[-1]["end"] == pytest.approx(answer["contributions"]["prediction"])
    shares = sum(one["influence"] for one in answer["cases"])
    assert shares + answer["rest"] + answer["background"] == pytest.approx(1)


def test_contributions_to_times_are_in_a_unit_that_fits(served):
    [one] = served.ask("explain", {"cases": [4], "target": "wait"})["explanations"]
    found = one["contributions"]
    assert found["unit"] == "minutes"
    total = found["baseline"] + sum(step["contribution"] for step in found["steps"])
    assert total == pytest.approx(found["prediction"])
    assert 60 * found["prediction"] == pytest.approx(one["prediction"], abs=1e-3)
    assert all(":" in text for text in found["between"])
    kind = served.ask("explain", {"cases": [4]})["explanations"][0]["contributions"]
    assert kind["unit"] == ""


def test_rows_that_are_compared_have_their_names(served):
    found = served.ask("compare", {"a": {"case": 1}, "b": {"row": ROW}})
    assert (found["a"]["case"], found["b"]) == (1, None)


def test_a_changed_case_is_left_out_of_its_own_answer(served):
    same = served.ask("what-if", {"cases": [4]})["after"]
    size = served.state.table.column("size")[4]
    changed = served.ask("what-if", {"cases": [4], "changes": {"size": size}})
    assert changed["after"]["probabilities"] == same["probabilities"]
    assert changed["after"]["cases"] == same["cases"]
    assert 4 not in [one["case"] for one in changed["after"]["cases"]]
    assert changed["after"]["conviction"]["similarity"] == pytest.approx(
        same["conviction"]["similarity"], rel=0.2
    )


def test_a_changed_case_has_no_actual_error(served):
    asked = {"cases": [4], "contributions": False}
    [same] = served.ask("explain", asked)["explanations"]
    [changed] = served.ask("explain", {**asked, "changes": {"size": 9.0}})["explanations"]
    texts = [one["residual_conviction"]["text"] for one in (same, changed)]
    assert ["actual error" in text for text in texts] == [True, False]


def test_what_if_moves_with_the_value(served):
    far = served.ask("what-if", {"cases": [4], "changes": {"size": 50.0}})
    assert far["after"]["conviction"]["direction"] == "outlier"
    assert far["row"]["size"] == 50.0
    assert far["changed"] == ["size"]
    assert far["before"]["prediction"] == "small"


def test_a_request_of_another_form_is_refused_with_the_place(served):
    with pytest.raises(ValidationError, match="rows, cases and ids"):
        served.ask("predict", {})
    with pytest.raises(ValidationError, match="alpha"):
        served.ask("predict", {"cases": [1], "alpha": 2})
    with pytest.raises(ValidationError, match="Extra inputs"):
        served.ask("predict", {"cases": [1], "alfa": 0.2})


@pytest.mark.parametrize(
    ("name", "request_", "error", "match"),
    [
        ("predict", {"cases": [999]}, ParameterError, "999"),
        ("predict", {"cases": [1], "target": "kin"}, FeatureError, "Did you mean 'kind'"),
        ("predict", {"ids": ["a"]}, ParameterError, "label"),
        ("explain", {"cases": list(range(21))}, ParameterError, "at most 20"),
        ("what-if", {"cases": [1, 2]}, ParameterError, "expected one"),
        ("cases/summary", {"filter": [{"flag": "outlyer"}]}, ParameterError, "'outlier'"),
        ("cases/query", {"sort": [{"by": "feature"}]}, ParameterError, "names no feature"),
        ("cases/query", {"columns": ["size", "size"]}, ParameterError, "twice"),
        ("map", {"view": {"x": [0.5, 0.5], "y": [0, 1]}}, ParameterError, "larger"),
        ("groups", {"a": [{"cases": []}]}, ParameterError, "no case"),
        ("counterfactual", {"cases": [1], "wanted": {}}, ParameterError, "no limit"),
        ("prediction", {}, ParameterError, "Did you mean 'predict'"),
    ],
)
def test_errors_say_what_came_and_what_was_expected(served, name, request_, error, match):
    with pytest.raises(error, match=match):
        served.ask(name, request_)


def test_what_is_still_computed_is_not_ready(served):
    from vicinal.explorer.served import ServedModel

    fresh = ServedModel(served.state.model, "fresh", target="kind")
    with pytest.raises(NotReady):
        fresh.ask("map", {})
    page = fresh.ask("cases/query", {"limit": 1})
    assert page["rows"][0]["prediction"] is None
    assert page["computed"]["conviction"] == {"state": "running", "cases": 0, "of": 60}


@pytest.mark.parametrize("name", ["predict", "what-if", "explain", "counterfactual", "overview"])
def test_the_code_of_a_view_is_python(served, name):
    request = dict(dict(REQUESTS).get(name, {}))
    code = served.ask("code", {"view": name, "request": request})["code"]
    compile(code, name, "exec")
    assert "mixed.csv" in code
