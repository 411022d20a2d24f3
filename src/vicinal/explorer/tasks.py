"""What takes long, computed once in the background, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Thread, current_thread
from time import perf_counter
from typing import Any

from vicinal.explorer.priority import Priority, lower_priority

logger = logging.getLogger("vicinal.explorer")

#: Says how far a computation is, and what it does.
Report = Callable[[float, str], None]
Key = tuple[str, str | None]
#: Seconds until a result may be asked for again.
RETRY = 1


class NotReady(Exception):  # it is no error
    """A result is still being computed."""

    def __init__(self, task: Task) -> None:
        super().__init__(task.name)
        self.task = task


class Stopped(Exception):  # it is no error
    """A computation is no longer needed."""


@dataclass(eq=False)
class Task:
    """One computation.

    Parameters
    ----------
    name : str
        What is computed.
    target : str or None
        The target that it is about.
    compute : callable
        Takes a `Report`, and returns the result.
    """

    name: str
    target: str | None
    compute: Callable[[Report], Any]
    state: str = "waiting"
    progress: float = 0.0
    message: str = ""
    seconds: float = 0.0
    result: Any = None
    error: Exception | None = None

    def describe(self) -> dict[str, Any]:
        """Return what is known about it as JSON."""
        return {
            "name": self.name,
            "target": self.target,
            "state": self.state,
            "progress": round(self.progress, 3),
            "message": self.message,
            "seconds": round(self.seconds, 3),
        }


class Tasks:
    """Computations one by one: what somebody waits for first, then in the order of the requests.

    Parameters
    ----------
    priority : Priority
        Shared by several states, so that their computations do not compete with each other, nor
        with questions.

    Examples
    --------
    >>> from vicinal.explorer.priority import Priority
    >>> from vicinal.explorer.tasks import Tasks
    >>> tasks = Tasks(Priority())
    >>> tasks.add("sum", None, lambda report: 1 + 2)
    >>> tasks.start()
    >>> tasks.wait(10), tasks.result("sum", None)
    (True, 3)
    >>> tasks.stop()
    """

    def __init__(self, priority: Priority) -> None:
        self._priority = priority
        self._tasks: dict[Key, Task] = {}
        self._waiting: list[Task] = []
        self._changed = Condition()
        self._stopped = False
        self._thread: Thread | None = None

    def add(self, name: str, target: str | None, compute: Callable[[Report], Any]) -> None:
        """Ask for a computation, unless it was asked for already."""
        with self._changed:
            if (name, target) not in self._tasks:
                task = Task(name, target, compute)
                self._tasks[name, target] = task
                self._waiting.append(task)
                self._changed.notify_all()

    def result(self, name: str, target: str | None) -> Any:
        """Return a result; if it is not there yet, it is what will be computed next.

        Raises
        ------
        NotReady
            If it is still being computed.
        Exception
            Whatever the computation raised.
        """
        task = self._tasks[name, target]
        if task.error is not None:
            raise task.error
        if task.state != "ready":
            with self._changed:
                if task in self._waiting:  # someone looks at what it belongs to
                    self._waiting.remove(task)
                    self._waiting.insert(0, task)
            raise NotReady(task)
        return task.result

    def known(self, name: str, target: str | None) -> Any:
        """Return a result, or None if it is not there (yet)."""
        task = self._tasks.get((name, target))
        return None if task is None else task.result

    def has(self, name: str, target: str | None) -> bool:
        """Return whether a computation was asked for."""
        return (name, target) in self._tasks

    def competing(self) -> Task | None:
        """Return what the background computes now, unless it is the background that asks."""
        if current_thread() is self._thread:
            return None
        with self._changed:
            return next((one for one in self._tasks.values() if one.state == "running"), None)

    def describe(self) -> list[dict[str, Any]]:
        """Return what is known about all of them as JSON."""
        with self._changed:
            return [task.describe() for task in self._tasks.values()]

    @property
    def ready(self) -> bool:
        """Whether nothing is left to compute."""
        with self._changed:
            return all(one.state in ("ready", "failed") for one in self._tasks.values())

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to compute; return whether that is so."""
        with self._changed:
            done = ("ready", "failed")
            return self._changed.wait_for(
                lambda: all(one.state in done for one in self._tasks.values()), seconds
            )

    def start(self, delay: float = 0.0) -> None:
        """Begin to compute, after a delay in which more changes may come."""
        if self._thread is not None:
            return
        self._thread = Thread(target=self._work, args=(delay,), name="vicinal-tasks", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 0.0) -> None:
        """Stop at the next opportunity, and wait for it so long."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None and seconds:
            self._thread.join(seconds)

    def _work(self, delay: float) -> None:
        lower_priority()
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, delay)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._waiting)
                if self._stopped:
                    return
                task = self._waiting.pop(0)
            try:
                with self._priority.turn:
                    self._run(task)
            except Stopped:
                return

    def _run(self, task: Task) -> None:
        began = perf_counter()

        def report(progress: float, message: str) -> None:
            self._priority.give_way()
            if self._stopped:
                raise Stopped
            task.progress, task.message = progress, message
            task.seconds = perf_counter() - began

        report(0.0, "")
        task.state = "running"
        try:
            task.result = task.compute(report)
            state, task.progress = "ready", 1.0
        except Stopped:
            raise
        except Exception as error:  # it is told to whoever asks for the result
            task.error, state = error, "failed"
            logger.warning("%s failed: %s", task.name, error)
        with self._changed:
            task.seconds, task.state = perf_counter() - began, state
            self._changed.notify_all()
