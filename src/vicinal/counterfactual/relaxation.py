"""Find the constraint to drop if no counterfactual meets them all."""

from __future__ import annotations

import numpy as np

from vicinal.counterfactual.candidates import find_candidates
from vicinal.counterfactual.constraints import Constraint, Constraints
from vicinal.counterfactual.oracle import Oracle
from vicinal.counterfactual.search import Change, Search
from vicinal.typing import Ints

#: Number of cases to try without each constraint, and number of constraints to search in full.
_CASES, _SEARCHED = 12, 3

Relaxed = tuple[tuple[Constraint, ...], Change]


def find_relaxation(oracle: Oracle, constraints: Constraints, wanted: Ints) -> Relaxed | None:
    """Find the fewest constraints to drop for a counterfactual to exist, and the sparsest one.

    Returns None if there is none even without constraints. The wanted cases are nearest first.
    """
    found = [
        relaxed
        for rule in _promising(oracle, constraints, wanted)
        if (relaxed := _without(oracle, constraints, (rule,), wanted)) is not None
    ]
    if found:
        return min(found, key=lambda relaxed: relaxed[1].rank)
    if not constraints.rules:
        return None
    free = _without(oracle, constraints, constraints.rules, wanted)
    if free is None:
        return None
    # Drop only the rules that this change breaks.
    return constraints.broken_by(free[1].row), free[1]


def _promising(oracle: Oracle, constraints: Constraints, wanted: Ints) -> list[Constraint]:
    """Rules without which the nearest cases meet the goal, least effort first."""
    rows, owners = [], []
    for at, rule in enumerate(constraints.rules):
        near = find_candidates(oracle, constraints.without((rule,)), wanted[: 8 * _CASES])
        rows.append(near.full_rows()[:_CASES])
        owners += [at] * len(rows[-1])
    if not owners:
        return []
    asked = np.concatenate(rows)
    met, _ = oracle.ask(asked)
    effort = oracle.effort(constraints.own, asked).sum(axis=1)
    best: dict[int, float] = {}
    for owner, total, good in zip(owners, effort.tolist(), met, strict=True):
        if good:
            best[owner] = min(best.get(owner, np.inf), total)
    ranked = sorted(best, key=lambda owner: (best[owner], owner))
    return [constraints.rules[owner] for owner in ranked[:_SEARCHED]]


def _without(
    oracle: Oracle, constraints: Constraints, dropped: tuple[Constraint, ...], wanted: Ints
) -> Relaxed | None:
    weaker = constraints.without(dropped)
    candidates = find_candidates(oracle, weaker, wanted)
    changes = Search(oracle, weaker, candidates).run(1)
    return (dropped, changes[0]) if changes else None
