"""A Model with its cases in shards, to show that no answer depends on that."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

import vicinal
from vicinal.index.divide import divide_cases


def in_shards(model: vicinal.Model, count: int, seed: int = 0) -> vicinal.Model:
    """Return the same model with its cases in so many shards at random, and nothing learned."""
    moved = copy(model)
    fitted = moved._ready()
    index = fitted.index.gathered()
    rng = np.random.default_rng(seed)
    numbers = index.storage.numbers
    if len(numbers) < index.next_number:
        raise ValueError("Only tables of which no case was removed can be moved.")
    sharded = divide_cases(
        index.rows(numbers),
        index.kinds,
        index.weights_of(numbers),
        parts=rng.integers(0, count, size=len(numbers)),
        pilot=rng.permutation(numbers)[: len(numbers) // 8],
        scales=fitted.metric.residuals,
    )
    moved._fitted = replace(fitted, index=sharded, learned={}, _kept={}, _version=0)
    return moved
