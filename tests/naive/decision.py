"""The slow and obvious twin of decisions: every threshold is tried, every case counted anew.

Probabilities, weights and multipliers are fractions, so that ties are exact. It shares no code
with the package.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import log, sqrt

SAME = 1e-9


def chosen(probabilities, multipliers):
    """The class of the largest product; ties: the most probable one, then the first one."""
    products = [p * m for p, m in zip(probabilities, multipliers, strict=True)]
    tied = [k for k, one in enumerate(products) if one == max(products)]
    return max(tied, key=lambda k: (probabilities[k], -k))


def cheapest(probabilities, costs):
    """The class of the least expected cost, with ties as above."""
    classes = range(len(probabilities))
    expected = [sum(probabilities[i] * costs[i][k] for i in classes) for k in classes]
    tied = [k for k in classes if expected[k] == min(expected)]
    return max(tied, key=lambda k: (probabilities[k], -k))


def goal_value(goal, truth, guesses, masses, n_classes):
    """The goal from the table of true and predicted classes."""
    table = [[Fraction(0)] * n_classes for _ in range(n_classes)]
    for t, g, w in zip(truth, guesses, masses, strict=True):
        table[t][g] += w
    classes = range(n_classes)
    true = [sum(table[k]) for k in classes]
    said = [sum(table[i][k] for i in classes) for k in classes]
    hits = [table[k][k] for k in classes]
    total = sum(true)
    if goal == "accuracy":
        return sum(hits) / total
    there = [k for k in classes if true[k]]
    if goal == "balanced_accuracy":
        return sum(hits[k] / true[k] for k in there) / len(there)
    if goal == "f1":
        scores = {k: 2 * hits[k] / (said[k] + true[k]) for k in classes if said[k] + true[k]}
        if n_classes == 2:
            return scores.get(1, Fraction(0))
        return sum(scores[k] for k in there) / len(there)
    above = sum(hits) * total - sum(said[k] * true[k] for k in classes)
    below = (total**2 - sum(s**2 for s in said)) * (total**2 - sum(t**2 for t in true))
    return float(above) / sqrt(below) if below else 0.0


def value(goal, rows, truth, masses, multipliers):
    """The goal under these multipliers."""
    guesses = [chosen(row, multipliers) for row in rows]
    return goal_value(goal, truth, guesses, masses, len(multipliers))


def tune_multipliers(goal, rows, truth, masses):
    """One multiplier after the other, each by its best threshold, until none changes."""
    multipliers = [Fraction(1)] * len(rows[0])
    for _ in range(10):
        before = list(multipliers)
        for which in [1] if len(multipliers) == 2 else range(len(multipliers)):
            multipliers[which] = best_multiplier(goal, rows, truth, masses, multipliers, which)
        if len(multipliers) == 2 or before == multipliers:
            break
    plain = [Fraction(1)] * len(multipliers)
    values = [value(goal, rows, truth, masses, one) for one in (multipliers, plain)]
    return multipliers if values[0] >= values[1] else plain


def best_multiplier(goal, rows, truth, masses, multipliers, which):
    """The middle of a gap between shares, by the goal averaged over the gaps near it."""
    rivals, shares = [], []
    for row in rows:
        others = [k for k in range(len(row)) if k != which]
        best = others[chosen([row[k] for k in others], [multipliers[k] for k in others])]
        rivals.append(best)
        shares.append(row[which] / (row[which] + row[best] * multipliers[best]))
    edges = sorted({Fraction(0), Fraction(1), *shares}, reverse=True)
    total = sum(masses)
    unit = min(1, total / len(masses))
    tried = []
    for upper, lower in pairwise(edges):
        threshold = Fraction(1, 2) if lower <= Fraction(1, 2) < upper else (upper + lower) / 2
        above = [share >= upper for share in shares]
        guesses = [which if one else rival for one, rival in zip(above, rivals, strict=True)]
        found = goal_value(goal, truth, guesses, masses, len(multipliers))
        reached = sum((w for w, one in zip(masses, above, strict=True) if one), Fraction(0))
        tried.append((threshold, found, reached))
    now = value(goal, rows, truth, masses, multipliers)
    ranked = []
    for threshold, found, reached in tried:
        if found < now - SAME:
            continue
        variance = reached * (total - reached) / total * unit
        near = [other for _, other, there in tried if (there - reached) ** 2 <= variance]
        # Without a limit, the digits would multiply with every multiplier.
        odds = ((1 - threshold) / threshold).limit_denominator(10**12)
        ranked.append((sum(map(float, near)) / len(near), abs(log(odds)), odds))
    if not ranked:
        return multipliers[which]
    most = max(smooth for smooth, _, _ in ranked)
    equal = [(distance, odds) for smooth, distance, odds in ranked if smooth >= most - SAME]
    least = min(distance for distance, _ in equal)
    return next(odds for distance, odds in equal if distance <= least + SAME)
