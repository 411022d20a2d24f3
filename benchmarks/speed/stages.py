"""How long each stage of a fit takes, seen from outside."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

#: What a stage is called here, and the function of `vicinal.learning.fit` that does it.
STAGES = {
    "schema": "infer_schema",
    "encode": "encode",
    "residuals": "learn_residuals",
    "index": "ExactIndex",
}


@contextlib.contextmanager
def timed_stages() -> Iterator[dict[str, float]]:
    """Collect the seconds of every stage while a model is fitted."""
    import vicinal.learning.fit

    seconds = dict.fromkeys(STAGES, 0.0)
    with contextlib.ExitStack() as stack:
        for stage, name in STAGES.items():
            timed = _timed(getattr(vicinal.learning.fit, name), stage, seconds)
            stack.enter_context(mock.patch.object(vicinal.learning.fit, name, timed))
        yield seconds


def _timed(function: Callable[..., Any], stage: str, seconds: dict[str, float]) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            seconds[stage] += time.perf_counter() - start

    return call
