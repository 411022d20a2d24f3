"""A model on a split of a table, with the scores of the paper's tables."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import precision_score

from benchmarks.quality.datasets import Dataset
from benchmarks.quality.fitting import TIMES, fit_and_predict, package_of
from benchmarks.quality.peers import Setting
from benchmarks.quality.runner import installed_version
from benchmarks.quality.scores import classification_scores, regression_scores
from benchmarks.quality.splits import split

KEY = ("dataset", "split", "model")
SCORES = {
    "classification": ("accuracy", "precision", "balanced_accuracy", "mcc"),
    "regression": ("r2", "mae", "mse", "spearman"),
}


def columns(task: str) -> tuple[str, ...]:
    """The header of a results file."""
    return (*KEY, *SCORES[task], *TIMES, "n_train", "n_features", "version", "error")


@dataclass(frozen=True)
class Trial:
    """A model on a split, which is that of `benchmarks.quality.predict` with the same number."""

    dataset: Dataset
    split: int
    model: str
    threads: int = 1

    def about(self) -> dict[str, object]:
        return {
            "dataset": self.dataset.name,
            "split": self.split,
            "model": self.model,
            "version": installed_version(package_of(self.model)),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        table, target = self.dataset.load()
        truth = target.to_numpy()
        if self.dataset.task == "classification":
            truth = np.unique(truth, return_inverse=True)[1]
        train, test = split(truth, self.dataset.task, self.split)
        setting = Setting(self.dataset.task, self.split, truth[train], self.threads, True)
        found = fit_and_predict(self.model, setting, table, train, test)
        if setting.classifies:
            answers = found.classes[found.values.argmax(axis=1)]
            scores = classification_scores(truth[test], found.values, found.classes)
            scores["precision"] = float(
                precision_score(truth[test], answers, average="macro", zero_division=0)
            )
        else:
            scores = regression_scores(truth[test], found.values, float(truth[train].mean()))
            scores["mse"] = scores["rmse"] ** 2
        sizes = {"n_train": len(train), "n_features": table.shape[1]}
        return {**scores, **found.seconds, **sizes}
