import os
import sys
from threading import Event, Thread, get_native_id

import pytest

from vicinal.explorer.priority import Priority, lower_priority
from vicinal.explorer.tasks import Tasks


def started(priority):
    """Return tasks that began one computation of two blocks, and when each block was reached."""
    tasks, first, second = Tasks(priority), Event(), Event()

    def compute(report):
        first.set()
        report(0.5, "between two blocks")
        second.set()

    tasks.add("blocks", None, compute)
    return tasks, first, second


def test_the_background_waits_before_a_block_while_a_question_is_answered():
    priority = Priority(patience=60)
    tasks, first, second = started(priority)
    with priority.question():
        tasks.start()
        assert not first.wait(0.02)
    assert second.wait(30)
    assert tasks.wait(30)
    tasks.stop(5)


def test_a_question_that_takes_long_does_not_stop_the_background():
    priority = Priority(patience=0.0)
    tasks, _, second = started(priority)
    with priority.question():
        tasks.start()
        assert second.wait(30)
    tasks.stop(5)


def test_an_error_ends_a_question():
    priority = Priority(patience=60)
    with pytest.raises(ValueError, match="no answer"), priority.question():
        raise ValueError("no answer")
    priority.give_way()


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: threads have priorities on Linux")
def test_only_the_thread_of_the_background_is_lowered():
    before, found = os.getpriority(os.PRIO_PROCESS, get_native_id()), []

    def work():
        lower_priority()
        found.append(os.getpriority(os.PRIO_PROCESS, get_native_id()))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found[0] > before or before == 19
    assert os.getpriority(os.PRIO_PROCESS, get_native_id()) == before
