"""Compute the influence of the nearest cases on a prediction."""

from __future__ import annotations

import numpy as np

from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.index.shares import centered_shares
from vicinal.typing import Floats

#: Rules that use the directions of neighbors, not only their distances.
BALANCED = ("centered", "linear")


def total_excess(distances: Floats, metric: Metric) -> Floats:
    """Return the excess of distances over that of equal cases, times the sum of the weights.

    A distance is a mean; the sum grows with the weights, which are learned. For p = 1 it is
    the weighted sum of the excess terms.
    """
    return np.maximum(distances - SAME, 0.0) * metric.total


def kernel_shares(logits: Floats) -> Floats:
    """Return shares ∝ exp(logit), each row summing to 1; −∞ means no case."""
    shares: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def influence_shares(
    rule: str,
    distances: Floats,
    offsets: Floats | None,
    *,
    bandwidth: float,
    ridge: float,
    counts: Floats | None = None,
) -> Floats:
    """Return the influence of each neighbor.

    Parameters
    ----------
    rule : {"inverse", "probability", "centered", "linear"}
        ``inverse``: ∝ 1/distance^bandwidth, as in the paper. ``probability``: ∝ exp(−bandwidth ·
        total excess). ``centered``: the shares closest to those of ``probability`` whose weighted
        mean lies on the query, up to the ridge; positive, like the two before. ``linear``: ridge
        local linear regression, where influences may be negative.
    distances : ndarray of shape (m, k)
        Total excess of each neighbor, for ``inverse`` its distance; infinite where there is no
        neighbor.
    offsets : ndarray of shape (m, k, d'), optional
        From `case_offsets`; not used by the first two rules.
    bandwidth, ridge : float
        As above.
    counts : ndarray of shape (m, k), optional
        Weight of each neighbor.

    Returns
    -------
    ndarray of shape (m, k)
        Every row sums to 1.
    """
    logits = kernel_logits(rule, distances, bandwidth, log_counts(counts))
    if rule not in BALANCED or not np.isfinite(ridge):
        return kernel_shares(logits)
    assert offsets is not None, "balance needs offsets"
    return centered_shares(logits, offsets * np.sqrt(bandwidth), ridge, linear=rule == "linear")


def log_counts(counts: Floats | None) -> Floats | float:
    """Return the logarithms of what neighbors count; −∞ for one that does not."""
    if counts is None:
        return 0.0
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(counts)
    return logs


def kernel_logits(rule: str, distances: Floats, bandwidth: float, logs: Floats | float) -> Floats:
    """Return the logarithms of the kernel, −∞ if there is no neighbor; see `log_counts`."""
    with np.errstate(divide="ignore"):
        logits: Floats = logs - bandwidth * (np.log(distances) if rule == "inverse" else distances)
    return logits
