"""Models made of parts of others, and rows to ask them about."""

from __future__ import annotations

import copy
from dataclasses import replace

from tests.mixed_table import mixed_table
from vicinal.index.exact import ExactIndex


def with_cases(model, cases, weights=None):
    """A model with the same metric, built from these cases at once; no target is learned."""
    twin = copy.copy(model)
    index = ExactIndex(cases, model.metric_.kinds, weights)
    twin._fitted = replace(model._ready(), index=index, learned={}, _kept={}, _version=0)
    return twin


def odd_queries():
    """Rows like those of the mixed table, with a color never seen, and a row of nothing."""
    rows = mixed_table(12, seed=7)
    rows["colour"][3] = "violet"
    for values in rows.values():
        values[5] = None
    return rows
