"""A bar for those who watch, and nothing for those who do not."""

from __future__ import annotations

import io
import logging
import sys
import types
from contextlib import suppress

import pytest

from tests.mixed_table import OPTIONS, mixed_table
from vicinal import Model
from vicinal.progress import affordable, stages, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def bars(monkeypatch):
    """The bars that are shown."""
    shown = []

    def tqdm(items, **options):
        shown.append(options)
        yield from items

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=tqdm))
    return shown


def test_a_terminal_gets_a_bar(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(track("abc", total=3, what="letters")) == ["a", "b", "c"]
    (options,) = bars
    assert options["total"] == 3
    assert options["desc"] == "letters"


def test_what_is_no_terminal_gets_nothing(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert list(track("abc", total=3, what="letters")) == ["a", "b", "c"]
    assert bars == []
    assert sys.stderr.getvalue() == ""


def test_without_tqdm_there_is_no_bar(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(track("abc", total=3, what="letters")) == ["a", "b", "c"]
    assert bars == []


def test_stages_advance_a_bar_and_end_it_even_if_one_fails(monkeypatch):
    seen = []

    def tqdm(items, **options):
        try:
            for at in items:
                seen.append(at)
                yield at
        finally:
            seen.append("ended")

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=tqdm))
    with stages(2, what="a meal") as begin:
        assert seen == []
        begin()
        assert seen == [0]
        begin()
        assert seen == [0, 1]
    assert seen == [0, 1, "ended"]
    seen.clear()
    with suppress(KeyboardInterrupt), stages(3, what="a meal") as begin:
        begin()
        raise KeyboardInterrupt
    assert seen == [0, "ended"]


def test_the_work_is_logged_in_any_case(caplog):
    with caplog.at_level(logging.DEBUG, logger="vicinal"):
        list(track("abc", total=3, what="letters"))
    assert "letters: 3 steps" in caplog.text


def test_a_notebook_gets_a_bar(bars, monkeypatch):
    class ZMQInteractiveShell:
        pass

    notebook = types.SimpleNamespace(get_ipython=ZMQInteractiveShell)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert list(track("abc", total=3, what="letters")) == ["a", "b", "c"]
    assert len(bars) == 1


def test_one_step_needs_no_bar(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(track("a", total=1, what="letters")) == ["a"]
    assert bars == []


def test_a_budget_buys_as_much_work_as_the_trial_says(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("vicinal.progress.perf_counter", lambda: now[0])

    def work(units):
        now[0] += 0.1 * units

    assert affordable(work, 10.0, 1000) == 84  # 1.6 of 10 seconds are gone
    assert affordable(work, 1e6, 1000) == 1000
    assert affordable(work, 0.5, 1000) == 16
    assert affordable(work, 0.5, 7) == 7


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda model, rows: model.residual_conviction(rows), "judging features: 7 steps"),
        (lambda model, rows: model.drift(rows, shuffles=9), "comparing features: 7 steps"),
        (lambda model, rows: model.information_matrix(), "measuring pairs: "),
        (
            lambda model, rows: model.counterfactual(case=0, target="colour", wanted="blue"),
            "searching changes: ",
        ),
    ],
)
def test_questions_that_may_take_long_say_how_far_they_are(ask, said, caplog):
    model = Model(**OPTIONS, max_members=1).fit(mixed_table(60))
    caplog.set_level(logging.DEBUG, logger="vicinal")
    ask(model, mixed_table(9, seed=1))
    assert any(one.startswith(said) for one in caplog.messages)
