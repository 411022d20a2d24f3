"""Wall and processor seconds of a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(action: Callable[[], Result]) -> tuple[Result, float, float]:
    """What the action returns, its wall seconds and its processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    result = action()
    return result, time.perf_counter() - wall, time.process_time() - processor
