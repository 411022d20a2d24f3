"""A table is fitted within a quarter of the memory that its values take."""

from __future__ import annotations

import subprocess
import sys

import pytest

import vicinal

LIMITED = """
import resource, sys, tempfile
from pathlib import Path
import numpy as np
import vicinal

ROWS, COLUMNS, PART = 2_000_000, 20, 20_000
LOADS = np.random.default_rng(0).normal(size=(3, COLUMNS - 2))

def part(seed, rows=PART):
    rng = np.random.default_rng([1, seed])
    numbers = rng.normal(size=(rows, 3)) @ LOADS
    numbers += rng.normal(scale=0.05, size=numbers.shape)
    table = {f"x{at}": column for at, column in enumerate(numbers.T)}
    table["kind"] = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    table["count"] = rng.integers(0, 9, rows)
    return table

settings = dict(weighting="irw", max_queries=60, n_jobs=1)
store = f"{sys.argv[1]}/m.vicinal.d"
vicinal.Model(**settings).fit(part(0, 300))  # so that all is imported

# What is mapped from files does not count; all else does, whether it is used or not.
status = Path("/proc/self/status").read_text()
held = int(status.partition("VmData:")[2].split()[0]) * 1024
limit = held + ROWS * COLUMNS * 8 // 4
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    np.ones(ROWS * COLUMNS // 2)  # half of the values
except MemoryError:
    print("limited")

parts = (part(seed) for seed in range(ROWS // PART))
vicinal.sharded.fit(
    parts, store=store, settings=vicinal.Model(**settings), shard_rows=50_000
)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_a_quarter_of_the_memory_is_enough(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], check=True, stdout=subprocess.PIPE
    )
    assert found.stdout.split() == [b"limited"]
    assert len(vicinal.load(tmp_path / "m.vicinal.d")) == 2_000_000
