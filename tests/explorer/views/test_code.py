"""The code of a view runs, on the table that it names."""

import shutil
from importlib.resources import files

import pytest

from tests.explorer.tables import quick_model
from vicinal.data import load_penguins
from vicinal.explorer.served import ServedModel

ROW = {"island": "Dream", "bill_length_mm": 48.0, "sex": None}
MALES = [{"feature": "sex", "in": ["male"]}]
VIEWS = [
    ("schema", {}),
    ("cases/query", {"filter": MALES, "sort": [{"by": "conviction"}]}),
    (
        "cases/query",
        {
            "filter": [
                {"feature": "island", "contains": "dre", "not": True},
                {"by": "prediction", "in": ["Adelie"]},
                {"feature": "year", "at_least": 2008, "at_most": 2009},
                {"flag": "outlier"},
            ],
            "sort": [{"by": "feature", "feature": "year", "descending": True}, {"by": "case"}],
        },
    ),
    ("map", {}),
    ("predict", {"cases": [1]}),
    ("what-if", {"cases": [1], "changes": {"body_mass_g": 5000}}),
    ("explain", {"rows": [ROW], "contributions": False}),
    ("compare", {"a": {"case": 1}, "b": {"row": ROW}}),
    ("neighbors", {"cases": [1, 2], "k": 2}),
    ("conviction", {"rows": [ROW], "changes": {"sex": "male"}}),
    ("anomalies", {"threshold": 0.5}),
    ("counterfactual", {"cases": [1], "wanted": "Gentoo", "immutable": ["sex"], "n": 1}),
    ("counterfactual", {"rows": [ROW], "wanted": {"any": ["Gentoo", "Chinstrap"]}}),
    ("density", {"rows": [ROW]}),
    ("impute", {"rows": [ROW], "effort": "low"}),
    ("audit", {}),
    ("groups", {"a": MALES, "protected": "island"}),
]


@pytest.fixture(scope="module")
def served():
    return ServedModel(quick_model().fit(load_penguins()), "penguins", title="penguins.csv")


def code_of(served, view, request):
    return served.ask("code", {"view": view, "request": {"target": "species", **request}})["code"]


@pytest.mark.parametrize(("view", "request_"), VIEWS, ids=lambda one: str(one)[:40])
def test_the_code_of_a_view_runs(served, tmp_path, monkeypatch, view, request_):
    shutil.copy(files("vicinal.data") / "penguins.csv", tmp_path / "penguins.csv")
    monkeypatch.chdir(tmp_path)
    quick = "vicinal.Model(max_queries=40, max_members=3, scores=False, n_jobs=1)"
    code = code_of(served, view, request_).replace("vicinal.Model()", quick)
    code = code.replace("why.plot()", "").replace("perplexity=", "max_iter=250, perplexity=")
    exec(compile(code, view, "exec"), {})


def test_hostile_values_are_text_in_the_code(served):
    evil = "'); import os; os.abort() #"
    code = code_of(served, "predict", {"rows": [{"island": evil}]})
    assert repr(evil) in code
    compile(code, "code", "exec")


def test_a_saved_model_is_loaded():
    saved = ServedModel(quick_model().fit(load_penguins()), "m", title="m.vicinal")
    code = saved.ask("code", {"view": "schema"})["code"]
    assert "vicinal.load('m.vicinal')" in code
    assert "pandas" not in code
