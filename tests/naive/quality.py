"""Slow references for the quality of tables: loops, and nothing of ours."""

import itertools
import math


def distribution_gap(values, is_new, *, nominal=False, cyclic=False):
    """Largest difference of cumulated shares, value by value; missing values come first."""
    keys = [-math.inf if math.isnan(value) else value for value in values]
    old = [key for key, new in zip(keys, is_new, strict=True) if not new]
    new = [key for key, new in zip(keys, is_new, strict=True) if new]
    if nominal:
        return (
            sum(abs(old.count(key) / len(old) - new.count(key) / len(new)) for key in set(keys))
            / 2
        )
    gaps = [
        sum(one <= key for one in new) / len(new) - sum(one <= key for one in old) / len(old)
        for key in sorted(set(keys))
    ]
    return max(gaps) - min(gaps) if cyclic else max(map(abs, gaps))


def neighbor_agreement(neighbors, is_new):
    """Mean share of neighbors of one's own sample, both samples alike."""
    shares = {True: [], False: []}
    for row, near in enumerate(neighbors):
        own = [is_new[other] == is_new[row] for other in near]
        shares[bool(is_new[row])].append(sum(own) / len(own))
    return sum(sum(one) / len(one) for one in shares.values()) / 2


def p_value(statistic, count, n):
    """Share of all labelings with so many new rows whose statistic is at least the first's."""
    found = [
        round(statistic([row in chosen for row in range(n)]), 12)
        for chosen in itertools.combinations(range(n), count)
    ]
    return lambda actual: sum(one >= round(actual, 12) for one in found) / len(found)


def information(one, other):
    """Mutual information in nats, by definition."""
    n, total = len(one), 0.0
    for a in set(one):
        for b in set(other):
            both = sum(x == a and y == b for x, y in zip(one, other, strict=True)) / n
            if both:
                total += both * math.log(both / (one.count(a) / n * other.count(b) / n))
    return total


def merge_once(distances, weights):
    """The pair that is cheapest to merge, and its cost."""
    best = None
    for i, j in itertools.combinations(range(len(weights)), 2):
        excess = max(distances[i][j] - 1.5, 1e-12)
        cost = weights[i] * weights[j] / (weights[i] + weights[j]) * excess
        if best is None or cost < best[0]:
            best = (cost, i, j)
    return best


def suspect_classes(codes, probabilities):
    """Which classes are likely wrong, by confident learning."""
    n_classes = len(probabilities[0])
    usual = []
    for c in range(n_classes):
        own = [p[c] for code, p in zip(codes, probabilities, strict=True) if code == c]
        usual.append(sum(own) / len(own) if own else 1.0)
    likely = []
    for code, p in zip(codes, probabilities, strict=True):
        best = max((c for c in range(n_classes) if c != code), key=lambda c: (p[c], -c))
        likely.append(p[best] > p[int(code)] and p[best] >= usual[best])
    return likely
