"""The slow and obvious twin of conviction: one case, one list, one sum at a time.

Like ``naive.py`` it shares nothing with the package but the formulas of terms and distances. New
cases are judged by really adding them, and a divergence is the sum over all cases that defines
it.
"""

from __future__ import annotations

import numpy as np

from tests import naive

SAME = 1.5


def grain(cases, metric, k, fade=1.0):
    """Mean excess of every case's nearest, the farthest twentieth brought in line."""
    _, distances = naive.neighbors(cases, cases, metric, k, exclude=np.arange(len(cases)))
    usual = []
    for row in distances:
        excess = [one - SAME for one in row if np.isfinite(one)]
        share = [j**-fade for j in range(1, len(excess) + 1)]
        usual.append(sum(s * e for s, e in zip(share, excess, strict=True)) / (sum(share) or 1))
    limit = sorted(usual)[int(np.ceil(0.95 * len(usual) - 1e-9)) - 1]
    mean = sum(min(one, limit) for one in usual) / len(usual)
    return mean if mean > 1e-9 else 0.5


def contribution(distances, flavour, grain, mean="harmonic", fade=1.0):
    """Mean of some distances; that of identical cases where there is none."""
    base = SAME - grain if flavour == "excess" else 0.0
    surprisals = [one - base for one in distances if np.isfinite(one)]
    if not surprisals:
        return SAME - base
    share = [j**-fade for j in range(1, len(surprisals) + 1)]
    if mean == "geometric":
        logs = sum(s * np.log(one) for s, one in zip(share, surprisals, strict=True))
        return float(np.exp(logs / sum(share)))
    return sum(share) / sum(s / one for s, one in zip(share, surprisals, strict=True))


def contributions(cases, metric, k, flavour, grain, mean="harmonic", fade=1.0):
    """Contribution of every case, without itself."""
    _, distances = naive.neighbors(cases, cases, metric, k, exclude=np.arange(len(cases)))
    return np.array([contribution(row, flavour, grain, mean, fade) for row in distances])


def expectations(cases, metric, phi, circle, prior, overall=None, fade=1.0):
    """What the nearest cases, and all cases, lead to expect of every case."""
    indices, distances = naive.neighbors(
        cases, cases, metric, circle, exclude=np.arange(len(cases))
    )
    overall = phi.mean() if overall is None else overall
    local = [
        expectation(phi[row[row >= 0]], far[row >= 0], fade) if (row >= 0).any() else phi[i]
        for i, (row, far) in enumerate(zip(indices, distances, strict=True))
    ]
    return np.array(local) ** (1 - prior) * overall**prior


def expectation(phi, distances, fade):
    """Mean of some contributions; the share of a place goes to all at its distance."""
    total = mass = 0.0
    for j, distance in enumerate(distances, 1):
        share = j**-fade
        total += share * phi[np.isclose(distances, distance, rtol=1e-12, atol=0)].mean()
        mass += share
    return total / mass


def divergence(phi, j):
    """Kullback–Leibler divergence of the shares from those with the j-th one made ordinary."""
    shares = phi / phi.sum()
    other = shares.copy()
    other[j] = 1 / len(phi)
    other /= other.sum()
    return sum(p * np.log(p / q) for p, q in zip(shares, other, strict=True))


def familiarity(phi):
    """Mean divergence by the divergence of each."""
    divergences = np.array([divergence(phi, j) for j in range(len(phi))])
    return divergences.mean() / divergences


def p_value(conviction, reference):
    """Share of the cases, the new one among them, that are at least as surprising."""
    return (1 + sum(other <= conviction for other in reference)) / (1 + len(reference))


def discoveries(p, rate):
    """Benjamini and Hochberg, from the largest p-value down."""
    for rank in range(len(p), 0, -1):
        limit = sorted(p)[rank - 1]
        if limit <= rate * rank / len(p):
            return [one <= limit for one in p]
    return [False] * len(p)
