"""A model of either side fitted on some rows of a table, timed, and asked about others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.ours import is_ours, make_predictor
from benchmarks.quality.peers import ALL_PEERS, Setting, make_peer
from benchmarks.quality.prepare import numbers_or_table
from benchmarks.quality.stopwatch import timed

TIMES = ("fit_s", "predict_s", "fit_cpu_s", "predict_cpu_s")
_warm: set[tuple[str, str]] = set()


@dataclass(frozen=True)
class Predictions:
    """Class probabilities (with the classes of their columns) or numbers, and the seconds.

    ``answers`` are the classes predicted, where these need not be the likeliest.
    """

    values: np.ndarray
    classes: np.ndarray
    seconds: dict[str, float]
    answers: np.ndarray | None = None


def package_of(name: str) -> str:
    """The distribution that a model comes from."""
    return "vicinal" if is_ours(name) else ALL_PEERS[name].package


def fit_and_predict(
    name: str, setting: Setting, table: pd.DataFrame, train: np.ndarray, test: np.ndarray
) -> Predictions:
    """Fit on the rows ``train``, whose target is in the setting, and predict the rows ``test``.

    Our models get the table as it is, peers what :meth:`Peer.steps` makes of it.
    """
    X_train, X_test = features_of(name, table, train), features_of(name, table, test)
    model = _make(name, setting, table)
    _, fit_s, fit_cpu_s = timed(lambda: model.fit(X_train, setting.target))
    predict = model.predict_proba if setting.classifies else model.predict
    values, predict_s, predict_cpu_s = timed(lambda: predict(X_test))
    classes = np.asarray(model.classes_) if setting.classifies else np.empty(0)
    # Our class weights leave probabilities as they are and change decisions alone.
    decides = is_ours(name) and getattr(model, "class_weight", None) is not None
    answers = np.asarray(model.predict(X_test)) if decides else None
    if hasattr(model, "close"):
        model.close()
    seconds = dict(zip(TIMES, (fit_s, predict_s, fit_cpu_s, predict_cpu_s), strict=True))
    values = np.asarray(values, dtype=np.float64)
    values = values if setting.classifies else values.ravel()
    return Predictions(values, classes, seconds, answers)


def fitted_model(name: str, setting: Setting, table: pd.DataFrame, train: np.ndarray) -> Any:
    """Fit on the rows ``train``, whose target is in the setting."""
    return _make(name, setting, table).fit(features_of(name, table, train), setting.target)


def features_of(name: str, table: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
    """Some rows in the form in which a model takes them."""
    return _rows(table if is_ours(name) else numbers_or_table(table), rows)


def warm_up(name: str, setting: Setting) -> None:
    """A first fit on a toy, so that lazy imports and compilation are not timed."""
    if (name, setting.task) in _warm:
        return
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    signal = table.to_numpy().sum(axis=1)
    target = (signal > 0).astype(int) if setting.classifies else signal
    rows = np.arange(60)
    fit_and_predict(name, replace(setting, target=target[:45]), table, rows[:45], rows[45:])
    _warm.add((name, setting.task))


def _make(name: str, setting: Setting, table: pd.DataFrame) -> Any:
    if is_ours(name):
        return make_predictor(name, setting.task, setting.seed, setting.threads)
    return make_peer(name, setting, table)


def _rows(features: pd.DataFrame | np.ndarray, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
    if isinstance(features, pd.DataFrame):
        return features.iloc[rows].reset_index(drop=True)
    return features[rows]
