"""Saving and loading a model: size, and time beside a fit.

``python -m benchmarks.speed.files --help`` lists the options. Each load runs in a process of its
own and answers one question, which is shown apart. Goals: the file takes at most 1.3 times the
raw float64 table, and mapping it is at least 50 times faster than the fit. By processor time, for
others may be at work on the machine; clock time is shown beside it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.stopwatch import timed
from benchmarks.speed import report
from benchmarks.speed.memory import resident_bytes
from benchmarks.speed.workloads import KINDS, make

LARGEST, FASTEST = 1.3, 50.0
WAYS = {"read": {}, "mapped": {"mmap": True}, "mapped, verified": {"mmap": True, "verify": True}}


def load_here(path: str, way: str) -> dict[str, float]:
    import vicinal

    small = str(Path(path).with_name("small.vicinal"))
    vicinal.load(small, **WAYS[way])  # imports what it takes, as the small fit has done for fits
    before = resident_bytes()
    model, load_s, load_cpu_s = timed(lambda: vicinal.load(path, **WAYS[way]))
    held = resident_bytes() - before
    rows = np.zeros((1, len(model.schema_)))
    _, _, ask_cpu_s = timed(lambda: model.neighbors(rows, k=10))
    return {
        "load_s": load_s,
        "load_cpu_s": load_cpu_s,
        "ask_cpu_s": ask_cpu_s,
        "held_mb": held / 1e6,
    }


def _apart(path: Path, way: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.speed.files", "--child", str(path), way]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(options: argparse.Namespace, folder: str) -> dict[str, Any]:
    from vicinal import Model

    table = make(options.table, options.n, options.d, 1).table
    small = Model(n_jobs=options.threads).fit(table[:500])  # imports what it takes
    small.save(Path(folder) / "small.vicinal")
    model, fit_s, fit_cpu_s = timed(lambda: Model(n_jobs=options.threads).fit(table))
    path = Path(folder) / "model.vicinal"
    _, save_s, save_cpu_s = timed(lambda: model.save(path))
    return {
        "fit_s": fit_s,
        "fit_cpu_s": fit_cpu_s,
        "save_s": save_s,
        "save_cpu_s": save_cpu_s,
        "size": path.stat().st_size / table.nbytes,
        "loads": {way: _apart(path, way) for way in WAYS},
    }


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["--child"]:
        print(json.dumps(load_here(*arguments[1:])))
        return 0
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        result = measure(options, folder)
    print(f"{options.table} {options.n}x{options.d}, {options.threads} threads")
    print(f"fit {result['fit_s']:.3g} s, {result['fit_cpu_s']:.3g} s of processor time")
    print(f"save {result['save_s']:.3g} s, {result['save_cpu_s']:.3g} s of processor time")
    head = ["load", "s", "cpu s", "fit ÷ load, cpu", "first question cpu s", "memory MB"]
    rows = [
        [
            way,
            report.number(one["load_s"]),
            report.number(one["load_cpu_s"]),
            report.number(result["fit_cpu_s"] / one["load_cpu_s"]),
            report.number(one["ask_cpu_s"]),
            report.number(one["held_mb"]),
        ]
        for way, one in result["loads"].items()
    ]
    print(report.table(head, rows))
    times = result["fit_cpu_s"] / result["loads"]["mapped"]["load_cpu_s"]
    print(f"size: {result['size']:.3f} of the raw float64 table; goal: at most {LARGEST}")
    print(f"mapping is {times:.0f} times faster than fitting; goal: {FASTEST:.0f}")
    if options.json:
        report.save(options.json, {"machine": report.machine(), "result": result})
    return 0 if result["size"] <= LARGEST and times >= FASTEST else 1


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.files", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, default=1_000_000, help="rows (1000000)")
    add("--d", type=int, default=20, help="features (20)")
    add("--table", choices=KINDS, default="gaussian")
    add("--threads", type=int, default=1)
    add("--folder", help="where the file is written; the system's temporary folder by default")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
