"""Accuracy under eight disturbances of a table, beside peers in the same run.

Each model is fitted to the disturbed training rows with its default settings and predicts the
test rows, whose labels are never disturbed. Figures are means over tables, each the mean over its
splits; a standard error is that of the differences from the best model, table by table.
"""

from __future__ import annotations

import argparse
import warnings
import zlib

import numpy as np
import pandas as pd

from benchmarks.quality.fitting import Predictions, fit_and_predict
from benchmarks.quality.peers import Setting
from benchmarks.quality.records import Records
from benchmarks.quality.robustness.comparison import compared, mean_ranks
from benchmarks.quality.robustness.disturbances import DISTURBANCES, SAME_TABLE
from benchmarks.quality.robustness.samples import DIGITS, TASK, Sample, samples
from benchmarks.quality.scores import classification_scores

COVERAGES = (1.0, 0.9, 0.8, 0.7, 0.5)
KEY = ("dataset", "split", "disturbance", "level", "model")
COLUMNS = (
    *(*KEY, "n_train", "n_test", "accuracy", "balanced_accuracy", "log_loss", "auc"),
    *(*(f"accuracy_at_{share:g}" for share in COVERAGES), "fit_cpu_s", "predict_cpu_s"),
)


def run(given: argparse.Namespace) -> None:
    """Run what is missing in the file, and print the tables."""
    records = Records(given.out / "noise.csv", COLUMNS, KEY)
    for name, seed, sample in samples(given):
        for disturbance, level, model in _jobs(given):
            key = (name, seed, disturbance, f"{level:g}", model)
            if key not in records:
                found = _trial(sample, disturbance, level, model, seed)
                records.append(dict(zip(KEY, key, strict=True)) | found)
    print(tables(results(given)))


def results(given: argparse.Namespace) -> pd.DataFrame:
    """The lines of the file, of the models asked for."""
    lines = pd.read_csv(given.out / "noise.csv")
    return lines[lines["model"].isin(given.models)]


def _jobs(given: argparse.Namespace) -> list[tuple[str, float, str]]:
    return [
        (disturbance, level, model)
        for disturbance, (_, levels) in DISTURBANCES.items()
        for level in levels
        for model in given.models
    ]


def _trial(
    sample: Sample, disturbance: str, level: float, model: str, seed: int
) -> dict[str, object]:
    disturb, _ = DISTURBANCES[disturbance]
    rng = np.random.default_rng([seed, zlib.crc32(f"{disturbance} {level}".encode())])
    changed = disturb(sample, level, rng)
    # A model must know the classes by the codes 0, 1 and so on.
    classes, target = np.unique(changed.target[changed.train], return_inverse=True)
    setting = Setting(TASK, seed, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fit_and_predict(model, setting, changed.table, changed.train, changed.test)
        truth, known = changed.target[changed.test], classes[found.classes.astype(int)]
        scores = classification_scores(truth, found.values, known)
    sizes = {"n_train": len(changed.train), "n_test": len(changed.test)}
    return sizes | scores | _at_coverages(found, truth, known) | found.seconds


def _at_coverages(found: Predictions, truth: np.ndarray, known: np.ndarray) -> dict[str, float]:
    """Accuracy on the share of rows that the model is surest of."""
    order = np.argsort(-found.values.max(axis=1), kind="stable")
    right = (known[found.values.argmax(axis=1)] == truth)[order]
    return {
        f"accuracy_at_{share:g}": float(right[: max(1, round(share * len(right)))].mean())
        for share in COVERAGES
    }


def tables(lines: pd.DataFrame) -> str:
    """One table for each disturbance, ranks over all of them, and the digits apart."""
    lines = lines.assign(disturbance=lines["disturbance"].replace(SAME_TABLE))
    images, rest = lines[lines["dataset"] == DIGITS], lines[lines["dataset"] != DIGITS]
    names = list(dict.fromkeys(SAME_TABLE.get(name, name) for name in DISTURBANCES))
    parts = []
    for where, some in (("", rest), (", digits", images)):
        for name in names:
            chosen = some[some["disturbance"] == name]
            if len(chosen):
                parts.append(f"### {name.capitalize()}{where}\n\n{compared(chosen)}")
        if len(some):
            disturbed = some[some["disturbance"] != "none"]
            parts.append(f"### All disturbances{where}\n\n{mean_ranks(disturbed)}")
    return "\n\n".join(parts)
