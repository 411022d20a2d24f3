from threading import Event

import pytest

from vicinal.explorer.priority import Priority
from vicinal.explorer.tasks import NotReady, Tasks


def test_results_come_in_the_order_of_the_requests():
    seen, tasks = [], Tasks(Priority())
    for at in range(5):
        tasks.add(f"t{at}", None, lambda report, at=at: seen.append(at))
    tasks.start()
    assert tasks.wait(30)
    assert seen == list(range(5))
    tasks.stop(5)


def test_what_is_not_there_yet_says_how_far_it_is():
    tasks, go, reached = Tasks(Priority()), Event(), Event()

    def compute(report):
        report(0.5, "half of it")
        reached.set()
        assert go.wait(30)
        return "done"

    tasks.add("long", "y", compute)
    with pytest.raises(NotReady):
        tasks.result("long", "y")
    tasks.start()
    assert reached.wait(30)
    [told] = tasks.describe()
    assert (told["state"], told["progress"], told["message"]) == ("running", 0.5, "half of it")
    go.set()
    assert tasks.wait(30)
    assert tasks.result("long", "y") == "done"
    tasks.stop(5)


def test_an_error_is_told_to_whoever_asks_and_others_are_computed():
    tasks = Tasks(Priority())

    def fail(report):
        raise ValueError("no values")

    tasks.add("bad", None, fail)
    tasks.add("good", None, lambda report: 3)
    tasks.start()
    assert tasks.wait(30)
    with pytest.raises(ValueError, match="no values"):
        tasks.result("bad", None)
    assert tasks.result("good", None) == 3
    assert [one["state"] for one in tasks.describe()] == ["failed", "ready"]
    tasks.stop(5)


def test_a_stopped_computation_ends_at_its_next_report():
    tasks, begun, ended = Tasks(Priority()), Event(), Event()

    def endless(report):
        begun.set()
        try:
            while True:
                report(0.1, "")
        finally:
            ended.set()

    tasks.add("endless", None, endless)
    tasks.start()
    assert begun.wait(30)
    tasks.stop(30)
    assert ended.is_set()


def test_a_computation_is_added_once():
    tasks, runs = Tasks(Priority()), []
    for _ in range(3):
        tasks.add("one", None, lambda report: runs.append(1))
    tasks.start()
    assert tasks.wait(30)
    assert runs == [1]
    tasks.stop(5)


def test_what_somebody_waits_for_is_computed_next():
    seen, tasks = [], Tasks(Priority())
    for name in ("first", "second", "third"):
        tasks.add(name, None, lambda report, name=name: seen.append(name))
    with pytest.raises(NotReady):
        tasks.result("third", None)
    tasks.start()
    assert tasks.wait(30)
    assert seen == ["third", "first", "second"]
    tasks.stop(5)
