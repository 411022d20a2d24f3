"""Cases whose outcome is likely wrong: the others say something else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Bools, Floats

#: Probabilities below this are as good as none.
_LEAST = 1e-3


@dataclass(frozen=True, eq=False)
class Doubts:
    """How far each case's outcome is from what the other cases say; arrays run over cases.

    Parameters
    ----------
    score : ndarray
        The larger, the likelier is the outcome wrong. NaN where there is none.
    suggested : ndarray
        What the other cases say: an encoded value or class code.
    support : ndarray
        Classes: the probability of what is suggested. Numbers: the local scale of errors.
    likely : ndarray of bool
        Whether the outcome is more likely wrong than right.
    """

    score: Floats
    suggested: Floats
    support: Floats
    likely: Bools


def doubt_classes(codes: Floats, probabilities: Floats, weights: Floats | None = None) -> Doubts:
    """Doubt classes to which the other cases give little probability.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The class that each case has; NaN for none.
    probabilities : ndarray of shape (n, n_classes)
        What the other cases say, each case left out.
    weights : ndarray of shape (n,), optional
        Case weights.

    Notes
    -----
    The score is the surprisal of the class less that of the most probable other one, in nats: how
    strongly the other cases speak for another class. A class is likely wrong where another one is
    more probable, and at least as probable as it usually is among its own cases (confident
    learning, Northcutt and others 2021).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import doubt_classes
    >>> said = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05]])
    >>> doubts = doubt_classes(np.array([0.0, 0.0, 1.0, 1.0]), said)
    >>> doubts.likely.tolist(), doubts.suggested[3]
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
    likely = known & (support > np.nan_to_num(given, nan=2.0)) & (support >= usual[best])
    support = np.maximum(support, 0.0)
    score = np.log(support + _LEAST) - np.log(given + _LEAST)
    return Doubts(score, best.astype(np.float64), support, likely)


def classes_are_told(codes: Floats, probabilities: Floats, weights: Floats | None = None) -> bool:
    r"""Say whether the other cases tell the class of a case better than chance does.

    Where they do not, what they say is no reason to doubt anything.

    Parameters
    ----------
    codes, probabilities, weights
        As in `doubt_classes`.

    Notes
    -----
    If classes had nothing to do with what is said, case i would get
    :math:`\sum_c p_{ic} s_c` for its class on average, with the shares s. The mean over cases must
    be two of its standard errors above that.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import classes_are_told
    >>> codes = np.array([0.0, 1.0] * 10)
    >>> said = np.tile([0.6, 0.4], (20, 1))
    >>> classes_are_told(codes, said), classes_are_told(codes, np.eye(2)[codes.astype(int)])
    (False, True)
    """
    known = ~np.isnan(codes)
    own, said = codes[known].astype(np.intp), probabilities[known]
    mass = np.ones(len(own)) if weights is None else weights[known]
    total = float(mass.sum())
    if total <= 0:
        return False
    shares = np.bincount(own, weights=mass, minlength=said.shape[1]) / total
    chance = said @ shares
    error = float(np.sqrt(mass @ ((said - chance[:, None]) ** 2 @ shares))) / total
    gain = float(mass @ (said[np.arange(len(own)), own] - chance)) / total
    return gain > 2 * error


def doubt_numbers(
    errors: Floats, values: Floats, scale: Floats, *, most_expected: float = 0.5
) -> Doubts:
    """Doubt numbers that are farther from what the others say than errors of this table are.

    Parameters
    ----------
    errors : ndarray of shape (n,)
        Outcome less what the other cases say, each case left out; NaN for none.
    values : ndarray of shape (n,)
        What the other cases say.
    scale : ndarray of shape (n,)
        How large errors are expected to be about there.
    most_expected : float
        Numbers are likely wrong where fewer than so many errors as large are expected in the
        whole table, by how fast large errors thin out.

    Notes
    -----
    The score is the size of the error in units of the local scale. Beyond the 90 % quantile q
    scores are taken to thin out exponentially, at the pace they have between there and the 98 %
    quantile, which single wrong values do not reach: of n cases :math:`0.1 n e^{-(s - q)/b}`
    are expected beyond s.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import doubt_numbers
    >>> errors = np.append(np.linspace(-1, 1, 99), 30.0)
    >>> np.flatnonzero(doubt_numbers(errors, np.zeros(100), np.ones(100)).likely)
    array([99])
    """
    score = np.abs(errors) / scale
    known = score[~np.isnan(score)]
    if not len(known):
        return Doubts(score, values, scale, np.zeros(len(score), dtype=bool))
    start, end = np.quantile(known, [0.9, 0.98])
    # Between the two quantiles the exponential falls by a factor of 5.
    pace = max((end - start) / np.log(5.0), np.finfo(float).tiny)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = 0.1 * len(known) * np.exp(-(score - start) / pace)
    return Doubts(score, values, scale, (score > end) & (expected < most_expected))
