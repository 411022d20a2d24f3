"""Classes that the other cases do not suggest: surprising ones, and which may be called wrong."""

from __future__ import annotations

import numpy as np

from vicinal.quality.findings import LabelErrors
from vicinal.typing import Bools, Floats, Ints

#: Added to probabilities before their logarithm is taken, so that scores stay finite.
_SMALLEST_PROBABILITY = 1e-3
#: Predictions are evidence of errors only if they agree with so many of all labels beyond chance
#: (Cohen's kappa), and with so many of the labels of a class. Otherwise outcomes are too random to
#: call any of them wrong.
_AGREEMENT, _CLASS_AGREEMENT = 0.7, 0.5


def suspect_classes(
    codes: Floats, probabilities: Floats, weights: Floats | None = None
) -> LabelErrors:
    """Suspect classes to which the other cases give little probability.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The class that each case has; NaN for none.
    probabilities : ndarray of shape (n, n_classes)
        Leave-one-out predictions.
    weights : ndarray of shape (n,), optional
        Case weights.

    Notes
    -----
    The score is the surprisal of the class less that of the most probable other one, in nats: how
    strongly the other cases support another class. A class is surprising if another one is more
    probable, and at least as probable as it usually is for its own cases (confident learning,
    Northcutt et al. 2021). That does not make it wrong: where outcomes are random, some of them
    are surprising.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_classes import suspect_classes
    >>> predicted = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05]])
    >>> errors = suspect_classes(np.array([0.0, 0.0, 1.0, 1.0]), predicted)
    >>> errors.surprising.tolist(), errors.suggested[3]
    ([False, False, False, True], np.float64(0.0))
    """
    known = ~np.isnan(codes)
    own = np.where(known, codes, 0.0).astype(np.intp)
    rows = np.arange(len(codes))
    given = np.where(known, probabilities[rows, own], np.nan)
    mass = known * (1.0 if weights is None else weights)
    total = np.bincount(own, weights=mass, minlength=probabilities.shape[1])
    sums = np.bincount(own, weights=mass * np.nan_to_num(given), minlength=probabilities.shape[1])
    usual = np.divide(sums, total, out=np.ones_like(sums), where=total > 0)
    others = probabilities.copy()
    others[rows[known], own[known]] = -1.0
    best = others.argmax(axis=1)
    support = others[rows, best]
    surprising = known & (support > np.nan_to_num(given, nan=2.0)) & (support >= usual[best])
    support = np.maximum(support, 0.0)
    score = np.log(support + _SMALLEST_PROBABILITY) - np.log(given + _SMALLEST_PROBABILITY)
    nothing = np.zeros(len(codes), dtype=bool)
    return LabelErrors(score, best.astype(np.float64), support, surprising, nothing)


def classes_are_predictable(
    codes: Floats, probabilities: Floats, weights: Floats | None = None
) -> bool:
    r"""Return whether the other cases predict the class of a case better than chance.

    If they do not, their predictions are no evidence of label errors.

    Parameters
    ----------
    codes, probabilities, weights
        As in `suspect_classes`.

    Notes
    -----
    If classes were independent of the predictions, case i would get :math:`\sum_c p_{ic} s_c` for
    its class on average, with class frequencies s. The mean over cases must exceed this by two
    standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_classes import classes_are_predictable
    >>> codes = np.array([0.0, 1.0] * 10)
    >>> classes_are_predictable(codes, np.tile([0.6, 0.4], (20, 1)))
    False
    >>> classes_are_predictable(codes, np.eye(2)[codes.astype(int)])
    True
    """
    known = ~np.isnan(codes)
    own, predicted = codes[known].astype(np.intp), probabilities[known]
    mass = np.ones(len(own)) if weights is None else weights[known]
    total = float(mass.sum())
    if total <= 0:
        return False
    shares = np.bincount(own, weights=mass, minlength=predicted.shape[1]) / total
    chance = predicted @ shares
    error = float(np.sqrt(mass @ ((predicted - chance[:, None]) ** 2 @ shares))) / total
    gain = float(mass @ (predicted[np.arange(len(own)), own] - chance)) / total
    return gain > 2 * error


def contestable(codes: Floats, predicted: Ints, weights: Floats | None = None) -> Bools:
    """Return which labels may be called wrong because a prediction disagrees.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The class that each case has; NaN for none.
    predicted : ndarray of int of shape (n,)
        The class that the other cases predict.
    weights : ndarray of shape (n,), optional
        Case weights.

    Notes
    -----
    Predictions must agree with the labels substantially: Cohen's kappa, their agreement beyond
    chance, must be at least 0.7, which is 85 % of the labels of two equally frequent classes.
    Where three of four cases have the same label, that is little more than chance. They must also
    agree with more than half of the labels of the same class: one that is seldom recognized is
    rare or random, not mislabeled.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_classes import contestable
    >>> codes = np.array([0.0] * 9 + [1.0])
    >>> contestable(codes, np.zeros(10, dtype=int)).any()  # no case of class 1 is recognized
    np.False_
    """
    known = ~np.isnan(codes)
    own = np.where(known, codes, 0.0).astype(np.intp)
    mass = known * (1.0 if weights is None else weights)
    agreeing = mass * (predicted == own)
    size = int(max(own.max(initial=0), predicted.max(initial=0))) + 1
    of_class, given = (np.bincount(one, weights=mass, minlength=size) for one in (own, predicted))
    total = float(mass.sum())
    chance = float(of_class @ given) / max(total, 1e-300)
    if not agreeing.sum() - chance >= _AGREEMENT * (total - chance):
        return np.zeros(len(codes), dtype=bool)
    right = np.bincount(own, weights=agreeing, minlength=size)
    recognized = right > _CLASS_AGREEMENT * of_class
    return known & (predicted != own) & recognized[own]
