"""Many readers or one writer: no question sees half of a change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident
from typing import Any


class ReadWriteLock:
    """Lets questions run at the same time, and changes alone.

    A change waits until the questions that are being answered have their answers, and questions
    that come later wait for it, so a steady stream of questions cannot hold it up forever. A
    thread that reads may read again. Copies and pickles of a lock are new locks.

    Examples
    --------
    >>> from vicinal.model.locking import ReadWriteLock
    >>> lock = ReadWriteLock()
    >>> with lock.reading(), lock.reading():
    ...     pass
    >>> with lock.writing():
    ...     pass
    """

    def __init__(self) -> None:
        self._changes = RLock()
        self._state = Condition()
        self._readers: dict[int, int] = {}
        self._waiting = 0
        self._writer: int | None = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep all changes out meanwhile."""
        me = get_ident()
        with self._state:
            self._state.wait_for(lambda: self._may_read(me))
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._state:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._state.notify_all()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep other changes out, but not questions: to prepare a change that takes long."""
        with self._changes:
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep questions and other changes out."""
        with self._changes:
            me = get_ident()
            with self._state:
                self._waiting += 1
                try:
                    self._state.wait_for(lambda: not self._readers.keys() - {me})
                    self._writer = me
                finally:
                    self._waiting -= 1
                    self._state.notify_all()
            try:
                yield
            finally:
                with self._state:
                    self._writer = None
                    self._state.notify_all()

    def _may_read(self, me: int) -> bool:
        if me in self._readers or self._writer == me:
            return True
        return self._writer is None and not self._waiting

    def __reduce__(self) -> tuple[Any, ...]:
        return (ReadWriteLock, ())
