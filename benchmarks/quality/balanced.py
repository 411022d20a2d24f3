"""Balanced classes for models that take sample weights but no class weights."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_sample_weight


class BalancedWeights(BaseEstimator):
    """A classifier whose classes weigh the same in training, however rare they are.

    Parameters
    ----------
    model
        The classifier; its ``fit`` takes ``sample_weight``.
    """

    def __init__(self, model: BaseEstimator) -> None:
        self.model = model

    def fit(self, X: object, y: np.ndarray) -> BalancedWeights:
        self.model.fit(X, y, sample_weight=compute_sample_weight("balanced", y))
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: object) -> np.ndarray:
        return self.model.predict_proba(X)
