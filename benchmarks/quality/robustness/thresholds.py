"""The share of anomalies in a table, as ``contamination="auto"`` tells it, and the true one.

Ordinary rows of tables of natural anomalies are mixed with so many of their anomalies that these
are a given share. In simulated tables, ordinary rows are in three clusters, and anomalies all over
the place (*scattered*) or in one small cluster of their own (*grouped*). ``AUROC`` says whether
training rows can be told apart at all.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.quality.datasets import folder, of_groups, read_index
from benchmarks.quality.markdown import table
from benchmarks.quality.records import Records
from vicinal import VicinalOutlierDetector

SHARES = (0.0, 0.01, 0.1, 0.35)
ORDINARY = 400
FEWEST = 30
MOST_COLUMNS = 40
SIMULATED = ("scattered", "grouped")
KEY = ("dataset", "share")
COLUMNS = (*KEY, "group", "estimated", "true", "auroc")


def run(given: argparse.Namespace) -> None:
    """Estimate what is missing in the file, and print the table."""
    records = Records(given.out / "thresholds.csv", COLUMNS, KEY)
    for name, group, ordinary, strange in _sources(given):
        for share in SHARES:
            if (name, f"{share:g}") not in records:
                found = _estimated(*_mixed(ordinary, strange, share))
                records.append({"dataset": name, "share": share, "group": group} | found)
    print(summary(pd.read_csv(records.path)))


def _sources(given: argparse.Namespace) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Ordinary rows and anomalies of each table, in random order."""
    found = read_index(folder(given.data), "anomaly")
    for dataset in of_groups(found, ["odds", "adbench", "oddbench"]):
        features, target = dataset.load()
        rows = np.random.default_rng(0).permutation(features.to_numpy(dtype=np.float64))
        strange = np.random.default_rng(0).permutation(target.to_numpy() == 1)
        enough = strange.sum() >= FEWEST and (~strange).sum() >= FEWEST
        if enough and rows.shape[1] <= MOST_COLUMNS:
            yield dataset.name, dataset.group, rows[~strange], rows[strange]
    for kind in SIMULATED:
        for seed in range(8):
            yield f"{kind} {seed}", kind, *_simulated(kind, np.random.default_rng(seed), 2 + seed)


def _simulated(kind: str, rng: np.random.Generator, d: int) -> tuple[np.ndarray, np.ndarray]:
    centers = rng.normal(scale=4.0, size=(3, d))
    rows = centers[rng.integers(3, size=ORDINARY)] + rng.normal(size=(ORDINARY, d))
    low, high = rows.min(axis=0), rows.max(axis=0)
    if kind == "scattered":
        return rows, rng.uniform(low - (high - low), high + (high - low), rows.shape)
    return rows, high + 2.0 + 0.3 * rng.normal(size=rows.shape)


def _mixed(
    ordinary: np.ndarray, strange: np.ndarray, share: float
) -> tuple[np.ndarray, np.ndarray]:
    n_ordinary = min(len(ordinary), ORDINARY)
    n_strange = round(share / (1 - share) * n_ordinary)
    if n_strange > len(strange):
        n_strange = len(strange)
        n_ordinary = round(n_strange * (1 - share) / share)
    rows = np.vstack([ordinary[:n_ordinary], strange[:n_strange]])
    return rows, np.repeat([False, True], [n_ordinary, n_strange])


def _estimated(rows: np.ndarray, strange: np.ndarray) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detector = VicinalOutlierDetector(n_jobs=1).fit(rows)
    scores = detector.decision_scores_
    return {
        "estimated": float(detector.labels_.mean()),
        "true": float(strange.mean()),
        "auroc": float(roc_auc_score(strange, scores)) if strange.any() else float("nan"),
    }


def summary(lines: pd.DataFrame) -> str:
    """The mean estimate at each share, with its spread over tables, by kind of table."""
    kinds = lines["group"].where(lines["group"].isin(SIMULATED), "natural")
    rows = []
    for name, some in lines.groupby(kinds, sort=False):
        for share, of_share in some.groupby("share"):
            estimated = of_share["estimated"]
            rows.append(
                [
                    f"{name}, {share:.0%}",
                    len(of_share),
                    float(estimated.mean()),
                    float(estimated.quantile(0.1)),
                    float(estimated.quantile(0.9)),
                    float((estimated - of_share["true"]).abs().mean()),
                    float(of_share["auroc"].mean()),
                ]
            )
    header = ["tables, true share", "tables", "estimated", "10 %", "90 %", "mean error", "AUROC"]
    return table(header, rows)
