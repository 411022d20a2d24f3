"""Howso Engine, the product of the paper's authors, behind ``fit`` and ``predict``.

Wanted in an environment of its own; its own scikit-learn wrapper is not used because it
cannot be pickled and refuses some tables that the engine takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

TARGET = "__target__"


class HowsoModel(BaseEstimator):
    """Train, analyze for the target, react.

    Parameters
    ----------
    task
        ``"classification"`` (the target is nominal) or ``"regression"``.
    seed
        The engine's random seed.
    """

    def __init__(self, task: str, seed: int = 0) -> None:
        self.task = task
        self.seed = seed

    def fit(self, X: pd.DataFrame | np.ndarray, y: np.ndarray) -> HowsoModel:
        from howso.client.pandas import HowsoPandasClient
        from howso.engine import Trainee
        from howso.utilities import infer_feature_attributes

        table = _named(X)
        self.context_ = list(table)
        # The engine keeps strings apart from numbers, so class codes travel as strings.
        target = [str(v) for v in y] if self.task == "classification" else np.asarray(y, float)
        cases = table.assign(**{TARGET: target})
        kind = "nominal" if self.task == "classification" else "continuous"
        attributes = infer_feature_attributes(cases, types={TARGET: kind})
        self.trainee_ = Trainee(
            features=attributes,
            persistence="never",
            client=HowsoPandasClient(version_check=False),
        )
        self.trainee_.set_random_seed(self.seed)
        self.trainee_.train(cases)
        self.trainee_.analyze(context_features=self.context_, action_features=[TARGET])
        if self.task == "classification":
            self.classes_ = np.unique(y)
        return self

    def predict(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        reaction = self._react(X)
        return np.asarray(reaction["action"][TARGET], dtype=np.float64)

    def predict_proba(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        details = {"categorical_action_probabilities": True}
        reaction = self._react(X, details=details)
        rows = reaction["details"]["categorical_action_probabilities"]
        return np.array(
            [[row[TARGET].get(str(c), 0.0) for c in self.classes_] for row in rows], dtype=float
        )

    def close(self) -> None:
        """Free the engine's memory; it keeps every trainee until told."""
        self.trainee_.delete()

    def _react(self, X: pd.DataFrame | np.ndarray, **options: object) -> dict[str, Any]:
        return self.trainee_.react(
            _named(X),
            context_features=self.context_,
            action_features=[TARGET],
            suppress_warning=True,
            **options,
        )


def _named(X: pd.DataFrame | np.ndarray) -> pd.DataFrame:
    values = X.to_numpy() if isinstance(X, pd.DataFrame) else np.asarray(X)
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])]).infer_objects()
