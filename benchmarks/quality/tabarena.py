"""Our models among the methods that TabArena has published, on exactly its rows.

    python -m benchmarks.quality.tabarena --data DIR --models vicinal,lightgbm --out FILE

Fits each model on the training rows of a table's split, computes 1 − AUC, log loss or RMSE on
the test rows, and prints what ``arena_summary`` makes of it. ``--models`` takes our models and
those of ``peers``. ``--seeds 0,1,2`` repeats with other seeds on the same rows; errors are
averaged over the seeds. Started again with the same ``--out`` it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.quality import ours
from benchmarks.quality.arena import ArenaTable, published_errors, read_arena
from benchmarks.quality.arena_summary import print_summary
from benchmarks.quality.fitting import TIMES, fit_and_predict, package_of, warm_up
from benchmarks.quality.peers import ALL_PEERS, Setting
from benchmarks.quality.records import Records
from benchmarks.quality.runner import installed_version, names, run_all

KEY = ("dataset", "model", "seed")
ABOUT = ("metric", "n_train", "n_test", "n_features", "version", "error")
COLUMNS = (*KEY, "metric_error", *TIMES, *ABOUT)


@dataclass(frozen=True)
class ArenaTrial:
    """A model on the published split of a table."""

    table: ArenaTable
    model: str
    seed: int
    threads: int = 1

    def about(self) -> dict[str, object]:
        return {
            "dataset": self.table.name,
            "model": self.model,
            "seed": self.seed,
            "metric": self.table.metric,
            "version": installed_version(package_of(self.model)),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        features, target = _load(self.table)
        train, test = self.table.split()
        setting = Setting(self.table.learning_task, self.seed, target[train], self.threads)
        warm_up(self.model, setting)
        predicted = fit_and_predict(self.model, setting, features, train, test)
        error = self.table.error(target[test], predicted.values, predicted.classes)
        sizes = {"n_train": len(train), "n_test": len(test), "n_features": features.shape[1]}
        return {"metric_error": error} | sizes | predicted.seconds


@lru_cache(maxsize=1)
def _load(table: ArenaTable) -> tuple[pd.DataFrame, np.ndarray]:
    return table.load()


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    models = _checked(names(options.models))
    tables = read_arena(options.data, names(options.only))
    seeds = [int(seed) for seed in names(options.seeds)]
    jobs = [
        ArenaTrial(table, model, seed, options.threads)
        for table in tables
        for model in models
        for seed in seeds
        if not (table.task == "regression" and model.endswith("-balanced"))
    ]
    records = Records(options.out, COLUMNS, KEY)
    try:
        run_all(jobs, records, options, "metric_error")
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    wanted = {tuple(str(job.about()[column]) for column in KEY) for job in jobs}
    rows = [row for key, row in records.rows.items() if key in wanted]
    print_summary(pd.DataFrame(rows), published_errors(options.data))


def _checked(models: list[str]) -> list[str]:
    for name in models:
        if ours.is_ours(name):
            ours.parameters(name)
        elif name not in ALL_PEERS:
            known = ", ".join([*ours.NAMED, *ALL_PEERS])
            raise SystemExit(f"unknown model {name}; expected some of {known}")
    return models


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.quality.tabarena", description=__doc__.split("\n\n")[0]
    )
    add = made.add_argument
    add("--data", type=Path, required=True, help="folder with INDEX.tsv and published.csv")
    add("--out", type=Path, required=True, help="results, one line per job; resumed if it exists")
    add("--models", default="vicinal", help="models of this package and peers, between commas")
    add("--only", default="", help="names or globs of tables, between commas")
    add("--seeds", default="0", help="seeds of the models, between commas")
    add("--time-limit", type=float, help="seconds for one job; a longer one is ended")
    add("--cpu-limit", type=float, help="the same in seconds of the processor")
    add("--threads", type=int, default=1, help="threads every model may use (default 1)")
    add("--retry-failed", action="store_true", help="run failed jobs of the file again")
    return made.parse_args(arguments)


if __name__ == "__main__":
    main()
