"""Held-out log likelihood of density models on continuous tables.

    python -m benchmarks.quality.density --data DIR --out results.csv

Takes every data set whose columns are all continuous (numbers, no gaps, at least half of the
values of each column distinct): with ties a density can be made as high as one likes. A
continuous regression target is one more column; of anomaly sets only the inliers are used.
At most ``--max-rows`` seeded rows, 75/25 splits, columns standardised on the training rows,
so that the figures (mean nats a row, higher is better) have the same unit for every model.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler

from benchmarks.quality.datasets import Dataset
from benchmarks.quality.differences import TIE
from benchmarks.quality.markdown import table
from benchmarks.quality.ours import is_ours, make
from benchmarks.quality.records import Records
from benchmarks.quality.runner import (
    chosen_datasets,
    chosen_models,
    installed_version,
    parser,
    run_all,
)
from benchmarks.quality.splits import split
from benchmarks.quality.stopwatch import timed
from benchmarks.quality.summary import print_failures, ranks

OURS: dict[str, dict[str, object]] = {"vicinal": {}}
KEY = ("dataset", "seed", "model")
TIMES = ("fit_s", "score_s", "fit_cpu_s", "score_cpu_s")
COLUMNS = (*KEY, "log_likelihood", *TIMES, "n_train", "n_test", "n_features", "version", "error")
BANDWIDTHS = np.geomspace(0.02, 2.0, 20)
COMPONENTS = range(1, 16)
DISTINCT_SHARE = 0.5


class MixtureByBic(BaseEstimator):
    """Gaussian mixture with the number of components that BIC prefers."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, rows: np.ndarray) -> MixtureByBic:
        most = max(1, len(rows) // (rows.shape[1] + 1))
        fits = [
            GaussianMixture(n, random_state=self.seed).fit(rows) for n in COMPONENTS if n <= most
        ]
        self.model_ = min(fits, key=lambda model: model.bic(rows))
        return self

    def score_samples(self, rows: np.ndarray) -> np.ndarray:
        return self.model_.score_samples(rows)


def kernel_density(seed: int) -> BaseEstimator:
    """Gaussian kernels, the bandwidth by five-fold likelihood."""
    del seed
    return GridSearchCV(KernelDensity(), {"bandwidth": BANDWIDTHS}, cv=5, n_jobs=1)


PEERS = {"kernel_density": kernel_density, "gaussian_mixture": MixtureByBic}


@dataclass(frozen=True)
class Fit:
    """A density model on a split of a data set."""

    dataset: Dataset
    seed: int
    model: str
    max_rows: int
    threads: int = 1

    def about(self) -> dict[str, object]:
        return {
            "dataset": f"{self.dataset.task}/{self.dataset.name}",
            "seed": self.seed,
            "model": self.model,
            "version": installed_version("vicinal" if is_ours(self.model) else "scikit-learn"),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        rows = continuous_rows(self.dataset)
        assert rows is not None
        rows = np.random.default_rng(self.seed).permutation(rows)[: self.max_rows]
        train, test = split(rows[:, 0], "regression", self.seed)
        scaler = StandardScaler().fit(rows[train])
        known, asked = scaler.transform(rows[train]), scaler.transform(rows[test])
        if is_ours(self.model):
            model = make("VicinalDensity", self.model, self.seed, self.threads, OURS)
        else:
            model = PEERS[self.model](self.seed)
        _, fit_s, fit_cpu_s = timed(lambda: model.fit(known))
        log_density, score_s, score_cpu_s = timed(lambda: _log_density(model, asked))
        return {
            "log_likelihood": float(np.mean(log_density)),
            "fit_s": fit_s,
            "score_s": score_s,
            "fit_cpu_s": fit_cpu_s,
            "score_cpu_s": score_cpu_s,
            "n_train": len(train),
            "n_test": len(test),
            "n_features": rows.shape[1],
        }


def _log_density(model: Any, rows: np.ndarray) -> np.ndarray:
    best = getattr(model, "best_estimator_", model)
    return np.asarray(best.score_samples(rows))


@lru_cache(maxsize=1)
def continuous_rows(dataset: Dataset) -> np.ndarray | None:
    """The columns as an array, or None when one of them is not continuous."""
    features, target = dataset.load()
    if dataset.task == "anomaly":
        features = features[target.to_numpy() != 1]
    elif dataset.task == "regression" and _is_continuous(target):
        features = features.assign(__target__=target)
    if not all(_is_continuous(features[name]) for name in features):
        return None
    return features.to_numpy(dtype=np.float64)


def _is_continuous(column: pd.Series) -> bool:
    numeric = pd.api.types.is_float_dtype(column) or pd.api.types.is_integer_dtype(column)
    return bool(
        numeric and column.notna().all() and column.nunique() >= DISTINCT_SHARE * len(column)
    )


def fits(options: argparse.Namespace) -> list[Fit]:
    """Every job, on the data sets that are continuous."""
    models = chosen_models(options, dict.fromkeys(PEERS, "scikit-learn"))
    return [
        Fit(dataset, seed, model, options.max_rows, options.threads)
        for dataset in chosen_datasets(options, None)
        if continuous_rows(dataset) is not None
        for seed in range(options.seeds)
        for model in models
    ]


def print_summary(path: Path) -> None:
    """Mean log likelihood and rank, over the data sets that every model has."""
    rows = pd.read_csv(path).drop_duplicates(list(KEY), keep="last")
    print_failures(rows[rows["error"].notna()])
    results = rows[rows["error"].isna()]
    means = results.groupby(["dataset", "model"])["log_likelihood"].mean().unstack("model")
    kept = means.dropna()
    print(f"\n## density: {len(kept)} of {len(means)} data sets, all models\n")
    rank = ranks(kept)
    body = [
        [model, float(kept[model].mean()), float(kept[model].median()), float(rank[model]),
         *(int((kept[model] > kept[other] + TIE).sum()) for other in kept)]
        for model in kept.mean().sort_values(ascending=False).index
    ]  # fmt: skip
    header = ["model", "mean nats", "median nats", "mean rank", *(f"above {m}" for m in kept)]
    print(table(header, body))


def main(arguments: Sequence[str] | None = None) -> None:
    made = parser("density", __doc__.split("\n\n")[0], models=OURS, peers=PEERS)
    made.add_argument("--seeds", type=int, default=3)
    made.add_argument("--max-rows", type=int, default=2000)
    options = made.parse_args(arguments)
    records = Records(options.out, COLUMNS, KEY)
    try:
        run_all(fits(options), records, options, "log_likelihood")
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    if records.rows:
        print_summary(options.out)


if __name__ == "__main__":
    main()
