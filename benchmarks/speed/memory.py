"""Memory of this process, as the system counts it."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident_bytes() -> int:
    """Return the memory held now; on systems that do not say, the peak so far."""
    return _status("VmRSS") or peak_bytes()


def peak_bytes() -> int:
    """Return the most memory held so far."""
    # ru_maxrss would count what a parent held before this process was started.
    return _status("VmHWM") or _ru_maxrss()


def forget_peak() -> None:
    """Count the peak from now on, on systems that can: what made the data is not of interest.

    Nor is what making them has freed, which C libraries keep.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        _CLEAR.write_text("5")


def _status(field: str) -> int:
    if not _STATUS.exists():
        return 0
    lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines() if ":" in line)
    return 1024 * int(lines[field].split()[0])


def _ru_maxrss() -> int:
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
