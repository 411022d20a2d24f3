"""Time to predict a class, one row and many, beside other models of scikit-learn's kind.

``python -m benchmarks.speed.predict --help`` lists the options. All are fitted with the settings
of their authors, on the same dataframe, and asked for ``predict_proba`` of rows that they have not
seen: alone, as a service asks, and a thousand at once. Models take turns, round by round, and
medians count. Times are processor times, all on one thread, for a busy machine disturbs the clock.
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
from benchmarks.speed.workloads import KINDS, make

ROUNDS, ALONE = 5, 20


def _vicinal() -> Any:
    from vicinal.estimators import VicinalClassifier

    return VicinalClassifier(n_jobs=1, random_state=0)


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1)


def _catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=1, verbose=0, allow_writing_files=False)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_jobs=1, random_state=0)


def _neighbors() -> Any:
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), KNeighborsClassifier(n_jobs=1))


# The library each needs, and what makes it.
MODELS: dict[str, tuple[str, Callable[[], Any]]] = {
    "vicinal": ("vicinal", _vicinal),
    "lightgbm": ("lightgbm", _lightgbm),
    "catboost": ("catboost", _catboost),
    "random forest": ("sklearn", _forest),
    "k-NN": ("sklearn", _neighbors),
}


def measured(kind: str, n: int, d: int, rows: int) -> dict[str, dict[str, float]]:
    """For each model seconds of its fit, of a row alone and of a row among many."""
    import pandas as pd

    made = make(kind, n, d, max(rows, ROUNDS * ALONE))
    rng = np.random.default_rng(7)
    scaled = made.table / (made.table.std(axis=0) + 1e-12)
    score = scaled @ rng.normal(size=d) + np.sin(2 * scaled[:, 0]) + rng.normal(size=n)
    y = (score > np.median(score)).astype(int)
    names = [f"x{i}" for i in range(d)]
    table = pd.DataFrame(np.asarray(made.table), columns=names)
    queries = pd.DataFrame(np.asarray(made.queries), columns=names)
    fitted, result = {}, {}
    for name, (library, new) in MODELS.items():
        if find_spec(library):
            fitted[name], _, fit_s = timed(lambda new=new: new().fit(table, y))
            result[name] = {"fit_s": fit_s}
            fitted[name].predict_proba(queries[:2])  # what is prepared once
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in fitted}
    for at in range(ROUNDS):
        single = [queries[i : i + 1] for i in range(at * ALONE, (at + 1) * ALONE)]
        for name, model in fitted.items():
            _, _, alone = timed(lambda m=model, s=single: [m.predict_proba(row) for row in s])
            _, _, many = timed(lambda m=model: m.predict_proba(queries[:rows]))
            times[name].append((alone / ALONE, many / rows))
    for name, found in times.items():
        alone_s, among_s = np.median(found, axis=0)
        result[name] |= {"alone_s": float(alone_s), "among_s": float(among_s)}
    return result


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    results = []
    for n in options.n:
        found = measured(options.table, n, options.d, options.rows)
        results.append({"n": n, "models": found})
        ours = found["vicinal"]
        rows = [
            [
                name,
                report.number(times["fit_s"]),
                report.number(times["alone_s"] * 1e3),
                report.number(ours["alone_s"] / times["alone_s"]),
                report.number(times["among_s"] * 1e3),
                report.number(ours["among_s"] / times["among_s"]),
            ]
            for name, times in found.items()
        ]
        head = ["model", "fit cpu s", "a row alone, ms", "ours / it"]
        head += [f"a row of {options.rows}, ms", "ours / it"]
        print(
            f"{options.table} {n}x{options.d}, one thread\n{report.table(head, rows)}", flush=True
        )
    if options.json:
        report.save(options.json, {"machine": report.machine(), "results": results})
    return 0


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.predict", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, nargs="+", default=[10_000, 100_000], help="rows (10000 100000)")
    add("--d", type=int, default=20, help="features (20)")
    add("--rows", type=int, default=1000, help="rows predicted at once (1000)")
    add("--table", choices=KINDS, default="gaussian")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
