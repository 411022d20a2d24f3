"""Time to explain predictions: contributions beside shap's KernelExplainer, and beside predicting.

``python -m benchmarks.speed.explain --help`` lists the options. Three goals:

*contributions*: for 100 rows at 10,000 × 20 at least 500 times faster than
``shap.KernelExplainer`` on the same predictor, both as they are called by default. shap replaces
absent features by those of a background sample, so each of its coalitions costs as many
predictions as the background has rows; 100 rows is what its documentation recommends, and by
default it takes 2 d + 2,048 coalitions. As many as 32 orders have are timed for both, too, and one
background row. shap is timed on a few rows (``--peer-rows``), and times are per row explained.

*trees*: the same rows take at most 20 times as long as ``shap.TreeExplainer`` on LightGBM with its
default settings, which knows the trees and explains these, not any predictor. Both have explained
before, so that what is prepared once does not count; the ratio with it is printed, too.

*one row*: explaining one row at 100,000 × 20, with all that `Model.explain` gives by default,
takes at most 200 times as long as predicting it. What is learned once, at the first question, does
not count.

Times are processor times, all on one thread, for a busy machine disturbs the clock.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.stopwatch import timed
from benchmarks.speed import report
from benchmarks.speed.workloads import KINDS, Matrix, make

FASTER, SLOWER, TREES = 500.0, 200.0, 20.0


class Task:
    """A fitted model of a target made from the features, and rows to explain."""

    def __init__(self, kind: str, n: int, d: int, rows: int) -> None:
        from vicinal import Model

        made = make(kind, n, d, rows)
        rng = np.random.default_rng(7)
        effects = rng.normal(size=d)
        self.table, self.rows = made.table, made.queries
        self.names = [f"x{i}" for i in range(d)]
        spread = made.table.std(axis=0) + 1e-12
        scaled = made.table / spread
        y = scaled @ effects + np.sin(2 * scaled[:, 0]) + rng.normal(size=n)
        self.y = y
        self.model = Model(n_jobs=1).fit({**self.columns(made.table), "y": y})
        self.predict(self.rows[:1])  # learns the target

    def columns(self, rows: Matrix) -> dict[str, Matrix]:
        return dict(zip(self.names, np.asarray(rows).T, strict=True))

    def predict(self, rows: Matrix) -> Matrix:
        return self.model.predict(self.columns(rows), "y")

    def explain(self, rows: Matrix, n_permutations: int | None = None) -> Any:
        return self.model.contributions(self.columns(rows), "y", n_permutations=n_permutations)

    def explain_all(self, rows: Matrix) -> Any:
        return self.model.explain(self.columns(rows), "y")


def coalitions_of(task: Task) -> int:
    """Number of distinct coalitions of the most orders we ask, nothing and all among them."""
    from vicinal.explain.orders import PERMUTATIONS, orders
    from vicinal.index.coalitions import CoalitionTree

    chains = orders(list(range(len(task.names))), PERMUTATIONS, task.model.random_state)
    return len(CoalitionTree.of_chains(chains).coalitions) + 1


def shap_time(task: Task, background: int, coalitions: int | str, rows: int) -> float:
    """Processor time per row of shap's explainer, with so many coalitions or "auto"."""
    import shap

    step = max(1, len(task.table) // background)
    explainer = shap.KernelExplainer(task.predict, task.table[::step][:background])
    _, _, cpu = timed(
        lambda: explainer.shap_values(task.rows[:rows], nsamples=coalitions, silent=True)
    )
    return cpu / rows


def tree_time(task: Task) -> float:
    """Processor time per row of shap's explainer of trees, on LightGBM."""
    import shap
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(n_jobs=1, verbose=-1).fit(task.table, task.y)
    explainer = shap.TreeExplainer(model)
    explainer.shap_values(task.rows[:1])
    return median_time(3, lambda _: explainer.shap_values(task.rows)) / len(task.rows)


def median_time(repeats: int, run: Callable[[int], Any]) -> float:
    return float(np.median([timed(lambda at=at: run(at))[2] for at in range(repeats)]))


def beside_shap(options: argparse.Namespace) -> dict[str, float]:
    task = Task(options.table, options.n, options.d, options.rows)
    from vicinal.explain.orders import PERMUTATIONS

    _, _, cpu = timed(lambda: task.explain(task.rows))
    again = median_time(3, lambda _: task.explain(task.rows))
    _, _, most = timed(lambda: task.explain(task.rows, PERMUTATIONS))
    _, _, plain = timed(lambda: task.predict(task.rows))
    result = {
        "coalitions": float(coalitions_of(task)),
        "ours_s": cpu / options.rows,
        "again_s": again / options.rows,
        "most_s": most / options.rows,
        "predict_s": plain / options.rows,
    }
    if find_spec("shap"):
        many, few = options.peer_rows, 5 * options.peer_rows
        coalitions = int(result["coalitions"])
        result["shap_s"] = shap_time(task, options.background, "auto", many)
        result["shap_alike_s"] = shap_time(task, options.background, coalitions, many)
        result["shap_one_s"] = shap_time(task, 1, coalitions, few)
        if find_spec("lightgbm"):
            result["trees_s"] = tree_time(task)
    return result


def beside_predicting(options: argparse.Namespace) -> dict[str, float]:
    task = Task(options.table, options.n_large, options.d, 20)
    task.explain_all(task.rows[:1])  # judges the stored cases, once
    return {
        "predict_s": median_time(20, lambda at: task.predict(task.rows[at : at + 1])),
        "contributions_s": median_time(5, lambda at: task.explain(task.rows[at : at + 1])),
        "explain_s": median_time(5, lambda at: task.explain_all(task.rows[at : at + 1])),
    }


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    small, large = beside_shap(options), beside_predicting(options)
    print(f"{options.table}, {options.d} features, one thread")
    rows = [["predicting a row", report.number(small["predict_s"] * 1e3), ""]]
    rows.append(["vicinal contributions", report.number(small["ours_s"] * 1e3), "1"])
    times = f"{small['again_s'] / small['ours_s']:.2f}"
    rows.append(["the same, asked again", report.number(small["again_s"] * 1e3), times])
    times = f"{small['most_s'] / small['ours_s']:.1f}"
    rows.append(["the same, 32 orders", report.number(small["most_s"] * 1e3), times])
    behind = f"background of {options.background}"
    alike = f"{small['coalitions']:.0f} coalitions"
    for key, what in [
        ("shap_s", behind),
        ("shap_alike_s", f"{behind}, {alike}"),
        ("shap_one_s", f"background of 1, {alike}"),
    ]:
        if seconds := small.get(key):
            times = f"{seconds / small['ours_s']:.1f}"
            rows.append([f"shap KernelExplainer, {what}", report.number(seconds * 1e3), times])
    if seconds := small.get("trees_s"):
        times = f"{seconds / small['ours_s']:.3f}"
        rows.append(["shap TreeExplainer, LightGBM", report.number(seconds * 1e3), times])
    print(report.table([f"{options.rows} rows at n = {options.n}", "cpu ms/row", "times"], rows))
    ratio = large["explain_s"] / large["predict_s"]
    print(
        f"one row at n = {options.n_large}: predicting {large['predict_s'] * 1e3:.3g} ms, "
        f"contributions {large['contributions_s'] * 1e3:.3g} ms, "
        f"the whole explanation {large['explain_s'] * 1e3:.3g} ms"
    )
    if options.json:
        results = {"small": small, "large": large}
        report.save(options.json, {"machine": report.machine(), "results": results})
    held = [_held(f"one row: {ratio:.0f} times a prediction", ratio <= SLOWER, SLOWER)]
    if "shap_s" not in small:
        print("shap is not installed: pip install 'vicinal[bench-speed]'")
    else:
        times = small["shap_s"] / small["ours_s"]
        held.append(_held(f"beside shap: {times:.0f} times faster", times >= FASTER, FASTER))
    if "trees_s" in small:
        first, times = (small[key] / small["trees_s"] for key in ("ours_s", "again_s"))
        what = f"beside trees: {times:.1f} times as long ({first:.1f} at the first question)"
        held.append(_held(what, times <= TREES, TREES))
    return 0 if all(held) else 1


def _held(what: str, holds: bool, goal: float) -> bool:
    print(f"{what}; goal: {goal:g}: {'PASS' if holds else 'FAIL'}")
    return holds


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.explain", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, default=10_000, help="rows of the table beside shap (10000)")
    add("--n-large", type=int, default=100_000, help="rows for explaining a single one (100000)")
    add("--d", type=int, default=20, help="features (20)")
    add("--rows", type=int, default=100, help="rows to explain (100)")
    add("--peer-rows", type=int, default=2, help="rows that shap is timed on (2)")
    add("--background", type=int, default=100, help="rows of shap's background (100)")
    add("--table", choices=KINDS, default="gaussian")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
