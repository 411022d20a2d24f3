"""The slow and obvious twin of conviction: one case, one list, one sum at a time.

Like ``naive.py`` it shares nothing with the package but the formulas of terms and distances. New
cases are judged by really adding them, and a divergence is the sum over all cases that defines
it.
"""

from __future__ import annotations

import numpy as np

from tests.naive import distance as naive

SAME = 1.5


# --- missing cells ---------------------------------------------------------------------------


def gaps(query, metric):
    """Features that a row lacks, where missing is no value of its own."""
    counting = zip(metric.weights, metric.distinct, strict=True)
    return [i for i, (w, own) in enumerate(counting) if w > 0 and not own and np.isnan(query[i])]


def filled_terms(query, case, metric, usual):
    """Terms of a row and a case, or some; the usual one for every feature that the row lacks."""
    terms = naive.terms(query, case, metric)
    for i in gaps(query, metric):
        terms[..., i] = usual[i]
    return terms


def neighbors(queries, cases, metric, k, exclude, usual):
    """The k nearest cases of each row and their distances, with the usual terms for gaps."""
    indices, distances = np.full((len(queries), k), -1), np.full((len(queries), k), np.inf)
    for q, query in enumerate(queries):
        others = np.array([j for j in range(len(cases)) if j != exclude[q]], dtype=int)
        terms = filled_terms(query, cases[others], metric, usual)
        away = naive.power_mean(terms, metric.weights, metric.p)
        for place, at in enumerate(np.argsort(away, kind="stable")[:k]):
            indices[q, place], distances[q, place] = others[at], away[at]
    return indices, distances


def usual_terms(cases, metric, k, rank_decay=1.0):
    """Usual term of each feature between cases that have it and their nearest."""
    anything = np.full(len(metric.weights), SAME)  # the order of neighbors is the same by any
    indices, _ = neighbors(cases, cases, metric, k, np.arange(len(cases)), anything)
    result = []
    for i, weight in enumerate(metric.weights):
        means = []
        for case, near in zip(cases, indices, strict=True):
            excess = naive.terms(case, cases[near[near >= 0]], metric)[:, i] - SAME
            share = [j**-rank_decay for j in range(1, len(excess) + 1)]
            if weight > 0 and i not in gaps(case, metric):
                total = sum(s * e for s, e in zip(share, excess, strict=True))
                means.append(total / (sum(share) or 1))
        result.append(SAME + usual_mean(means) if means else SAME)
    return np.array(result)


def usual_mean(values):
    """Mean, the largest twentieth brought in line."""
    limit = sorted(values)[int(np.ceil(0.95 * len(values) - 1e-9)) - 1]
    return sum(min(one, limit) for one in values) / len(values)


# --- contributions and expectations ----------------------------------------------------------


def grain(cases, metric, k, rank_decay, usual):
    """Mean excess of every case's nearest, the farthest twentieth brought in line."""
    _, distances = neighbors(cases, cases, metric, k, np.arange(len(cases)), usual)
    means = []
    for row in distances:
        excess = [one - SAME for one in row if np.isfinite(one)]
        share = [j**-rank_decay for j in range(1, len(excess) + 1)]
        means.append(sum(s * e for s, e in zip(share, excess, strict=True)) / (sum(share) or 1))
    mean = usual_mean(means)
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


def contributions(cases, metric, k, terms, grain, usual, mean="harmonic", rank_decay=1.0):
    """Contribution of every case, without itself."""
    _, distances = neighbors(cases, cases, metric, k, np.arange(len(cases)), usual)
    return np.array([contribution(row, terms, grain, mean, rank_decay) for row in distances])


def expectations(cases, metric, phi, n_reference, prior, overall=None, rank_decay=1.0):
    """What the nearest cases, and all cases, lead to expect of every case."""
    # The order is the same by any terms for gaps, and small ones do not hide who is level.
    small = np.full(len(metric.weights), SAME)
    indices, distances = neighbors(cases, cases, metric, n_reference, np.arange(len(cases)), small)
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


def mean_excess(query, near, cases, metric, usual):
    """Mean excess of each feature over some cases, times the feature's share of the weight."""
    result, terms = [], filled_terms(query, cases[near], metric, usual)
    for i, weight in enumerate(metric.weights):
        excess = terms[:, i] - SAME
        share = weight / sum(metric.weights)
        result.append(share * sum(excess) / len(excess) if weight > 0 and len(excess) else 0.0)
    return np.array(result)


def breakdown(query, left_out, cases, metric, k, usual):
    """What each feature adds to the distances of a row, and of its neighbours from their own."""

    def known(row, but):
        return [j for j in neighbors([row], cases, metric, k, [but], usual)[0][0] if j >= 0]

    near = known(query, left_out)
    observed = mean_excess(query, near, cases, metric, usual)
    own = [mean_excess(cases[j], known(cases[j], j), cases, metric, usual) for j in near]
    expected = sum(own) / len(own) if own else 0 * observed
    for i in gaps(query, metric):
        expected[i] = observed[i]
    return observed, expected


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
        if abs(turns) < 1e-9 * total:
            return None  # the directions cancel
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
