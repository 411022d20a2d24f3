"""Fit time (schema, encoding, residuals, index) as the table grows, and peak memory.

``python -m benchmarks.speed.fit --help`` lists the options. Every size is
fitted in a fresh process, so that its peak memory is its own. Progress goes to
standard error.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import report
from benchmarks.speed.memory import peak_bytes, resident_bytes
from benchmarks.speed.stages import STAGES, timed_stages
from benchmarks.speed.workloads import KINDS, make

EXPONENT = 1.05
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]

Result = dict[str, Any]


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.fit", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, nargs="+", default=SIZES, help="rows")
    add("--d", type=int, nargs="+", default=[20], help="features (20)")
    add("--tables", nargs="+", choices=KINDS, default=list(KINDS))
    add("--threads", type=int, default=report.available_cores())
    add("--budget", type=float, default=2.0, help="seconds of repeats of a quick fit (2)")
    add("--json", type=Path, metavar="FILE", help="write the results, after every fit")
    add("--resume", action="store_true", help="skip the tables that FILE already has")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    results = _earlier(options)
    done = {result["name"] for result in results}
    content = {
        "machine": report.machine(),
        "settings": {"threads": options.threads},
        "results": results,
    }
    for d, kind, n in itertools.product(options.d, options.tables, options.n):
        if f"{kind} {n}x{d}" in done:
            continue
        results.append(_in_fresh_process(kind, n, d, options.threads, options.budget))
        _save(options, content)
    content["growth"] = growth = growths(results)
    _save(options, content)
    print(f"{as_table(results)}\n\n{as_growth(growth)}")
    return 0


def fit_once(kind: str, n: int, d: int, threads: int, budget: float) -> Result:
    """Fit one table; repeat a quick fit, and take medians."""
    from vicinal import Model

    # Imports and first calls are no part of a fit.
    Model(n_jobs=threads).fit(make(kind, 50, d, 0).table)
    table = make(kind, n, d, 0).table
    before = resident_bytes()
    start = time.perf_counter()
    rounds: list[dict[str, float]] = []
    peak = 0
    while not rounds or (time.perf_counter() - start < budget and len(rounds) < 5):
        model = Model(n_jobs=threads)
        with timed_stages() as seconds:
            begun = time.perf_counter()
            model.fit(table)
            seconds["total"] = time.perf_counter() - begun
        rounds.append(seconds)
        peak = peak or peak_bytes()
    return {
        "name": f"{kind} {n}x{d}",
        "kind": kind,
        "n": n,
        "d": d,
        "repeats": len(rounds),
        "seconds": {key: statistics.median(r[key] for r in rounds) for key in rounds[0]},
        "peak_bytes": peak,
        "added_bytes": peak - before,
        "index_bytes": model.index_.nbytes,
        "rounds": len(model.residual_history_) - 1,
    }


def growths(results: list[Result]) -> list[Result]:
    """Fit time ~ n to the power of what, by least squares of logarithms.

    Examples
    --------
    >>> one = {"kind": "gaussian", "d": 20, "n": 1000, "seconds": {"total": 2.0}}
    >>> two = {"kind": "gaussian", "d": 20, "n": 100_000, "seconds": {"total": 20.0}}
    >>> growths([one, two])[0]["exponent"]
    0.5
    """
    found = []
    for kind, d in dict.fromkeys((result["kind"], result["d"]) for result in results):
        mine = [result for result in results if (result["kind"], result["d"]) == (kind, d)]
        largest = max(result["n"] for result in mine)
        last = [result for result in mine if result["n"] >= largest / 10]
        exponent = _exponent(mine)
        found.append(
            {
                "kind": kind,
                "d": d,
                "exponent": exponent,
                "exponent_last_decade": _exponent(last),
                "kept": None if exponent is None else exponent <= EXPONENT,
            }
        )
    return found


def _exponent(results: list[Result]) -> float | None:
    sizes = np.log([result["n"] for result in results])
    if len(set(sizes)) < 2:
        return None
    seconds = np.log([result["seconds"]["total"] for result in results])
    return round(float(np.polyfit(sizes, seconds, 1)[0]), 3)


def as_table(results: list[Result]) -> str:
    """Return one line per table: seconds of each stage and memory."""
    rows = []
    for result in results:
        cells = result["n"] * result["d"]
        added, held = result["added_bytes"], result["index_bytes"]
        rows.append(
            [
                result["name"],
                *(report.number(result["seconds"].get(stage)) for stage in (*STAGES, "total")),
                str(result["rounds"]),
                report.number(result["peak_bytes"] / 1e6),
                report.number(added / 1e6),
                report.number(added / (4 * cells)),
                report.number(added / (8 * cells)),
                report.number(held / (4 * cells)),
            ]
        )
    memory = ["peak MB", "fit adds MB", "/ float32", "/ float64", "index / float32"]
    head = ["seconds", *STAGES, "total", "rounds", *memory]
    return report.table(head, rows)


def as_growth(growth: list[Result]) -> str:
    """Return the exponents, held against the goal."""
    rows = [
        [
            f"{line['kind']} d={line['d']}",
            report.number(line["exponent"]),
            report.number(line["exponent_last_decade"]),
            {True: "PASS", False: "FAIL", None: "not run"}[line["kept"]],
        ]
        for line in growth
    ]
    head = ["fit time ~ n^", "all sizes", "last decade", f"goal: at most {EXPONENT} over all"]
    return report.table(head, rows)


def _in_fresh_process(kind: str, n: int, d: int, threads: int, budget: float) -> Result:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        result = pool.submit(fit_once, kind, n, d, threads, budget).result()
    stamp = time.strftime("%H:%M:%S")
    total = result["seconds"]["total"]
    print(f"[{stamp}] {result['name']}: {total:.3g} s", file=sys.stderr, flush=True)
    return result


def _earlier(options: argparse.Namespace) -> list[Result]:
    if options.resume and options.json and options.json.exists():
        return json.loads(options.json.read_text())["results"]
    return []


def _save(options: argparse.Namespace, content: dict[str, Any]) -> None:
    if options.json:
        report.save(options.json, content)


if __name__ == "__main__":
    sys.exit(main())
