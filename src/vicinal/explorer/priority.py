"""Questions go first: work in the background waits while one of them is answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock, get_native_id

#: Seconds that the background waits for questions before it goes on with its next block.
_PATIENCE = 2.0
#: How much lower the priority of the background is: beside a question it gets a third of a
#: processor. Not less, or programs beside the service would keep it from ever ending.
_NICENESS = 3


class Priority:
    """Who may compute: one computation in the background at a time, and only between questions.

    Parameters
    ----------
    patience : float
        Seconds that the background waits at most, so that long questions do not stop it.

    Examples
    --------
    >>> from vicinal.explorer.priority import Priority
    >>> priority = Priority()
    >>> with priority.question():
    ...     answer = 6 * 7
    >>> priority.give_way()  # nobody asks, so that it returns at once
    """

    def __init__(self, patience: float = _PATIENCE) -> None:
        #: Held while something is computed in the background.
        self.turn = Lock()
        self._patience = patience
        self._asked = 0
        self._answered = Condition()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Answer a question."""
        with self._answered:
            self._asked += 1
        try:
            yield
        finally:
            with self._answered:
                self._asked -= 1
                self._answered.notify_all()

    def give_way(self) -> None:
        """Wait until no question is being answered."""
        with self._answered:
            self._answered.wait_for(lambda: not self._asked, self._patience)


def lower_priority() -> None:
    """Let this thread, and those it starts, compute when others have nothing to do."""
    if sys.platform == "linux":  # elsewhere priorities are those of whole processes
        thread = get_native_id()
        now = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(19, now + _NICENESS))
