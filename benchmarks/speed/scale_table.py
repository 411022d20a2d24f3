"""The table of the scale benchmarks, in parts of any number, and what processes use."""

from __future__ import annotations

import hashlib
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows of a part.
PART = 100_000
CATEGORIES = ("north", "east", "south", "west"), ("a", "b", "c"), tuple(f"k{n}" for n in range(40))
#: The part that new rows are drawn from.
NEW = 999_999


def part(rows: int, seed: int, noise: float = 1.0, d: int = 20) -> dict[str, Any]:
    """Draw a part of the table: numbers that share five factors, and three nominal columns."""
    rng = np.random.default_rng([20260917, seed])
    loads = np.random.default_rng(7).normal(size=(5, d))
    factors = rng.normal(size=(rows, 5))
    numbers = factors @ loads + noise * rng.normal(size=(rows, d))
    table: dict[str, Any] = {f"x{j}": numbers[:, j] for j in range(d - 3)}
    for at, names in enumerate(CATEGORIES):
        shares = np.clip((numbers[:, d - 3 + at] / 12 + 0.5) * len(names), 0, len(names) - 1)
        table[f"c{at}"] = np.array(names)[shares.astype(int)]
    table["x1"] = np.where(rng.random(rows) < 0.05, np.nan, table["x1"])
    return table


def parts(rows: int, noise: float = 1.0) -> Iterator[dict[str, Any]]:
    """Draw the whole table, part by part."""
    for number, start in enumerate(range(0, rows, PART)):
        yield part(min(PART, rows - start), number, noise)


def write_parts(folder: Path, rows: int, noise: float = 1.0) -> None:
    """Write the table as Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, table in enumerate(parts(rows, noise)):
        pq.write_table(pa.table(table), folder / f"{number:05}.parquet", row_group_size=1 << 17)


def first_row(table: dict[str, Any]) -> dict[str, Any]:
    """Return the first row of a table."""
    return {name: values[:1] for name, values in table.items()}


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those it waited for."""
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in both)


def digest(values: NDArray[Any]) -> str:
    """Return a digest of answers, which must not depend on how they were found."""
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16]
