"""The table of the benchmarks of the explorer."""

from __future__ import annotations

from typing import Any

import numpy as np


def make_table(n: int, d: int) -> dict[str, Any]:
    """Return a table of numbers with three clusters, two nominal columns, gaps, and a class."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, n)
    table: dict[str, Any] = {"outcome": np.array(["low", "middle", "high"], dtype=object)[group]}
    flip = rng.random(n) < 0.1
    table["outcome"][flip] = "middle"
    for at in range(d - 3):
        shift = 1.5 * np.cos(group * (at + 1)) if at % 3 == 0 else 0.0
        table[f"x{at}"] = np.round(rng.normal(size=n) + shift, 3)
    table["x1"][rng.random(n) < 0.05] = np.nan
    table["color"] = np.array(["red", "green", "blue", "gray"], dtype=object)[
        (group + rng.integers(0, 3, n)) % 4
    ]
    table["shop"] = np.array([f"shop {i}" for i in range(30)], dtype=object)[
        rng.integers(0, 30, n)
    ]
    return table
