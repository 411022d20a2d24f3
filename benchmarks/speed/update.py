"""What adding, updating and removing one case costs, beside building the model anew.

``python -m benchmarks.speed.update --help`` lists the options. Times are of the processor, all in
one process. The rebuild is the cheapest one: the index of the same cases under the same residuals
and weights. A fit, which learns these too, is shown beside it. Changes are timed one by one, a
case at a time, new layouts among them, and their mean is compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.stopwatch import timed
from benchmarks.speed import report
from benchmarks.speed.workloads import KINDS, make

GOAL = 1000.0


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from vicinal import Model
    from vicinal.index.exact import ExactIndex

    workload = make(options.table, options.n, options.d, options.changes)
    names = [f"x{i}" for i in range(options.d)]
    Model(n_jobs=options.threads).fit(workload.table[:500])  # imports and compiles
    model = Model(n_jobs=options.threads)
    model, _, fit_s = timed(lambda: model.fit(workload.table))
    values, metric = model.index_.values, model.metric_
    _, _, rebuild_s = timed(lambda: ExactIndex(values, metric.kinds, scales=metric.residuals))
    rows = [
        {name: [float(value)] for name, value in zip(names, row, strict=True)}
        for row in workload.queries
    ]
    rng = np.random.default_rng(0)
    chosen = rng.permutation(options.n)[: 2 * options.changes]
    updated, removed = chosen[: options.changes], chosen[options.changes :]
    seconds = {
        "add": each(lambda i: model.add(rows[i]), options.changes),
        "update": each(lambda i: model.update(int(updated[i]), rows[i]), options.changes),
        "remove": each(lambda i: model.remove(int(removed[i])), options.changes),
    }
    return {"fit_s": fit_s, "rebuild_s": rebuild_s, "changes": seconds}


def each(change: Callable[[int], Any], count: int) -> dict[str, float]:
    """Mean and longest processor time of one change."""
    times = []
    for i in range(count):
        start = time.process_time()
        change(i)
        times.append(time.process_time() - start)
    middle = float(np.median(times))
    return {"mean_s": float(np.mean(times)), "median_s": middle, "most_s": max(times)}


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    result = measure(options)
    head = ["change", "mean µs", "median µs", "longest µs", "rebuild ÷ mean", "fit ÷ mean"]
    rows = [
        [
            name,
            *(report.number(one[key] * 1e6) for key in ("mean_s", "median_s", "most_s")),
            report.number(result["rebuild_s"] / one["mean_s"]),
            report.number(result["fit_s"] / one["mean_s"]),
        ]
        for name, one in result["changes"].items()
    ]
    print(f"{options.table} {options.n}x{options.d}, {options.changes} changes of each kind")
    print(f"fit {result['fit_s']:.3g} s, rebuild {result['rebuild_s']:.3g} s of processor time")
    print(report.table(head, rows))
    least = min(result["fit_s"] / one["mean_s"] for one in result["changes"].values())
    print(f"a fit costs {least:.0f} changes at least; goal: {GOAL:.0f}")
    if options.json:
        report.save(options.json, {"machine": report.machine(), "result": result})
    return 0 if least >= GOAL else 1


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.update", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, default=100_000, help="rows (100000)")
    add("--d", type=int, default=20, help="features (20)")
    add("--table", choices=KINDS, default="gaussian")
    add("--changes", type=int, default=10_000, help="of each kind (10000)")
    add("--threads", type=int, default=1)
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
