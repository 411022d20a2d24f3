"""The widget's side of a notebook: what it is asked, and what it answers."""

import pytest

from tests.explorer.tables import mixed_table, quick_model
from vicinal.exceptions import FileError
from vicinal.explorer import widget
from vicinal.explorer.served import ServedModel


@pytest.fixture(scope="module")
def served():
    return ServedModel(quick_model().fit(mixed_table()), "m", target="kind")


def test_the_page_learns_about_the_model_and_its_columns(served):
    status, found = widget.reply(served, "v1/models", None)
    assert (status, found["models"][0]["target"]) == (200, "kind")
    status, found = widget.reply(served, "v1/models/m/schema", None)
    assert status == 200
    assert "kind" in {column["name"] for column in found["columns"]}
    assert found["model"] == "m"


def test_answers_are_those_of_the_service_as_json(served):
    status, found = widget.reply(served, "v1/models/m/what-if", {"cases": [0], "n_cases": 2})
    assert status == 200
    assert found == served.ask("what-if", {"cases": [0], "n_cases": 2})


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("v1/models/m/what-if", {"cases": [10**9]}),
        ("v1/models/m/what-if", {"nonsense": 1}),
        ("v1/models/m/nonsense", {}),
        ("nonsense", None),
    ],
)
def test_what_cannot_be_answered_is_said(served, path, body):
    status, found = widget.reply(served, path, body)
    assert status == 422
    assert found["detail"]


def test_a_widget_answers_messages_of_the_page(served, monkeypatch, tmp_path):
    pytest.importorskip("anywidget")
    script = tmp_path / "widget.js"
    script.write_text("export default {}")
    monkeypatch.setattr(widget, "SCRIPT", script)
    shown = widget.case_widget(served, 3)
    assert shown.address == "#/case/3"
    sent = []
    monkeypatch.setattr(shown, "send", sent.append)
    shown._answer({"id": 7, "path": "v1/models/m/predict", "body": {"cases": [0]}})
    assert [(one["id"], one["status"]) for one in sent] == [(7, 200)]
    assert widget.case_widget(served).address == "#/case/"


def test_an_installation_without_the_page_says_how_to_build_it(served, monkeypatch, tmp_path):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(widget, "SCRIPT", tmp_path / "nothing.js")
    with pytest.raises(FileError, match="make web"):
        widget.case_widget(served)
