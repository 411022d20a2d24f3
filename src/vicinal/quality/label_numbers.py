"""Numbers that are far from what the other cases suggest."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.p_values import discoveries
from vicinal.quality.findings import LabelErrors
from vicinal.typing import Floats

#: Numbers are surprising if fewer errors of that size than this are expected in the whole table,
#: should large errors become rare exponentially.
_MOST_EXPECTED = 0.5


def suspect_numbers(
    errors: Floats,
    values: Floats,
    scale: Floats,
    *,
    false_discovery_rate: float = 0.05,
) -> LabelErrors:
    r"""Suspect numbers whose prediction errors are unusually large for this table.

    Parameters
    ----------
    errors : ndarray of shape (n,)
        Outcome minus leave-one-out prediction; NaN if there is no outcome.
    values : ndarray of shape (n,)
        The predictions.
    scale : ndarray of shape (n,)
        Expected size of the errors near each prediction.
    false_discovery_rate : float
        Expected share of right numbers among those called likely wrong.

    Notes
    -----
    The score s is the size of the error in units of the local scale. Its quantiles at 90 % (q) and
    98 % show how fast large errors become rare; a few wrong values do not affect them. Surprising
    numbers assume that they do so exponentially: :math:`0.1 e^{-(s - q)/b}` of the cases are
    beyond s. Likely errors assume only a power law, :math:`0.1 (s/q)^{-a}`, because the errors of
    right numbers may have heavy tails; these p-values are compared by Benjamini and Hochberg.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.label_numbers import suspect_numbers
    >>> errors = np.append(np.linspace(-1, 1, 99), 30.0)
    >>> np.flatnonzero(suspect_numbers(errors, np.zeros(100), np.ones(100)).likely)
    array([99])
    """
    score = np.abs(errors) / scale
    known = score[~np.isnan(score)]
    if not len(known):
        nothing = np.zeros(len(score), dtype=bool)
        return LabelErrors(score, values, scale, nothing, nothing)
    start, end = np.quantile(known, [0.9, 0.98])
    # Between the two quantiles both laws fall by a factor of 5.
    pace = max((end - start) / np.log(5.0), np.finfo(float).tiny)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        expected = 0.1 * len(known) * np.exp(-(score - start) / pace)
        power = np.log(5.0) / max(np.log(end / start), 1e-9) if start > 0 else np.inf
        p_values = np.where(score > end, 0.1 * (score / start) ** -power, 1.0)
    p_values[np.isnan(p_values)] = 1.0
    surprising = (score > end) & (expected < _MOST_EXPECTED)
    likely = discoveries(p_values, false_discovery_rate)
    return LabelErrors(score, values, scale, surprising, likely)
