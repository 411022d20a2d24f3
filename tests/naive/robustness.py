"""The slow and obvious twin of certificates: everything that may happen is tried."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from tests.naive.distance import distance
from tests.naive.prediction import influences


def mean_outcome(query, cases, values, metric, rule, k, bandwidth, ridge=np.inf):
    """The mean value of the k nearest cases under their influences; no two may tie."""
    near = np.argsort(distance(query, cases, metric), kind="stable")[:k]
    shares = influences(rule, query, cases[near], metric, bandwidth=bandwidth, ridge=ridge)
    return float(shares @ values[near])


def changed_rows(row, ways, steps):
    """All rows on a grid over a box."""
    sides = [
        np.linspace(x - way, x + way, steps if way else 1)
        for x, way in zip(row, ways, strict=True)
    ]
    return np.array(list(product(*sides)))


def least_mean(row, ways, steps, norm, *problem, total=1.0):
    """The least mean over a grid of changed rows; the true one is no greater.

    With the norm "sum", changes as parts of the ways add up to a total at most.
    """
    rows = changed_rows(row, ways, steps)
    if norm == "sum":
        moving = np.asarray(ways) > 0
        parts = np.abs(rows - row)[:, moving] / np.asarray(ways)[moving]
        rows = rows[parts.sum(axis=1) <= total + 1e-12]
    return min(mean_outcome(one, *problem) for one in rows)


def least_mean_without(kernels, values, k, removed):
    """The least mean of the first k cases that remain, whichever are removed."""
    found = []
    for gone in combinations(range(len(kernels)), removed):
        left = [at for at in range(len(kernels)) if at not in gone][:k]
        if left:
            found.append(kernels[left] @ values[left] / kernels[left].sum())
    return min(found)


def fewest_labels(shares, margins_of, labels, choices):
    """The fewest labels whose change makes a margin negative or zero; infinite if none do."""
    for count in range(1, len(labels) + 1):
        for some in combinations(range(len(labels)), count):
            for new in product(choices, repeat=count):
                changed = list(labels)
                for at, label in zip(some, new, strict=True):
                    changed[at] = label
                if margins_of(shares, changed) <= 1e-12:
                    return count
    return np.inf


def moved_row(row, label, cases, labels, numbers, radius):
    """A row that is moved toward the nearest case of another class; the mean of the ways if tied.

    Every number moves by so many standard deviations at most.
    """
    units = {i: np.nanstd(cases[:, i]) or 1.0 for i in numbers}
    ways, distances = [], []
    for case, other in zip(cases, labels, strict=True):
        if other == label:
            continue
        way = {i: (case[i] - row[i]) / units[i] for i in numbers}
        way = {i: 0.0 if np.isnan(step) else step for i, step in way.items()}
        ways.append({i: min(max(step, -radius), radius) for i, step in way.items()})
        distances.append(max([0.0, *(abs(step) for step in way.values())]))
    nearest = [way for way, d in zip(ways, distances, strict=True) if d <= min(distances) + 1e-9]
    moved = np.array(row, dtype=float)
    for i in numbers:
        if nearest:
            moved[i] += units[i] * sum(way[i] for way in nearest) / len(nearest)
    return moved


def most_of_sum(options, radius):
    """The most that options, (value, cost) pairs of each part, add up to; all are tried."""
    every = (tuple(zip(*chosen, strict=True)) for chosen in product(*options))
    return max(sum(values) for values, costs in every if sum(costs) <= radius)


def most_of_tables(tables, costs, radius):
    """The most that one cell of every row of a table adds up to; see `most_of_sum`."""
    options = [
        list(zip(row, cost, strict=True))
        for row, cost in zip(np.asarray(tables).tolist(), np.asarray(costs).tolist(), strict=True)
    ]
    return most_of_sum(options, radius)
