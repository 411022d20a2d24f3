"""The slow and obvious twin of conviction: one case, one list, one sum at a time.

Like ``naive.py`` it shares nothing with the package but the formulas of terms and distances. New
cases are judged by really adding them, and a divergence is the sum over all cases that defines
it.
"""

from __future__ import annotations

import numpy as np

from tests.naive import distance as naive

SAME = 1.5


def grain(cases, metric, k, rank_decay=1.0):
    """Mean excess of every case's nearest, the farthest twentieth brought in line."""
    _, distances = naive.neighbors(cases, cases, metric, k, exclude=np.arange(len(cases)))
    usual = []
    for row in distances:
        excess = [one - SAME for one in row if np.isfinite(one)]
        share = [j**-rank_decay for j in range(1, len(excess) + 1)]
        usual.append(sum(s * e for s, e in zip(share, excess, strict=True)) / (sum(share) or 1))
    limit = sorted(usual)[int(np.ceil(0.95 * len(usual) - 1e-9)) - 1]
    mean = sum(min(one, limit) for one in usual) / len(usual)
    return mean if mean > 1e-9 else 0.5


def contribution(distances, terms, grain, mean="harmonic", rank_decay=1.0):
    """Mean of some distances; that of identical cases where there is none."""
    base = SAME - grain if terms == "excess" else 0.0
    surprisals = [one - base for one in distances if np.isfinite(one)]
    if not surprisals:
        return SAME - base
    share = [j**-rank_decay for j in range(1, len(surprisals) + 1)]
    if mean == "geometric":
        logs = sum(s * np.log(one) for s, one in zip(share, surprisals, strict=True))
        return float(np.exp(logs / sum(share)))
    return sum(share) / sum(s / one for s, one in zip(share, surprisals, strict=True))


def contributions(cases, metric, k, terms, grain, mean="harmonic", rank_decay=1.0):
    """Contribution of every case, without itself."""
    _, distances = naive.neighbors(cases, cases, metric, k, exclude=np.arange(len(cases)))
    return np.array([contribution(row, terms, grain, mean, rank_decay) for row in distances])


def expectations(cases, metric, phi, n_reference, prior, overall=None, rank_decay=1.0):
    """What the nearest cases, and all cases, lead to expect of every case."""
    indices, distances = naive.neighbors(
        cases, cases, metric, n_reference, exclude=np.arange(len(cases))
    )
    overall = phi.mean() if overall is None else overall
    local = [
        expectation(phi[row[row >= 0]], far[row >= 0], rank_decay) if (row >= 0).any() else phi[i]
        for i, (row, far) in enumerate(zip(indices, distances, strict=True))
    ]
    return np.array(local) ** (1 - prior) * overall**prior


def expectation(phi, distances, rank_decay):
    """Mean of some contributions; the share of a place goes to all at its distance."""
    total = mass = 0.0
    for j, distance in enumerate(distances, 1):
        share = j**-rank_decay
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


# --- reasons ---------------------------------------------------------------------------------


def mean_excess(query, near, cases, metric):
    """Mean excess of each feature over some cases, times the feature's share of the weight."""
    result = []
    for i, weight in enumerate(metric.weights):
        excess = [naive.terms(query, cases[j], metric)[i] - SAME for j in near]
        share = weight / sum(metric.weights)
        result.append(share * sum(excess) / len(excess) if weight > 0 and excess else 0.0)
    return np.array(result)


def breakdown(query, left_out, cases, metric, k):
    """What each feature adds to the distances of a row, and of its neighbours from their own."""
    near = nearest(query, left_out, cases, metric, k)[0]
    observed = mean_excess(query, near, cases, metric)
    own = [
        mean_excess(cases[j], nearest(cases[j], j, cases, metric, k)[0], cases, metric)
        for j in near
    ]
    return observed, sum(own) / len(own) if own else 0 * observed


def nearest(query, left_out, cases, metric, k):
    """The nearest cases of one row: numbers and distances."""
    indices, distances = naive.neighbors([query], cases, metric, k, exclude=[left_out])
    return [j for j in indices[0] if j >= 0], [one for one in distances[0] if np.isfinite(one)]


class Without:
    """The metric without one feature."""

    def __init__(self, metric, column):
        self.kinds, self.residuals, self.periods = metric.kinds, metric.residuals, metric.periods
        self.supports, self.distinct, self.p = metric.supports, metric.distinct, metric.p
        self.weights = [w * (i != column) for i, w in enumerate(metric.weights)]


def error(query, left_out, cases, metric, column, k):
    """How far off one feature is when its neighbours by the others predict it; None for none."""
    truth = query[column]
    found = zip(*nearest(query, left_out, cases, Without(metric, column), k), strict=True)
    known = [(cases[j][column], 1 / far) for j, far in found if not np.isnan(cases[j][column])]
    total = sum(share for _, share in known)
    if np.isnan(truth) or not known:
        return None
    if metric.kinds[column] == naive.NOMINAL:
        return sum(share for value, share in known if value != truth) / total
    if metric.kinds[column] == naive.CYCLIC:
        period = metric.periods[column]
        turns = sum(share * np.exp(2j * np.pi * value / period) for value, share in known)
        gap = abs(truth - np.angle(turns) / (2 * np.pi) * period) % period
        return min(gap, period - gap)
    return abs(truth - sum(share * value for value, share in known) / total)


def residual_conviction(query, left_out, cases, metric, column, k):
    """Mean error of the neighbours by the other features, by the error; None for no answer."""
    own = error(query, left_out, cases, metric, column, k)
    near = nearest(query, left_out, cases, Without(metric, column), k)[0]
    others = [error(cases[j], j, cases, metric, column, k) for j in near]
    others = [one for one in others if one is not None]
    if own is None or not others:
        return None
    nominal = metric.kinds[column] == naive.NOMINAL
    least = 1e-6 * (1.0 if nominal else metric.residuals[column])
    return (sum(others) / len(others) + least) / (own + least)
