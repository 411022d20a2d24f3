"""One job of the prediction benchmark: fit a model on a split, time it, score it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.datasets import Dataset
from benchmarks.quality.ours import is_ours, make_predictor
from benchmarks.quality.peers import PEERS, Setting, make_peer
from benchmarks.quality.prepare import numbers_or_table
from benchmarks.quality.runner import installed_version
from benchmarks.quality.scores import classification_scores, regression_scores
from benchmarks.quality.splits import split
from benchmarks.quality.stopwatch import timed

_warm: set[tuple[str, str]] = set()


@dataclass(frozen=True)
class Trial:
    """A model on a split of a data set; the split number is also every seed."""

    dataset: Dataset
    split: int
    model: str
    threads: int = 1
    paper: bool = False

    def about(self) -> dict[str, object]:
        package = "vicinal" if is_ours(self.model) else PEERS[self.model].package
        return {
            "dataset": self.dataset.name,
            "split": self.split,
            "model": self.model,
            "task": self.dataset.task,
            "protocol": "paper" if self.paper else "default",
            "version": installed_version(package),
        }

    def run(self) -> dict[str, object]:
        warnings.simplefilter("ignore")
        table, target = _load(self.dataset)
        _warm_up(self)
        return _fit_and_score(self, table, target)


@lru_cache(maxsize=1)
def _load(dataset: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    """The features, and the target as numbers or as class codes 0, 1 and so on."""
    table, target = dataset.load()
    if dataset.task == "classification":
        return table, np.unique(target.to_numpy(), return_inverse=True)[1].ravel()
    return table, target.to_numpy(dtype=np.float64)


def _warm_up(trial: Trial) -> None:
    """A first fit on a toy, so that lazy imports and compilation are not timed."""
    if (trial.model, trial.dataset.task) in _warm:
        return
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    signal = table.to_numpy().sum(axis=1)
    target = (signal > 0).astype(int) if trial.dataset.task == "classification" else signal
    _fit_and_score(trial, table, target)
    _warm.add((trial.model, trial.dataset.task))


def _fit_and_score(trial: Trial, table: pd.DataFrame, target: np.ndarray) -> dict[str, object]:
    train, test = split(target, trial.dataset.task, trial.split)
    features = table if is_ours(trial.model) else numbers_or_table(table)
    fit_on, asked = _rows(features, train), _rows(features, test)
    model = _make(trial, table, target[train])
    _, fit_s, fit_cpu_s = timed(lambda: model.fit(fit_on, target[train]))
    classifies = trial.dataset.task == "classification"
    predict = model.predict_proba if classifies else model.predict
    answer, predict_s, predict_cpu_s = timed(lambda: predict(asked))
    answer = np.asarray(answer, dtype=np.float64)
    if classifies:
        scores = classification_scores(target[test], answer, np.asarray(model.classes_))
    else:
        scores = regression_scores(target[test], answer.ravel(), float(target[train].mean()))
    if hasattr(model, "close"):
        model.close()
    return {
        "n_train": len(train),
        "n_test": len(test),
        "n_features": table.shape[1],
        "fit_s": fit_s,
        "predict_s": predict_s,
        "fit_cpu_s": fit_cpu_s,
        "predict_cpu_s": predict_cpu_s,
        **scores,
    }


def _make(trial: Trial, table: pd.DataFrame, target: np.ndarray) -> Any:
    if is_ours(trial.model):
        return make_predictor(trial.model, trial.dataset.task, trial.split, trial.threads)
    setting = Setting(trial.dataset.task, trial.split, target, trial.threads, trial.paper)
    return make_peer(trial.model, setting, table)


def _rows(features: pd.DataFrame | np.ndarray, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
    if isinstance(features, pd.DataFrame):
        return features.iloc[rows].reset_index(drop=True)
    return features[rows]
