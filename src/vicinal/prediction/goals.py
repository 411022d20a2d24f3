"""What a decision may be tuned for: measures of predicted classes, as functions of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.typing import Floats, Places

#: Variances below this are rounding errors: all predictions, or all cases, are of one class.
_NO_VARIANCE = 1e-12


def counts(truth: Places, chosen: Places, masses: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """Return the weight of the correct predictions of each class, and that of all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.prediction.goals import counts
    >>> counts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones(3), 2)
    (array([1., 1.]), array([2., 1.]))
    """
    hits, predicted = np.zeros(n_classes), np.zeros(n_classes)
    np.add.at(predicted, chosen, masses)
    np.add.at(hits, truth, masses * (truth == chosen))
    return hits, predicted


def accuracy(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    """Return the share of correct predictions."""
    return hits.sum(axis=-1) / true.sum()


def balanced_accuracy(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    """Return the mean recall of the classes that occur."""
    there = true > 0
    return (hits[..., there] / true[there]).mean(axis=-1)


def f1(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    """Return the F1 score of the second of two classes, or else the mean over those that occur."""
    scores = 2 * hits / np.maximum(predicted + true, np.finfo(np.float64).tiny)
    return scores[..., 1] if len(true) == 2 else scores[..., true > 0].mean(axis=-1)


def mcc(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    """Return Matthews' correlation coefficient of any number of classes; 0 if undefined."""
    total = true.sum()
    predicted, true = predicted / total, true / total
    covariance = hits.sum(axis=-1) / total - (predicted * true).sum(axis=-1)
    variances = (1.0 - (predicted**2).sum(axis=-1)) * (1.0 - (true**2).sum())
    defined = variances > _NO_VARIANCE
    return np.where(defined, covariance / np.sqrt(np.where(defined, variances, 1.0)), 0.0)


#: The goals by name: functions of the weight of correct predictions, of all predictions and of
#: all cases, each by class; the first two may have several rows.
GOALS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1": f1,
    "mcc": mcc,
}
