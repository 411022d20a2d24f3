"""Rows from elsewhere, told apart from test rows: conviction beside the usual detectors.

Figures are areas under the ROC curve; the training labels are known to the methods that rest on a
classifier. Adversarial rows flip the network, the classifier of ``mlp`` and ``energy``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPClassifier

from benchmarks.quality.markdown import table
from benchmarks.quality.records import Records
from benchmarks.quality.robustness.comparison import from_best
from benchmarks.quality.robustness.elsewhere import adversarial, other_table, permuted, shifted
from benchmarks.quality.robustness.evasion import Floats
from benchmarks.quality.robustness.samples import DIGITS, Sample, samples
from vicinal import VicinalClassifier, VicinalOutlierDetector

#: Tables of numbers; of rows with missing values the others are taken.
TABLES = (
    *("australian", "balance_scale", "bupa", "cars", "glass", "heart_statlog"),
    *("new_thyroid", "penguins", "prnn_synth", "wdbc", DIGITS),
)
ROWS = 100
NEIGHBORS = 5
KEY = ("dataset", "split", "kind", "detector")
COLUMNS = (*KEY, "auroc")

Score = Callable[[Floats], Floats]


def run(given: argparse.Namespace) -> None:
    """Judge what is missing in the file, and print the table."""
    records = Records(given.out / "foreign.csv", COLUMNS, KEY)
    found = [(name, seed, _standardized(sample)) for name, seed, sample in samples(given, TABLES)]
    for name, seed, (train, labels, test) in found:
        if (name, seed, "shifted", "conviction") in records:
            continue
        others = [rows for other, _, (rows, _, _) in found if other != name]
        for kind, detector, auroc in _judged(train, labels, test, others, seed):
            line = {"dataset": name, "split": seed, "kind": kind, "detector": detector}
            records.append(line | {"auroc": auroc})
    print(summary(pd.read_csv(records.path)))


def _standardized(sample: Sample) -> tuple[Floats, np.ndarray, Floats]:
    values = sample.table.to_numpy(dtype=np.float64)
    whole = np.isfinite(values).all(axis=1)
    train, test = sample.train[whole[sample.train]], sample.test[whole[sample.test]]
    center, scale = values[train].mean(axis=0), values[train].std(axis=0)
    scale[scale == 0] = 1.0
    ready = (values - center) / scale
    return ready[train], sample.target[train], ready[test[:ROWS]]


def _judged(
    train: Floats, labels: np.ndarray, test: Floats, others: list[Floats], seed: int
) -> Iterator[tuple[str, str, float]]:
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = MLPClassifier(random_state=seed).fit(train, labels)
        foreign = {
            "other table": other_table(test, others, rng),
            "permuted": permuted(test, rng),
            "adversarial": adversarial(network.predict, test, train, labels, seed),
            "shifted": shifted(test, rng),
        }
        scores = _scores(train, labels, network, seed)
        for kind, rows in foreign.items():
            if rows is None or not len(rows):
                continue
            truth = np.repeat([0, 1], [len(test), len(rows)])
            for detector, score in scores.items():
                yield kind, detector, float(roc_auc_score(truth, score(np.vstack([test, rows]))))


def _scores(
    train: Floats, labels: np.ndarray, network: MLPClassifier, seed: int
) -> dict[str, Score]:
    """Detectors by name; higher is stranger."""
    detector = VicinalOutlierDetector(random_state=seed, n_jobs=1).fit(train)
    ours = VicinalClassifier(random_state=seed, n_jobs=1).fit(train, labels)
    forest = RandomForestClassifier(random_state=seed, n_jobs=1).fit(train, labels)
    isolation = IsolationForest(random_state=seed).fit(train)
    gaussian = LedoitWolf().fit(train)
    nearest = NearestNeighbors(n_neighbors=NEIGHBORS).fit(train)
    return {
        "vicinal, probability": lambda rows: -ours.predict_proba(rows).max(axis=1),
        "random forest, probability": lambda rows: -forest.predict_proba(rows).max(axis=1),
        "network, probability": lambda rows: -network.predict_proba(rows).max(axis=1),
        "network, energy": lambda rows: _energy(network, rows),
        "isolation forest": lambda rows: -isolation.score_samples(rows),
        "Mahalanobis": gaussian.mahalanobis,
        "k-NN": lambda rows: nearest.kneighbors(rows)[0].mean(axis=1),
        "conviction": lambda rows: -detector.score_samples(rows),
    }


def _energy(network: MLPClassifier, rows: Floats) -> Floats:
    """Minus the log of the sum of the exponentials of all outputs before the last step."""
    values = rows
    for weights, bias in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        values = np.maximum(values @ weights + bias, 0.0)
    outputs = values @ network.coefs_[-1] + network.intercepts_[-1]
    if outputs.shape[1] == 1:  # two classes: the other has the output 0
        outputs = np.hstack([np.zeros_like(outputs), outputs])
    return -logsumexp(outputs, axis=1)


def summary(lines: pd.DataFrame) -> str:
    """Mean AUROC by kind of rows, over all kinds, and the mean rank."""
    kinds = list(dict.fromkeys(lines["kind"]))
    wide = lines.pivot_table(index=["kind", "dataset"], columns="detector", values="auroc")
    below, error = from_best(wide.groupby("dataset").mean())
    ranks = wide.rank(axis=1, ascending=False).mean()
    whole = wide.groupby("dataset").mean().mean()
    rows = [
        [
            detector,
            *(float(wide.loc[kind][detector].mean()) for kind in kinds),
            float(whole[detector]),
            f"{below[detector]:.3f} ± {error[detector]:.3f}",
            float(ranks[detector]),
        ]
        for detector in whole.sort_values(ascending=False).index
    ]
    return table(["detector", *kinds, "mean", "below the best", "mean rank"], rows)
