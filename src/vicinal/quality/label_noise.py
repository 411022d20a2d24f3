"""The probability that a label is wrong, from how disagreements fade away from the boundary."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Bools, Floats

#: Prior probability that no label of a table is wrong. It is high, because a rule that names a
#: few labels of a clean table accuses falsely; with less, 1 clean table in 7 with curved
#: boundaries had labels called wrong.
_PRIOR_CLEAN = 0.8
#: Shares of wrong labels that are considered, all equally probable; the first one is none.
_RATES = np.concatenate([[0.0], np.geomspace(0.003, 0.2, 18)])
#: How the log odds of a right label grow with the margin: powers, and margins at which they are 1.
_POWERS = np.array([0.5, 0.7, 1.0])
_SCALES = np.geomspace(0.01, 30.0, 40)
#: How fast right labels cease to disagree is not known, and probabilities are too high where they
#: do so more slowly than the average considered. Half the rate leaves room for that.
_CAUTION = 0.5
#: Margins are grouped into so many bins, and cut at so many times their mean.
_BINS, _WIDEST = 100, 50.0


def probability_wrong(
    margins: Floats, disagrees: Bools, n_classes: int, weights: Floats | None = None
) -> Floats:
    r"""Estimate how probably the label of each case is wrong, if the prediction disagrees.

    Parameters
    ----------
    margins : ndarray of shape (n,)
        How far each case is from cases for which another class is predicted.
    disagrees : ndarray of bool of shape (n,)
        Whether the label differs from the predicted class.
    n_classes : int
        Number of classes.
    weights : ndarray of shape (n,), optional
        Case weights.

    Returns
    -------
    ndarray of shape (n,)
        The posterior probability that the label is wrong, given that it disagrees.

    Notes
    -----
    A disagreement alone is no error: outcomes may be random. What distinguishes the two is where
    disagreements occur. Right labels disagree with probability

    .. math:: s(t) = 1 / (1 + e^{(t/\tau)^\gamma})

    at margin t: one half at the boundary between two classes, and ever more rarely away from it.
    Wrong labels, a share ε of all, occur at any margin. Together,
    :math:`r(t) = s + ε (1 - s K/(K-1))` of K classes disagree, and a disagreement is an error with
    probability ε (1 − s)/r. Both are averaged over a grid of τ, γ and ε, by their likelihoods;
    ε = 0 has a prior probability of its own. If disagreements do fade, no label is wrong.

    Margins are surprisals, quadratic for small differences and linear for large ones, so
    :math:`\gamma` = ½ is the logistic model, whose log odds are linear in the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_noise import probability_wrong
    >>> margins = np.linspace(0.0, 1.0, 400)
    >>> drawn = np.random.default_rng(0).random(400)
    >>> fading = drawn < 1 / (1 + np.exp(6 * np.sqrt(margins)))
    >>> bool(probability_wrong(margins, fading, 2).max() < 0.5)
    True
    >>> anywhere = drawn < 0.1
    >>> bool(probability_wrong(margins, anywhere, 2)[-1] > 0.95)
    True
    """
    positive = np.maximum(margins, 0.0)
    finite = np.isfinite(positive)
    middle = float(positive[finite].mean()) if finite.any() else 0.0
    if not middle > 0:  # nothing distinguishes cases near the boundary from others
        return np.zeros(len(margins))
    units = np.minimum(positive / middle, _WIDEST)
    mass = np.ones(len(units)) if weights is None else weights
    inner = np.quantile(units, np.linspace(0, 1, _BINS + 1)[1:-1])
    bins = np.searchsorted(inner, units)
    total = np.bincount(bins, weights=mass, minlength=_BINS).astype(np.float64)
    other = np.bincount(bins, weights=mass * disagrees, minlength=_BINS).astype(np.float64)
    sums = np.bincount(bins, weights=mass * units, minlength=_BINS)
    at = np.divide(sums, total, out=np.zeros(_BINS), where=total > 0)
    return _posterior(at, total, other, n_classes)[bins]


def _posterior(at: Floats, total: Floats, other: Floats, n_classes: int) -> Floats:
    """Return the probability of an error at each margin, averaged over all parameters.

    Arrays have the axes power, scale, rate, bin.
    """
    odds = (at / _SCALES[:, None]) ** _POWERS[:, None, None]
    random = 1.0 / (1.0 + np.exp(np.minimum(odds, 500.0)))[:, :, None]
    rates = _RATES[:, None]
    share = random + rates * (1.0 - random * n_classes / (n_classes - 1))
    share = np.clip(share, 1e-9, 1 - 1e-9)
    likelihood = (other * np.log(share) + (total - other) * np.log1p(-share)).sum(axis=-1)
    prior = np.full(len(_RATES), (1 - _PRIOR_CLEAN) / (len(_RATES) - 1))
    prior[0] = _PRIOR_CLEAN
    belief = np.exp(likelihood - likelihood.max()) * prior
    belief /= belief.sum()
    wrong = rates * (1.0 - random) / share
    return np.einsum("gsr,gsrb->b", belief, wrong)


def likely_wrong(
    margins: Floats,
    disagrees: Bools,
    candidates: Bools,
    n_classes: int,
    rate: float,
    weights: Floats | None = None,
) -> Bools:
    """Name candidates that are likely wrong, at a false discovery rate.

    Parameters
    ----------
    margins, disagrees, n_classes, weights
        As in `probability_wrong`.
    candidates : ndarray of bool of shape (n,)
        The labels that may be named.
    rate : float
        False discovery rate.
    """
    probabilities = probability_wrong(margins, disagrees, n_classes, weights)
    return most_probable(probabilities, candidates, _CAUTION * rate)


def most_probable(probabilities: Floats, candidates: Bools, rate: float) -> Bools:
    """Choose the largest set of candidates of which at most a share is expected to be right.

    Parameters
    ----------
    probabilities : ndarray of shape (n,)
        Probability that each label is wrong.
    candidates : ndarray of bool of shape (n,)
        The labels that may be chosen.
    rate : float
        False discovery rate.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_noise import most_probable
    >>> most_probable(np.array([0.99, 0.93, 0.5]), np.ones(3, dtype=bool), 0.05)
    array([ True,  True, False])
    """
    named = np.zeros(len(probabilities), dtype=bool)
    places = np.flatnonzero(candidates)
    # Equal probabilities are chosen together or not at all, whatever the order of the rows.
    levels, level = np.unique(-probabilities[places], return_inverse=True)
    counts = np.bincount(level, minlength=len(levels))
    false = np.cumsum((1.0 + levels) * counts) / np.maximum(np.cumsum(counts), 1)
    enough = np.flatnonzero(false <= rate + 1e-12)  # sums are rounded
    if len(enough):
        named[places] = level <= enough[-1]
    return named
