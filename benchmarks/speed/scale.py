"""Tables larger than memory: time and peak memory of a fit and predictions, and more workers.

``python -m benchmarks.speed.scale memory`` fits a table of Parquet parts in a process whose memory
is limited, cached files included, and predicts new rows from the store; it needs the right to make
a control group. ``… quarter`` lets that process have a quarter of what the values take, and then a
worker that another process asks. ``… workers`` searches a store with several numbers of
processes: the same table (strong scaling), and one that grows with them (weak); beside them one
index in memory. ``… engines`` compares processes, Dask and Ray. One worker is killed in the end.
Answers have a digest that must not depend on any of it. CPU times include those of processes.
"""

from __future__ import annotations

import argparse
import json

from benchmarks.speed import report
from benchmarks.speed.scale_memory import fit_and_predict, memory, quarter
from benchmarks.speed.scale_workers import engines, workers


def main(arguments: list[str] | None = None) -> int:
    """Run one of the parts."""
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.scale", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("part", choices=["memory", "quarter", "workers", "engines", "child"])
    add("--rows", type=int, default=2_000_000, help="rows of the table (2,000,000)")
    add("--weak", type=int, default=500_000, help="rows per worker (500,000)")
    add("--workers", type=int, nargs="+", default=[1, 2, 4])
    add("--predictions", type=int, default=10_000)
    add("--limit", type=int, default=2 << 30, help="bytes of memory (2 GiB); 0 for no limit")
    add("--shard-rows", type=int, help="rows of a shard, for memory")
    add("--noise", type=float, default=1.0, help="standard deviation beside the five factors (1)")
    add("--drawn", action="store_true", help="fit parts as they are drawn, without Parquet files")
    add("--weighting", default="irw", help="of the Model (irw)")
    add("--queries", type=int, default=2400, help="max_queries of the Model")
    add("--no-index", action="store_true", help="leave out the one index")
    add("--scratch", help="folder for files that are deleted (that of the system)")
    add("--folder", help="folder for stores of workers and engines that are kept")
    add("--group", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part == "child":
        print(json.dumps(fit_and_predict(options)))
        return 0
    print(json.dumps({"machine": report.machine()}))
    parts = {"memory": memory, "quarter": quarter, "workers": workers, "engines": engines}
    parts[options.part](options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
