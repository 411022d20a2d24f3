"""Anomaly detectors of PyOD, with its defaults, and our own, behind one small face.

A detector here answers with scores that are higher for stranger rows, has the scores of its
training rows (each judged without itself where the method can), a fixed threshold (the library's
default, which for PyOD means a tenth of the training rows) and one for a share of false alarms.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from benchmarks.quality.ours import make

OURS: dict[str, dict[str, object]] = {
    "vicinal": {},
    "vicinal-familiarity": {"conviction": "familiarity"},
    "vicinal-robust": {"robust": True},
}


class PyodDetector:
    """A PyOD model on standardised columns; most of them compare sizes."""

    def __init__(self, module: str, kind: str, options: dict[str, object]) -> None:
        self._make: Callable[..., Any] = getattr(import_module(f"pyod.models.{module}"), kind)
        self._options = options

    def fit(self, rows: np.ndarray) -> PyodDetector:
        self._scaler = StandardScaler().fit(rows)
        scaled = self._scaler.transform(rows)
        options = dict(self._options)
        if "n_features" in options:
            options["n_features"] = rows.shape[1]
        self._model = self._make(**options)
        with contextlib.redirect_stdout(io.StringIO()):
            self._model.fit(scaled)
        self.training_scores = np.asarray(self._model.decision_scores_, dtype=np.float64)
        self.threshold = float(self._model.threshold_)
        return self

    def calibrated(self, rows: np.ndarray, share: float) -> float:
        """The score that this share of the training rows exceeds."""
        return float(np.quantile(self.training_scores, 1 - share))

    def score(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._model.decision_function(self._scaler.transform(rows)))


class OurDetector:
    """``VicinalOutlierDetector``: the score is minus the log conviction."""

    def __init__(self, name: str, seed: int, threads: int) -> None:
        self._model = make("VicinalOutlierDetector", name, seed, threads, OURS)

    def fit(self, rows: np.ndarray) -> OurDetector:
        self._model.fit(rows)
        self.training_scores = np.asarray(self._model.decision_scores_, dtype=np.float64)
        self.threshold = -float(self._model.offset_)
        return self

    def calibrated(self, rows: np.ndarray, share: float) -> float:
        """The same with this contamination: by default, scores of training rows are moved."""
        again = clone(self._model).set_params(contamination=share).fit(rows)
        return float(np.quantile(again.decision_scores_, 1 - share))

    def score(self, rows: np.ndarray) -> np.ndarray:
        return -np.asarray(self._model.score_samples(rows))


@dataclass(frozen=True)
class Peer:
    """Where PyOD keeps a model, and the options it is made with."""

    module: str
    kind: str
    package: str = "pyod"
    seeded: bool = False
    options: tuple[tuple[str, object], ...] = ()


PEERS = {
    "knn": Peer("knn", "KNN"),
    "lof": Peer("lof", "LOF"),
    "iforest": Peer("iforest", "IForest", seeded=True),
    "ecod": Peer("ecod", "ECOD"),
    "cblof": Peer("cblof", "CBLOF", seeded=True),
    "ocsvm": Peer("ocsvm", "OCSVM"),
    "copod": Peer("copod", "COPOD"),
    "hbos": Peer("hbos", "HBOS"),
    "mcd": Peer("mcd", "MCD", seeded=True),
    # 20 epochs as in the paper; the number of columns is only known at fit.
    "deepsvdd": Peer(
        *("deep_svdd", "DeepSVDD", "torch", True),
        (("n_features", None), ("epochs", 20), ("verbose", 0)),
    ),
}


def make_detector(name: str, seed: int, threads: int) -> PyodDetector | OurDetector:
    """The detector of that name."""
    if name not in PEERS:
        return OurDetector(name, seed, threads)
    peer = PEERS[name]
    options = dict(peer.options)
    if peer.seeded:
        options["random_state"] = seed
    return PyodDetector(peer.module, peer.kind, options)


def repeats_itself(name: str) -> bool:
    """Whether the same rows always give the same scores, whatever the seed."""
    return name not in PEERS or not PEERS[name].seeded
