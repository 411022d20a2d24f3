"""The figures of one prediction: classes with their probabilities, or numbers."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats
from sklearn import metrics

CLASSIFICATION = ("accuracy", "balanced_accuracy", "mcc", "auc", "log_loss")
REGRESSION = ("r2", "mae", "rmse", "spearman", "baseline_mae", "baseline_rmse")
SMALLEST_PROBABILITY = 1e-15


def classification_scores(
    truth: np.ndarray,
    probabilities: np.ndarray,
    classes: np.ndarray,
    answer: np.ndarray | None = None,
) -> dict[str, float]:
    """Scores of class probabilities and answers; these are the likeliest classes by default.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> s = classification_scores(np.array([0, 1]), p, np.array([0, 1]))
    >>> s["accuracy"], round(s["log_loss"], 4)
    (1.0, 0.3466)
    """
    if not np.all(np.isfinite(probabilities)):
        raise ValueError("some probabilities are not finite")
    if answer is None:
        answer = classes[np.argmax(probabilities, axis=1)]
    with warnings.catch_warnings():
        # A class that is answered but absent from the test rows is no news here.
        warnings.simplefilter("ignore")
        balanced = metrics.balanced_accuracy_score(truth, answer)
    return {
        "accuracy": float(metrics.accuracy_score(truth, answer)),
        "balanced_accuracy": float(balanced),
        "mcc": float(metrics.matthews_corrcoef(truth, answer)),
        "auc": auc(truth, probabilities, classes),
        "log_loss": log_loss(truth, probabilities, classes),
    }


def auc(truth: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    """Area under the ROC curve; of several classes the mean of one against the rest.

    The mean is over the classes of the test rows. NaN where these have a single class.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])
    >>> auc(np.array([0, 1, 1]), p, np.array([0, 1]))
    1.0
    """
    present = np.unique(truth)
    if len(present) < 2:
        return float("nan")
    # One area is enough for two classes: the other one is the same.
    wanted = present[1:] if len(classes) == 2 else present
    of_class = {value: column for column, value in enumerate(classes)}
    nothing = np.zeros(len(truth))
    areas = [
        metrics.roc_auc_score(
            truth == value,
            probabilities[:, of_class[value]] if value in of_class else nothing,
        )
        for value in wanted
    ]
    return float(np.mean(areas))


def log_loss(truth: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    """Mean surprisal (nats) of the true classes, probabilities clipped at 1e-15.

    Examples
    --------
    >>> import numpy as np
    >>> certain_and_wrong = np.array([[1.0, 0.0]])
    >>> round(log_loss(np.array([1]), certain_and_wrong, np.array([0, 1])), 2)
    34.54
    """
    hit = truth[:, None] == classes[None, :]
    of_truth = np.sum(np.where(hit, probabilities, 0.0), axis=1)
    return float(-np.mean(np.log(np.clip(of_truth, SMALLEST_PROBABILITY, 1.0))))


def regression_scores(
    truth: np.ndarray, answer: np.ndarray, training_mean: float
) -> dict[str, float]:
    """Scores of predicted numbers, with the errors of always answering the mean.

    Examples
    --------
    >>> import numpy as np
    >>> s = regression_scores(np.array([0.0, 2.0]), np.array([0.0, 1.0]), 1.0)
    >>> s["r2"], s["mae"], s["baseline_mae"], round(s["spearman"], 6)
    (0.5, 0.5, 1.0, 1.0)
    """
    if not np.all(np.isfinite(answer)):
        raise ValueError(f"{int(np.sum(~np.isfinite(answer)))} predictions are not finite")
    error, baseline = answer - truth, training_mean - truth
    varied = np.ptp(truth) > 0 and np.ptp(answer) > 0
    return {
        "r2": float(metrics.r2_score(truth, answer)),
        "mae": float(np.mean(np.abs(error))),
        "rmse": float(np.sqrt(np.mean(error**2))),
        "spearman": float(stats.spearmanr(truth, answer).statistic) if varied else 0.0,
        "baseline_mae": float(np.mean(np.abs(baseline))),
        "baseline_rmse": float(np.sqrt(np.mean(baseline**2))),
    }
