"""The slow and obvious twin of contributions, to which they must be equal.

Imports numpy, the standard library and the other naive modules only. One row, one coalition at a
time; contributions are means over all orders, every one of them gone through.

An *ensemble* is anything with ``spaces`` (each with a ``metric``), ``members`` (``space``,
``rule``, ``bandwidth``, ``ridge``, ``share``), ``k`` and ``background``.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np

from tests.naive import distance as naive
from tests.naive import prediction as naive_prediction


def neighbors_of(query, cases, metric, k, weights):
    """Groups of cases that answer: (rows, units that each takes), ties at the end sharing.

    Nearest first, cases take as many of the k places as they weigh, but no more than k cases are
    looked at. Those that tie where the places end share them evenly; the last of the result says
    whether they do.
    """
    away = naive.distance(query, cases, metric)
    groups, units, before, seen = [], [], 0.0, 0
    for level in np.unique(np.round(away, 10)):
        rows = np.flatnonzero(np.round(away, 10) == level)
        mass = weights[rows].sum()
        room = min(k - before, mass * min(1.0, (k - seen) / len(rows)))
        groups.append(rows)
        units.append(room * weights[rows] / mass)
        before, seen = before + mass, seen + len(rows)
        if before >= k or seen >= k:
            break
    return groups, units, seen > k or before > k + 1e-9


def shares_of(member, query, cases, metric, k, weights, rule=None):
    """Influence of every case by one member of the ensemble."""
    groups, units, shared = neighbors_of(query, cases, metric, k, weights)
    shares = np.zeros(len(cases))
    places, counts, stands = [], [], []
    for at, (rows, unit) in enumerate(zip(groups, units, strict=True)):
        if at == len(groups) - 1 and shared:
            stands.append(rows)
            counts.append(unit.sum())
            places.append(rows)
        else:
            stands += [rows[[j]] for j in range(len(rows))]
            counts += list(unit)
            places += [rows[[j]] for j in range(len(rows))]
    counts = np.array(counts)
    rule = rule or member.rule
    away = np.array([naive.distance(query, cases[rows[0]], metric) for rows in places])
    if rule == "inverse":
        found = naive_prediction.inverse_shares(away, counts, member.bandwidth)
    else:
        excess = np.array(
            [naive_prediction.total_excess(query, cases[rows[[0]]], metric)[0] for rows in places]
        )
        found = naive_prediction.probability_shares(excess, member.bandwidth, counts)
    if rule in ("centered", "linear") and np.isfinite(member.ridge):
        z = np.array(
            [
                np.average(
                    naive_prediction.offsets(query, cases[rows], metric),
                    axis=0,
                    weights=weights[rows],
                )
                for rows in places
            ]
        ) * np.sqrt(member.bandwidth)
        solver = {
            "centered": naive_prediction.centered_shares,
            "linear": naive_prediction.linear_shares,
        }[rule]
        found = solver(found, z, member.ridge)
    for rows, share in zip(stands, found, strict=True):
        shares[rows] += share * weights[rows] / weights[rows].sum()
    return shares


def said(query, cases, outcomes, ensemble, coalition, expected, weights=None, timid=False):
    """What a coalition of columns says: Σ influence × outcome, outcomes being rows of numbers."""
    weights = np.ones(len(cases)) if weights is None else weights
    total = ensemble.background * expected
    for member in ensemble.members:
        metric = ensemble.spaces[member.space].metric
        held = np.array([w if i in coalition else 0.0 for i, w in enumerate(metric.weights)])
        if not held.any():
            total = total + member.share * expected
            continue
        rule = "probability" if timid and member.rule == "linear" else None
        shares = shares_of(
            member, query, cases, replace(metric, weights=held), ensemble.k, weights, rule
        )
        total = total + member.share * shares @ outcomes
    return total


def known_to(coalition, query, cases, metric, players, query_parts):
    """A query, cases and the metric as a coalition of players knows them.

    Columns count where one of the players has them; a score is the sum of the players' parts.
    *Players* are anything with ``columns``, ``scores`` and ``case_parts``.
    """
    query, cases, weights = query.copy(), cases.copy(), np.zeros(len(query))
    for player in coalition:
        for column in players.columns[player]:
            weights[column] = metric.weights[column]
    for at, score in enumerate(players.scores):
        weights[score] = metric.weights[score]
        query[score] = sum(query_parts[player, at] for player in coalition)
        for number in range(len(cases)):
            cases[number, score] = sum(players.case_parts[number, i, at] for i in coalition)
    return query, cases, replace(metric, weights=weights)


def said_by_players(query, cases, outcomes, metric, players, query_parts, coalition, members, k):
    """Sums over members of share × influence × outcome, from what a coalition knows.

    `cases` comes with the weights that are left of them; those without any are absent.
    """
    values, weights = cases
    there = weights > 0
    known, others, held = known_to(coalition, query, values, metric, players, query_parts)
    return sum(
        member.share
        * shares_of(member, known, others[there], held, k, weights[there])
        @ outcomes[there]
        for member in members
    )


def class_chances(query, cases, outcomes, ensemble, coalition, expected, weights=None):
    """Class probabilities, mixed with timid ones as little as makes none negative."""
    given = (query, cases, outcomes, ensemble, coalition, expected, weights)
    bold, timid = said(*given), said(*given, timid=True)
    needed = max([0.0] + [-b / (t - b) for b, t in zip(bold, timid, strict=True) if b < 0])
    return (1 - needed) * bold + needed * timid


def shapley_values(value, columns, size):
    """Mean over all orders of what each column adds; `value` gives what a set of columns says."""
    total = 0.0
    orders = list(permutations(columns))
    for order in orders:
        for place, column in enumerate(order):
            gain = np.zeros((size, *np.shape(value(()))))
            gain[column] = value(order[: place + 1]) - value(order[:place])
            total = total + gain
    return total / len(orders)
