"""Detection of wrong labels against cleanlab.

    python -m benchmarks.quality.audit --data DIR --out results.csv

Flips the labels of 5 % of the rows, each to another class at random, and asks which they are.
Scored by average precision. ``cleanlab`` ranks rows by its default label quality, from the
probabilities that a random forest gives in five-fold cross-validation. Fifteen classification
tables of the folder are taken, evenly spread over the sizes between 3,000 and 100,000 cells;
``--only`` takes others. Resumes, and prints the summary.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn import metrics
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from benchmarks.quality.care_summary import print_summary
from benchmarks.quality.datasets import TARGET, Dataset
from benchmarks.quality.ours import is_ours, parameters
from benchmarks.quality.prepare import preparation
from benchmarks.quality.records import Records
from benchmarks.quality.runner import (
    chosen_datasets,
    chosen_models,
    installed_version,
    parser,
    run_all,
)
from benchmarks.quality.stopwatch import timed

KEY = ("dataset", "seed", "model")
SCORES = ("average_precision",)
COLUMNS = (*KEY, *SCORES, "found", "audit_s", "audit_cpu_s", "n_rows", "n_features", "n_classes")
COLUMNS += ("version", "error")
PEERS = {"cleanlab": "cleanlab"}
SHARE, FOLDS, TABLES = 0.05, 5, 15
SIZES = 3_000, 100_000


@dataclass(frozen=True)
class Search:
    """A search for flipped labels in a data set."""

    dataset: Dataset
    seed: int
    model: str
    threads: int = 1

    def about(self) -> dict[str, object]:
        package = "vicinal" if is_ours(self.model) else PEERS[self.model]
        return {
            "dataset": self.dataset.name,
            "seed": self.seed,
            "model": self.model,
            "version": installed_version(package),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        table, labels = _load(self.dataset)
        flipped, wrong = flip(labels, self.seed)
        search = _ours if is_ours(self.model) else _cleanlab
        doubt, audit_s, audit_cpu_s = timed(lambda: search(self, table, flipped))
        top = np.argsort(-doubt, kind="stable")[: wrong.sum()]
        return {
            "average_precision": float(metrics.average_precision_score(wrong, doubt)),
            "found": float(wrong[top].mean()),
            "audit_s": audit_s,
            "audit_cpu_s": audit_cpu_s,
            "n_rows": len(table),
            "n_features": table.shape[1],
            "n_classes": int(labels.max()) + 1,
        }


@lru_cache(maxsize=1)
def _load(dataset: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    table, target = dataset.load()
    return table, np.unique(target.to_numpy(), return_inverse=True)[1].ravel()


def flip(labels: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels with one in twenty replaced by another class, and which these are.

    Examples
    --------
    >>> flipped, wrong = flip(np.array([0, 1] * 20), 0)
    >>> int(wrong.sum()), bool((flipped[wrong] == 1 - np.array([0, 1] * 20)[wrong]).all())
    (2, True)
    """
    rng = np.random.default_rng(seed)
    wrong = np.zeros(len(labels), dtype=bool)
    wrong[rng.permutation(len(labels))[: max(1, round(SHARE * len(labels)))]] = True
    n_classes = int(labels.max()) + 1
    moved = labels + rng.integers(1, n_classes, size=len(labels))
    return np.where(wrong, moved % n_classes, labels), wrong


def _ours(search: Search, table: pd.DataFrame, labels: np.ndarray) -> np.ndarray:
    import vicinal

    given = parameters(search.model, {"vicinal": {}})
    model = vicinal.Model(random_state=search.seed, n_jobs=search.threads, **given)
    words = [f"class {label}" for label in labels]
    audit = model.fit(table.assign(**{TARGET: words})).audit(TARGET)
    return np.array([audit.scores[case] for case in range(len(labels))])


def _cleanlab(search: Search, table: pd.DataFrame, labels: np.ndarray) -> np.ndarray:
    from cleanlab.rank import get_label_quality_scores

    forest = RandomForestClassifier(random_state=search.seed, n_jobs=search.threads)
    pipeline = make_pipeline(*preparation(table, gaps=False, scale=False), forest)
    # Every fold must have trained on every class: classes of one row cannot be left out.
    rare = np.bincount(labels).min()
    folds = StratifiedKFold if rare >= 2 else KFold
    folds = folds(min(FOLDS, max(rare, 2)), shuffle=True, random_state=search.seed)
    said = cross_val_predict(pipeline, table, labels, cv=folds, method="predict_proba")
    return 1.0 - get_label_quality_scores(labels, said)


def evenly(found: list[Dataset], count: int) -> list[Dataset]:
    """So many of the data sets, evenly spread over their sizes."""
    if len(found) <= count:
        return found
    places = np.linspace(0, len(found) - 1, count).round().astype(int)
    return [found[place] for place in places]


def jobs(options: argparse.Namespace) -> list[Search]:
    """Every job, the smallest table first."""
    models = chosen_models(options, PEERS)
    chosen = chosen_datasets(options, "classification")
    if not options.only:
        chosen = evenly([one for one in chosen if SIZES[0] <= one.cells <= SIZES[1]], TABLES)
    return [
        Search(dataset, seed, model, options.threads)
        for dataset in chosen
        for seed in range(options.seeds)
        for model in models
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    made = parser("audit", __doc__.split("\n\n")[0], models=["vicinal"], peers=PEERS)
    made.add_argument("--seeds", type=int, default=3)
    options = made.parse_args(arguments)
    records = Records(options.out, COLUMNS, KEY)
    try:
        run_all(jobs(options), records, options, SCORES[0])
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    if records.rows:
        print_summary([options.out], SCORES, lower_is_better=False)


if __name__ == "__main__":
    main()
