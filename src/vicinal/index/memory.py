"""Memory that is free, back to the system."""

from __future__ import annotations

from collections.abc import Callable

from vicinal.index import _native
from vicinal.index.protocol import Index

#: Tables of fewer cells need little memory, and would soon ask for it again.
FEWEST_CELLS = 100_000


def return_memory(index: Index) -> None:
    """Give memory back to the system that questions about many cases have freed.

    C libraries keep what was freed. Between steps that need much memory for different things, and
    after the last one, that is of no use to anyone. It takes a few milliseconds.
    """
    if len(index) * len(index.kinds) >= FEWEST_CELLS:
        _native.return_memory()


def returning_memory(begin: Callable[[], None], index: Index) -> Callable[[], None]:
    """Return a function that begins a stage with the memory that earlier ones have freed."""

    def begin_anew() -> None:
        return_memory(index)
        begin()

    return begin_anew
