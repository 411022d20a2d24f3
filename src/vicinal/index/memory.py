"""Memory that is free, back to the system."""

from __future__ import annotations

from vicinal.index import _native


def return_memory() -> None:
    """Give free memory back to the system; a few milliseconds.

    C libraries keep what was freed. Between steps that need much memory for different things, and
    after the last one, that is of no use to anyone.
    """
    _native.return_memory()
