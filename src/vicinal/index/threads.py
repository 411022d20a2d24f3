"""How many threads to use."""

from __future__ import annotations

import os

from vicinal.exceptions import ParameterError

#: More threads than this are never of use, and no larger number reaches the kernels.
_MOST = 1 << 12


def available_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(asked: int | None) -> int:
    """Return how many threads were asked for; None and −1 mean all processors.

    Examples
    --------
    >>> from vicinal.index.threads import available_threads, thread_count
    >>> thread_count(3), thread_count(-1) == available_threads()
    (3, True)
    """
    if asked is None or asked == -1:
        return available_threads()
    if asked < 1:
        raise ParameterError(f"Threads must be at least 1, or −1 for all processors; got {asked}.")
    return min(int(asked), _MOST)
