"""One job of the prediction benchmark: fit a model on a split, time it, score it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from benchmarks.quality.datasets import Dataset
from benchmarks.quality.fitting import fit_and_predict, package_of, warm_up
from benchmarks.quality.peers import Setting
from benchmarks.quality.runner import installed_version
from benchmarks.quality.scores import classification_scores, regression_scores
from benchmarks.quality.splits import at_most, split


@dataclass(frozen=True)
class Trial:
    """A model on a split of a data set; the split number is also every seed."""

    dataset: Dataset
    split: int
    model: str
    threads: int = 1
    paper: bool = False
    max_train: int | None = None

    def about(self) -> dict[str, object]:
        return {
            "dataset": self.dataset.name,
            "split": self.split,
            "model": self.model,
            "task": self.dataset.task,
            "group": self.dataset.group,
            "protocol": protocol(paper=self.paper, max_train=self.max_train),
            "version": installed_version(package_of(self.model)),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        table, target = _load(self.dataset)
        train, test = split(target, self.dataset.task, self.split)
        train = at_most(self.max_train, train, target, self.dataset.task, self.split)
        setting = Setting(self.dataset.task, self.split, target[train], self.threads, self.paper)
        warm_up(self.model, setting)
        predicted = fit_and_predict(self.model, setting, table, train, test)
        if setting.classifies:
            scores = classification_scores(
                target[test], predicted.values, predicted.classes, predicted.answers
            )
        else:
            mean = float(target[train].mean())
            scores = regression_scores(target[test], predicted.values, mean)
        sizes = {"n_train": len(train), "n_test": len(test), "n_features": table.shape[1]}
        return sizes | predicted.seconds | scores


def protocol(*, paper: bool, max_train: int | None) -> str:
    """How results were made; those of different protocols do not belong in one file."""
    name = "paper" if paper else "default"
    return name if max_train is None else f"{name}, at most {max_train} training rows"


@lru_cache(maxsize=1)
def _load(dataset: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    """The features, and the target as numbers or as class codes 0, 1 and so on."""
    table, target = dataset.load()
    if dataset.task == "classification":
        return table, np.unique(target.to_numpy(), return_inverse=True)[1].ravel()
    return table, target.to_numpy(dtype=np.float64)
