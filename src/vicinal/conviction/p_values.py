"""From convictions to decisions: p-values, false discoveries, and doubtful training cases."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.tail import Tail, fit_tail
from vicinal.typing import Bools, Floats

#: Below this p-value ranks are too coarse, and the fitted tail alone tells.
_SMALL = 0.01


def p_values(conviction: Floats, reference: Floats, weights: Floats | None = None) -> Floats:
    """Return the share of reference cases that are at least as surprising, conformally.

    It is (1 + number of reference cases with at most this conviction) / (n + 1): for a case of
    the same distribution, a p-value below α has at most probability α, whatever the distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.p_values import p_values
    >>> p_values(np.array([0.1, 1.0]), np.array([0.5, 0.9, 1.1])).tolist()
    [0.25, 0.75]
    """
    below, total = _mass_at_most(conviction, reference, weights)
    return (1.0 + below) / (1.0 + total)


def own_p_values(conviction: Floats, weights: Floats | None = None) -> Floats:
    """Return the p-values of the stored cases among themselves: the share as surprising.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.p_values import own_p_values
    >>> own_p_values(np.array([0.5, 0.9, 1.1, 0.2])).tolist()
    [0.5, 0.75, 1.0, 0.25]
    """
    if weights is None:
        _, place, ties = np.unique(conviction, return_inverse=True, return_counts=True)
        return np.cumsum(ties)[place] / len(conviction)
    below, total = _mass_at_most(conviction, conviction, weights)
    return below / total if len(conviction) else below


def tail_p_values(conviction: Floats, p: Floats, tail: Tail, own: Floats | None = None) -> Floats:
    """Return p-values by the fitted tail where they are small, else those by rank, if larger.

    Parameters
    ----------
    conviction : ndarray
        Convictions.
    p : ndarray
        Their p-values by rank, which tell more than the fit unless they are small.
    tail : Tail
        The tail of the log convictions of the cases.
    own : ndarray, optional
        For rows that are such cases, their weights, of which a unit is left out; else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.p_values import own_p_values, tail_p_values
    >>> from vicinal.conviction.tail import fit_tail
    >>> conviction = np.append(np.exp(np.random.default_rng(0).normal(size=99) / 5), 1e-3)
    >>> tail = fit_tail(-np.log(conviction))
    >>> bool(tail_p_values(conviction, own_p_values(conviction), tail)[-1] < 1e-4)
    True
    """
    fitted = tail.p_values(-np.log(conviction), own)
    return np.where(fitted < _SMALL, fitted, np.fmax(fitted, p))


def controlled_offset(scores: Floats, weights: Floats | None, rate: float) -> float:
    """Return the log conviction below which cases are anomalies at a false discovery rate.

    If there are none, it is that of a case that would be the only one.
    """
    tail, conviction = fit_tail(-scores, weights), np.exp(scores)
    own = np.ones(len(scores)) if weights is None else weights
    p = tail_p_values(conviction, own_p_values(conviction, weights), tail, own)
    found = discoveries(p, rate)
    if not found.any():
        return -tail.score_at(min(rate / max(len(scores), 1), _SMALL))
    rest = scores[~found]
    return float((scores[found].max() + (rest.min() if len(rest) else 0.0)) / 2)


def _mass_at_most(
    conviction: Floats, reference: Floats, weights: Floats | None
) -> tuple[Floats, float]:
    order = np.argsort(reference, kind="stable")
    mass = np.ones(len(reference)) if weights is None else weights[order]
    reached = np.concatenate([[0.0], np.cumsum(mass)])
    return reached[np.searchsorted(reference[order], conviction, side="right")], reached[-1]


def discoveries(p: Floats, rate: float) -> Bools:
    """Flag cases so that at most this share of the flags is expected to be false.

    Benjamini and Hochberg: with the p-values in order, all up to the last that is at most
    ``rate · rank / number``. The rate holds for p-values that are independent or depend on each
    other positively, as do conformal p-values that share their reference cases (Bates and others,
    2023).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.p_values import discoveries
    >>> discoveries(np.array([0.9, 0.01, 0.04, 0.3]), 0.1).tolist()
    [False, True, True, False]
    """
    ordered = np.sort(p)
    passed = np.flatnonzero(ordered <= rate * np.arange(1, len(p) + 1) / len(p))
    limit = ordered[passed[-1]] if len(passed) else -1.0
    return p <= limit
