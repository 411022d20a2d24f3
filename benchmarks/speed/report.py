"""Plain-text tables, JSON files, and a description of the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align columns: the first to the left, the others to the right.

    Examples
    --------
    >>> print(table(["engine", "ms"], [["ours", "0.1"], ["theirs", "1.25"]]))
    engine    ms
    ours     0.1
    theirs  1.25
    """
    cells = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    )


def number(value: float | None, unit: str = "") -> str:
    """Write a number with three digits that count.

    Examples
    --------
    >>> number(0.012345), number(123.4, " ms"), number(None)
    ('0.0123', '123 ms', '-')
    """
    if value is None or value != value:
        return "-"
    if value == 0:
        return "0" + unit
    return (f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")) + unit


def machine() -> dict[str, Any]:
    """Describe the processor and the versions a reader needs to repeat a run."""
    import numpy as np

    return {
        "processor": _processor(),
        "cores": available_cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def available_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def save(path: Path, content: dict[str, Any]) -> None:
    """Write JSON, whole or not at all."""
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    part.replace(path)
