"""Familiarity conviction: how little one case changes the distribution of contributions."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.baseline import Baseline
from vicinal.conviction.contribution_sums import TERMS, ContributionSums
from vicinal.conviction.new_rows import Entries
from vicinal.formulas import familiarity_divergence, most_divergent_share
from vicinal.typing import Floats

#: A case whose share is exactly 1/n would be infinitely familiar; more than this says nothing.
MOST = 1e6


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


def familiarity_of_new_rows(
    phi: Floats, entered: Entries, stored: Baseline, sums: ContributionSums | None = None
) -> Floats:
    r"""Return the familiarity conviction of new cases, each as if it alone were added.

    Adding a case changes the sum of all contributions, hence every share and every divergence.
    The sum of the divergences over n + 1 cases, with total Σ and shares l = φ/Σ, is

    .. math:: \sum_j \ln(1 + \tfrac{1}{n+1} - l_j)
              + \tfrac1\Sigma \sum_j \phi_j \ln \phi_j + \ln\frac{n+1}{\Sigma}.

    The second sum changes only where contributions do. The first is a power series in 1/Σ whose
    coefficients are sums of powers of φ, but for the few cases with large shares. So a new case
    costs a few operations, not n.

    Parameters
    ----------
    sums : ContributionSums, optional
        Sums over all cases, if not those of the baseline.
    """
    if not len(stored.numbers):
        return np.ones(len(phi))
    sums = stored.sums if sums is None else sums
    old, new = stored.contribution[entered.places], entered.contribution
    changed = stored.masses[entered.places]

    def per_row(values: Floats) -> Floats:
        added = np.bincount(entered.rows, weights=changed * values, minlength=len(phi))
        return added.astype(np.float64)  # without entries numpy counts in integers

    total = sums.total + per_row(new - old) + phi
    count = sums.count + 1.0
    entropy = sums.entropy + per_row(_plogp(new) - _plogp(old)) + _plogp(phi)
    logs, beyond = _sum_of_logs(phi, total, count, entered, stored, sums)
    mean = (logs + entropy / total + np.log(count / total) + beyond) / count
    return _ratio(np.maximum(mean, 0.0), _divergence(phi / total, count))


def _plogp(phi: Floats) -> Floats:
    return phi * np.log(phi)


def _sum_of_logs(
    phi: Floats,
    total: Floats,
    count: float,
    entered: Entries,
    stored: Baseline,
    sums: ContributionSums,
) -> tuple[Floats, Floats]:
    """Return Σ ln(1 + 1/n − share) for each row, and what shares beyond the most add."""
    most, old = 1.0 + 1.0 / count, stored.contribution
    # What is heavy does not depend on the rows, so that no row depends on the others.
    logs = np.log(most - phi / total) + sums.light_mass * np.log(most)
    with np.errstate(over="ignore"):  # of rows far beyond all cases, these terms are 0
        for t in range(1, TERMS):
            logs -= sums.powers[t - 1] / t / (most * total) ** t
    beyond = _beyond(phi / total, count)
    if len(entered.rows):
        mass = stored.masses[entered.places]
        some = ~np.isin(entered.places, sums.heavy) & (mass > 0)
        rows, place, new = entered.rows[some], entered.places[some], entered.contribution[some]
        change = np.log(most - new / total[rows]) - np.log(most - old[place] / total[rows])
        logs += np.bincount(rows, weights=mass[some] * change, minlength=len(phi))
    listed = zip(sums.heavy, sums.heavy_contribution, sums.heavy_mass, strict=True)
    for j, contribution, mass_of_case in listed:
        now = np.full(len(phi), contribution)
        now[entered.rows[entered.places == j]] = entered.contribution[entered.places == j]
        logs += mass_of_case * np.log(most - now / total)
        beyond += mass_of_case * _beyond(now / total, count)
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
