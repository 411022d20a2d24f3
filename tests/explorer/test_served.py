import threading

import pytest

import vicinal
from tests.explorer.tables import hostile_table, mixed_table, quick_model
from vicinal.explorer.changes import add_cases, list_changes, remove_cases, update_cases
from vicinal.explorer.requests import AddRequest, RemoveRequest, UpdateRequest
from vicinal.explorer.served import OtherVersion, ReadOnly, ServedModel
from vicinal.explorer.tasks import NotReady, Tasks
from vicinal.explorer.widget import reply

ROW = {"kind": "small", "size": 1.0, "count": 1, "day": "2024-05-01", "wait": 60, "open": True}


@pytest.fixture
def writable(tmp_path):
    model = quick_model().fit({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "a", "b", "b"]})
    made = ServedModel(model, "m", target="kind", path=tmp_path / "m.vicinal", writable=True)
    yield made
    made.stop()


def test_a_change_is_in_the_file_before_it_is_answered(writable):
    answer = add_cases(writable, AddRequest(rows=[{"size": 9.0, "kind": "c"}]), None)
    assert answer == {"version": 2, "cases": [4]}
    assert len(vicinal.load(writable.path)) == 5
    update = UpdateRequest.model_validate({"cases": [4], "rows": [{"size": 8.0}]})
    update_cases(writable, update, 2)
    remove_cases(writable, RemoveRequest.model_validate({"cases": [0, 0]}), None)
    again = vicinal.load(writable.path)
    assert [one.action for one in again.log_] == ["fit", "add", "update", "remove"]
    assert writable.ask("cases/query", {})["rows"][-1]["values"] == [8.0, "c"]
    assert [one["action"] for one in list_changes(writable, 1, 2)["changes"]] == ["update", "add"]


def test_a_change_that_cannot_be_saved_did_not_happen(writable, monkeypatch):
    monkeypatch.setattr(writable, "path", writable.path / "no" / "folder")
    with pytest.raises(OSError, match="No such file"):
        add_cases(writable, AddRequest(rows=[{"size": 9.0, "kind": "c"}]), None)
    assert writable.describe()["version"] == 1
    assert writable.describe()["cases"] == 4


def test_a_change_for_another_version_is_refused(writable):
    with pytest.raises(OtherVersion):
        add_cases(writable, AddRequest(rows=[{"size": 9.0, "kind": "c"}]), 7)


def test_a_model_is_read_only_unless_told_otherwise(served):
    with pytest.raises(ReadOnly):
        add_cases(served, AddRequest(rows=[ROW]), None)


def test_writers_and_readers_at_the_same_time_do_not_tear(writable):
    problems = []

    def write(at):
        try:
            add_cases(writable, AddRequest(rows=[{"size": float(at), "kind": "c"}] * 3), None)
        except Exception as error:
            problems.append(error)

    def read():
        for _ in range(20):
            page = writable.ask("cases/query", {"limit": 1000})
            # All three rows of a change are there, or none.
            if (page["total"] - 4) % 3 or page["version"] != 1 + (page["total"] - 4) // 3:
                problems.append(page["total"])

    threads = [threading.Thread(target=write, args=(at,)) for at in range(6)]
    threads += [threading.Thread(target=read) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert problems == []
    assert writable.describe()["version"] == 7
    assert len(vicinal.load(writable.path)) == 22


def test_the_results_of_the_version_before_stand_in_until_there_are_new_ones(tmp_path):
    model = quick_model().fit(mixed_table(20))
    made = ServedModel(model, "m", target="kind", writable=True)
    made.start()
    assert made.state.tasks.wait(60)
    add_cases(made, AddRequest(rows=[{**ROW, "shop": None}]), None)
    rows = made.ask("cases/query", {})["rows"]
    assert rows[0]["conviction"] is not None
    assert rows[20]["conviction"] is None
    assert made.state.tasks.wait(60)
    assert made.ask("cases/query", {})["rows"][20]["conviction"] is not None
    made.stop()


def test_names_and_values_of_a_hostile_table_come_back_as_they_are():
    table = hostile_table()
    made = ServedModel(quick_model(ignore=[]).fit(table), "m", target="y")
    page = made.ask("cases/query", {"limit": 1000})
    assert page["columns"] == list(table)
    assert [row["values"] for row in page["rows"]] == [
        list(row) for row in zip(*table.values(), strict=True)
    ]
    row = dict(zip(page["columns"], page["rows"][0]["values"], strict=True))
    assert made.ask("predict", {"rows": [row]})["predictions"][0]["interval"]
    [why] = made.ask("explain", {"cases": [0]})["explanations"]
    assert {one["feature"] for one in why["given"]} == set(table) - {"y"}
    first = next(iter(table))
    found = made.ask("cases/summary", {"filter": [{"feature": first, "in": [table[first][0]]}]})
    assert found["total"] == table[first].count(table[first][0])


def test_a_large_table_is_judged_by_a_sample_that_is_stated(monkeypatch):
    from vicinal.explorer import computed, state

    for module, name, value in (
        (state, "MOST_JUDGED", 30),
        (state, "JUDGED_SAMPLE", 25),
        (computed, "MOST_PREDICTED", 30),
        (computed, "PREDICTED_SAMPLE", 20),
    ):
        monkeypatch.setattr(module, name, value)
    made = ServedModel(quick_model().fit(mixed_table()), "m", target="kind")
    made.start()
    assert made.state.tasks.wait(60)
    page = made.ask("cases/query", {"sort": [{"by": "conviction"}], "limit": 60})
    assert page["computed"]["prediction"] == {"state": "ready", "cases": 20, "of": 60}
    assert page["computed"]["conviction"] == {"state": "ready", "cases": 25, "of": 60}
    assert sum(row["conviction"] is not None for row in page["rows"]) == 25
    unknown = page["rows"][-1]["case"]
    [now] = made.ask("cases/answers", {"cases": [unknown]})["rows"]
    assert now["conviction"] is not None
    assert now["prediction"] is not None
    for case in (unknown, page["rows"][0]["case"]):
        assert made.ask("explain", {"cases": [case]})["explanations"][0]["case"] == case
        assert made.ask("what-if", {"cases": [case], "changes": {"size": 3.0}})["before"]
        made.ask("counterfactual", {"cases": [case], "wanted": "large"})
    assert made.ask("anomalies", {})["sample"] == {"cases": 25, "of": 60}
    assert made.ask("audit", {})["sample"]["of"] == 60
    made.stop()


def test_a_question_does_not_wait_long_for_what_the_background_learns(monkeypatch):
    monkeypatch.setattr("vicinal.explorer.state._PATIENCE", 0.01)
    made = ServedModel(quick_model().fit(mixed_table()), "m", target="kind")
    learning, learned = threading.Event(), threading.Event()

    def learn(report):
        with made.state.learning:
            learning.set()
            assert learned.wait(30)
            made.state.predictor("kind")

    made.state.tasks = Tasks(made.priority)
    made.state.tasks.add("predictions", "kind", learn)
    made.start()
    assert learning.wait(30)
    for question in ("predict", "conviction"):
        with pytest.raises(NotReady, match="predictions"):
            made.ask(question, {"cases": [0]})
    assert reply(made, "v1/models/m/predict", {"cases": [0]})[0] == 202
    learned.set()
    assert made.state.tasks.wait(60)
    assert len(made.ask("predict", {"cases": [0]})["predictions"]) == 1
    made.stop()
