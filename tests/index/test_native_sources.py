"""What the native sources promise each other, where no compiler looks."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "native"
SOURCES = {path.name: path.read_text() for path in sorted(NATIVE.iterdir())}


def included(name):
    return set(re.findall(r"#include ([<\"].*[>\"])", SOURCES[name]))


def test_kernels_include_nothing_that_was_not_compiled_for_any_processor_before():
    kernels = {name for name, text in SOURCES.items() if "VICINAL_PATH {" in text}
    assert {"search.hpp", "simd.hpp"} <= kernels
    of_kernels = {f'"{name}"' for name in kernels}
    for name in kernels:
        missing = included(name) - of_kernels - included("outside.hpp")
        assert not missing, f"outside.hpp must include what {name} includes: {sorted(missing)}"
