"""Familiarity conviction: how little one case changes the distribution of contributions."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.baseline import Baseline
from vicinal.conviction.new_rows import Entries
from vicinal.formulas import familiarity_divergence, most_divergent_share
from vicinal.typing import Floats

#: A case whose share is exactly 1/n would be infinitely familiar; more than this says nothing.
MOST = 1e6

#: Shares below this are summed by a series, which nine terms bring to full precision.
_LIGHT = 0.004
_TERMS = 10


def familiarity(phi: Floats, weights: Floats | None = None) -> Floats:
    """Return the familiarity conviction of every case: mean divergence by its own.

    The divergence of a case that has nearly all of the distance would fall again (see
    `most_divergent_share`), and the strangest of all cases would look familiar. From that share
    on it grows in proportion instead.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.familiarity import familiarity
    >>> familiarity(np.array([1.0, 1.0, 1.0, 5.0])).round(3)
    array([1.574, 1.574, 1.574, 0.477])
    """
    if not len(phi):
        return np.empty(0)
    mass = np.ones(len(phi)) if weights is None else weights
    divergence = _divergence(phi / (mass @ phi), mass.sum())
    return _ratio(mass @ divergence / mass.sum(), divergence)


def _divergence(share: Floats, count: float) -> Floats:
    """Return the divergence of each share, growing up to the last."""
    most = most_divergent_share(count)
    within = np.minimum(share, most)
    return np.asarray(familiarity_divergence(within, count) * (share / within))


def familiarity_of_new_rows(phi: Floats, entered: Entries, stored: Baseline) -> Floats:
    r"""Return the familiarity conviction of new cases, each as if it alone were added.

    Adding a case changes the sum of all contributions, hence every share and every divergence.
    The sum of the divergences over n + 1 cases, with total Σ and shares l = φ/Σ, is

    .. math:: \sum_j \ln(1 + \tfrac{1}{n+1} - l_j)
              + \tfrac1\Sigma \sum_j \phi_j \ln \phi_j + \ln\frac{n+1}{\Sigma}.

    The second sum changes only where contributions do. The first is a power series in 1/Σ whose
    coefficients are sums of powers of φ, but for the few cases with large shares. So a new case
    costs a few operations, not n.
    """
    if not len(stored.numbers):
        return np.ones(len(phi))
    mass = np.ones(len(stored.numbers)) if stored.weights is None else stored.weights
    old, new = stored.contribution[entered.places], entered.contribution
    changed = mass[entered.places]

    def per_row(values: Floats) -> Floats:
        sums = np.bincount(entered.rows, weights=changed * values, minlength=len(phi))
        return sums.astype(np.float64)  # without entries numpy counts in integers

    total = mass @ stored.contribution + per_row(new - old) + phi
    count = float(mass.sum() + 1.0)
    entropy = mass @ _plogp(stored.contribution) + per_row(_plogp(new) - _plogp(old)) + _plogp(phi)
    logs, beyond = _sum_of_logs(phi, total, count, entered, stored)
    mean = (logs + entropy / total + np.log(count / total) + beyond) / count
    return _ratio(np.maximum(mean, 0.0), _divergence(phi / total, count))


def _plogp(phi: Floats) -> Floats:
    return phi * np.log(phi)


def _sum_of_logs(
    phi: Floats, total: Floats, count: float, entered: Entries, stored: Baseline
) -> tuple[Floats, Floats]:
    """Return Σ ln(1 + 1/n − share) for each row, and what shares beyond the most add."""
    mass = np.ones(len(stored.numbers)) if stored.weights is None else stored.weights
    most, old = 1.0 + 1.0 / count, stored.contribution
    # What is heavy does not depend on the rows, so that no row depends on the others.
    heavy = (old > _LIGHT * (mass @ old)) & (mass > 0)
    light, light_mass = old[~heavy], mass[~heavy]
    logs = np.log(most - phi / total) + light_mass.sum() * np.log(most)
    for t in range(1, _TERMS):
        logs -= (light_mass @ light**t) / t / (most * total) ** t
    some = ~heavy[entered.places] & (mass[entered.places] > 0)
    rows, place, new = entered.rows[some], entered.places[some], entered.contribution[some]
    change = np.log(most - new / total[rows]) - np.log(most - old[place] / total[rows])
    logs += np.bincount(rows, weights=mass[place] * change, minlength=len(phi))
    beyond = _beyond(phi / total, count)
    for j in np.flatnonzero(heavy):
        now = np.full(len(phi), old[j])
        now[entered.rows[entered.places == j]] = entered.contribution[entered.places == j]
        logs += mass[j] * np.log(most - now / total)
        beyond += mass[j] * _beyond(now / total, count)
    return logs, beyond


def _beyond(share: Floats, count: float) -> Floats:
    """Return by how much `_divergence` exceeds the closed form."""
    return _divergence(share, count) - familiarity_divergence(share, count)


def _ratio(mean: Floats | float, divergence: Floats) -> Floats:
    """Return mean by divergence; 1 where all are alike, and never more than `MOST`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(mean / divergence)
    alike = np.broadcast_to(mean, ratio.shape) <= np.finfo(float).tiny
    return np.where(alike, 1.0, np.minimum(ratio, MOST))
