"""Filling of holes against scikit-learn's imputers.

    python -m benchmarks.quality.impute --data DIR --out results.csv

Takes the PMLB tables of the folder, target and all, removes every tenth cell at random and asks
for what was there. Columns of words, and of at most ten whole numbers, are categories (the target
of a classification always is). Two scores, lower is better, both means over columns: for numbers
the mean absolute error ÷ mean absolute deviation from the median, for categories the share of
wrong ones. Resumes, and prints the summary.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from benchmarks.quality.care_summary import print_summary
from benchmarks.quality.datasets import TARGET, Dataset
from benchmarks.quality.imputers import NAMED, PEERS, fill
from benchmarks.quality.ours import is_ours
from benchmarks.quality.records import Records
from benchmarks.quality.runner import (
    chosen_datasets,
    chosen_models,
    installed_version,
    parser,
    run_all,
)
from benchmarks.quality.stopwatch import timed

KEY = ("dataset", "task", "seed", "model")
SCORES = ("number_error", "category_error")
SIZES = ("n_rows", "n_numbers", "n_categories")
COLUMNS = (*KEY, *SCORES, "loss", "fill_s", "fill_cpu_s", *SIZES, "group", "version", "error")
SHARE = 0.1
MOST_CODES = 10


@dataclass(frozen=True)
class Refill:
    """An imputer on a data set with holes."""

    dataset: Dataset
    seed: int
    model: str
    threads: int = 1

    def about(self) -> dict[str, object]:
        package = "vicinal" if is_ours(self.model) else PEERS[self.model].package
        return {
            "dataset": self.dataset.name,
            "task": self.dataset.task,
            "seed": self.seed,
            "model": self.model,
            "group": self.dataset.group,
            "version": installed_version(package),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        whole, nominal = _load(self.dataset)
        lacking = with_holes(whole, self.seed)
        filled, fill_s, fill_cpu_s = timed(
            lambda: fill(self.model, lacking, nominal, self.seed, self.threads)
        )
        return {
            **scores(whole, lacking, filled, nominal),
            "fill_s": fill_s,
            "fill_cpu_s": fill_cpu_s,
            "n_rows": len(whole),
            "n_numbers": int((~nominal).sum()),
            "n_categories": int(nominal.sum()),
        }


@lru_cache(maxsize=1)
def _load(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The table, its target last, as numbers; and which columns are categories."""
    table, target = dataset.load()
    table = table.assign(**{TARGET: target.to_numpy()})
    columns, nominal = [], []
    for name in table:
        is_nominal = is_category(table[name])
        is_nominal |= name == TARGET and dataset.task == "classification"
        if is_nominal:
            codes = pd.factorize(table[name], sort=True)[0].astype(np.float64)
            columns.append(np.where(codes < 0, np.nan, codes))
        else:
            columns.append(table[name].to_numpy(dtype=np.float64))
        nominal.append(is_nominal)
    return np.column_stack(columns), np.array(nominal)


def is_category(column: pd.Series) -> bool:
    """Whether a column holds words, or few whole numbers.

    Examples
    --------
    >>> is_category(pd.Series([1.0, 2.0, 1.0])), is_category(pd.Series([0.5, 2.0]))
    (True, False)
    """
    if not pd.api.types.is_numeric_dtype(column):
        return True
    known = column.dropna()
    return bool(known.nunique() <= MOST_CODES and (known == known.round()).all())


def with_holes(whole: np.ndarray, seed: int) -> np.ndarray:
    """The table with every tenth cell removed; two known cells of each column stay."""
    rng = np.random.default_rng(seed)
    holes = rng.random(whole.shape) < SHARE
    for column in range(whole.shape[1]):
        known = np.flatnonzero(~np.isnan(whole[:, column]))
        if (~holes[known, column]).sum() < 2:
            holes[known[:2], column] = False
    return np.where(holes, np.nan, whole)


def scores(
    whole: np.ndarray, lacking: np.ndarray, filled: np.ndarray, nominal: np.ndarray
) -> dict[str, float]:
    """The means over columns of numbers, over columns of categories, and over all.

    Examples
    --------
    >>> whole = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> lacking = np.array([[0.0], [1.0], [2.0], [np.nan]])
    >>> scores(whole, lacking, np.array([[0.0], [1.0], [2.0], [2.0]]), np.array([False]))
    {'number_error': 1.5, 'category_error': nan, 'loss': 1.5}
    """
    found: dict[bool, list[float]] = {False: [], True: []}
    for column, is_nominal in enumerate(nominal):
        holes = np.isnan(lacking[:, column]) & ~np.isnan(whole[:, column])
        known = lacking[~np.isnan(lacking[:, column]), column]
        # Where the column is constant there is nothing to tell.
        if not holes.any() or len(np.unique(known)) < 2:
            continue
        truth, put = whole[holes, column], filled[holes, column]
        if np.isnan(put).any():
            raise ValueError(f"{int(np.isnan(put).sum())} cells of column {column} are not filled")
        if is_nominal:
            found[True].append(float((truth != put).mean()))
        else:
            spread = np.abs(known - np.median(known)).mean()
            found[False].append(float(np.abs(truth - put).mean() / spread))
    both = found[False] + found[True]
    means = [float(np.mean(one)) if one else float("nan") for one in (*found.values(), both)]
    return dict(zip((*SCORES, "loss"), means, strict=True))


def jobs(options: argparse.Namespace) -> list[Refill]:
    """Every job, the smallest table first."""
    models = chosen_models(options, {name: peer.package for name, peer in PEERS.items()})
    chosen = [
        dataset
        for dataset in chosen_datasets(options, None)
        if dataset.task != "anomaly" and dataset.group == options.group
    ]
    return [
        Refill(dataset, seed, model, options.threads)
        for dataset in chosen[:: options.every]
        for seed in range(options.seeds)
        for model in models
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    made = parser("impute", __doc__.split("\n\n")[0], models=NAMED, peers=PEERS)
    made.add_argument("--seeds", type=int, default=1)
    made.add_argument("--group", default="pmlb", help="group of the index to take (pmlb)")
    made.add_argument("--every", type=int, default=1, help="take each so-manieth table by size")
    options = made.parse_args(arguments)
    records = Records(options.out, COLUMNS, KEY)
    try:
        run_all(jobs(options), records, options, "loss")
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    if records.rows:
        print_summary([options.out], SCORES, lower_is_better=True)


if __name__ == "__main__":
    main()
