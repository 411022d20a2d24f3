"""Anomaly detection against the usual detectors.

    python -m benchmarks.quality.anomaly --data DIR --setting one-class --out results.csv

``one-class`` trains on a random half of the inliers and tests on the other half with all
anomalies; ``unsupervised`` trains on everything and judges the training rows. Two F1: at the
detector's fixed threshold (conviction 0.7 for ours, its library's default for a peer) and
at a calibrated one, which 5 % of the training rows exceed, each judged without itself where
the method can. Resumes, and prints the paper's table with its own figures beside.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn import metrics

from benchmarks.quality.anomaly_summary import print_summary
from benchmarks.quality.datasets import Dataset
from benchmarks.quality.detectors import OURS, PEERS, make_detector, repeats_itself
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

SETTINGS = ("one-class", "unsupervised")
KEY = ("dataset", "seed", "model", "setting")
TIMES = ("fit_s", "score_s", "fit_cpu_s", "score_cpu_s")
SCORES = ("f1_fixed", "f1_calibrated", "auroc", "aupr")
SIZES = ("n_train", "n_test", "n_features")
COLUMNS = (*KEY[:3], *SCORES, *TIMES, *SIZES, "setting", "group", "version", "error")
FALSE_ALARMS = 0.05

_warm: set[str] = set()


@dataclass(frozen=True)
class Hunt:
    """A detector on a data set."""

    dataset: Dataset
    seed: int
    model: str
    setting: str
    threads: int = 1

    def about(self) -> dict[str, object]:
        package = "vicinal" if is_ours(self.model) else "pyod"
        return {
            "dataset": self.dataset.name,
            "seed": self.seed,
            "model": self.model,
            "setting": self.setting,
            "group": self.dataset.group,
            "version": installed_version(package),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        rows, strange = _load(self.dataset)
        if self.model not in _warm:
            toy = np.random.default_rng(0).normal(size=(200, 4))
            make_detector(self.model, self.seed, self.threads).fit(toy).score(toy)
            _warm.add(self.model)
        return _detect(self, rows, strange)


@lru_cache(maxsize=1)
def _load(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    table, target = dataset.load()
    return table.to_numpy(dtype=np.float64), target.to_numpy() == 1


def one_class_split(strange: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random half of the inliers, and the rest with all anomalies.

    Examples
    --------
    >>> train, test = one_class_split(np.array([False, True, False, False, False]), 0)
    >>> len(train), len(test), 1 in test
    (2, 3, True)
    """
    inliers = np.random.default_rng(seed).permutation(np.flatnonzero(~strange))
    half = len(inliers) // 2
    train = np.sort(inliers[:half])
    return train, np.setdiff1d(np.arange(len(strange)), train)


def _detect(hunt: Hunt, rows: np.ndarray, strange: np.ndarray) -> dict[str, object]:
    detector = make_detector(hunt.model, hunt.seed, hunt.threads)
    everything = np.arange(len(rows))
    one_class = hunt.setting == "one-class"
    train, test = one_class_split(strange, hunt.seed) if one_class else (everything, everything)
    _, fit_s, fit_cpu_s = timed(lambda: detector.fit(rows[train]))
    score_s = score_cpu_s = 0.0
    scores = detector.training_scores
    if one_class:
        scores, score_s, score_cpu_s = timed(lambda: detector.score(rows[test]))
    calibrated = detector.calibrated(rows[train], FALSE_ALARMS)
    return {
        **detection_scores(strange[test], scores, detector.threshold, calibrated),
        "fit_s": fit_s,
        "score_s": score_s,
        "fit_cpu_s": fit_cpu_s,
        "score_cpu_s": score_cpu_s,
        "n_train": len(train),
        "n_test": len(test),
        "n_features": rows.shape[1],
    }


def detection_scores(
    strange: np.ndarray, scores: np.ndarray, fixed: float, calibrated: float
) -> dict[str, float]:
    """F1 at both thresholds and the areas; a row is flagged above a threshold.

    Examples
    --------
    >>> detection_scores(np.array([False, False, True]), np.array([1.0, 2.0, 3.0]), 2.5, 1.5)
    {'f1_fixed': 1.0, 'f1_calibrated': 0.6666666666666666, 'auroc': 1.0, 'aupr': 1.0}
    """
    if not np.all(np.isfinite(scores)):
        raise ValueError(f"{int(np.sum(~np.isfinite(scores)))} scores are not finite")
    return {
        "f1_fixed": float(metrics.f1_score(strange, scores > fixed)),
        "f1_calibrated": float(metrics.f1_score(strange, scores > calibrated)),
        "auroc": float(metrics.roc_auc_score(strange, scores)),
        "aupr": float(metrics.average_precision_score(strange, scores)),
    }


def hunts(options: argparse.Namespace) -> list[Hunt]:
    """Every job; on the same rows, one seed is enough for a detector without chance."""
    models = chosen_models(options, {name: peer.package for name, peer in PEERS.items()})
    return [
        Hunt(dataset, seed, model, options.setting, options.threads)
        for dataset in chosen_datasets(options, "anomaly")
        for seed in range(options.seeds)
        for model in models
        if seed == 0 or options.setting == "one-class" or not repeats_itself(model)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    made = parser("anomaly", __doc__.split("\n\n")[0], models=OURS, peers=PEERS)
    made.add_argument("--setting", choices=SETTINGS, default=SETTINGS[0])
    made.add_argument("--seeds", type=int, default=5)
    options = made.parse_args(arguments)
    records = Records(options.out, COLUMNS, KEY)
    try:
        run_all(hunts(options), records, options, "auroc")
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    if records.rows:
        print_summary([options.out], options.setting)


if __name__ == "__main__":
    main()
