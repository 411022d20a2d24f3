"""Cases in shards give the answers of one index, to the last bit, so that all its laws hold there.

Tables have ties, duplicates, missing values and words; shards may have a single case, or none of
the values of a column.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from tests.prediction.ways import ways
from vicinal import Model
from vicinal.index.divide import divide_cases


def in_shards(model, count, seed):
    """The same model with its cases in so many shards, and nothing learned yet."""
    moved, rng = copy(model), np.random.default_rng(seed)
    fitted = moved._ready()
    numbers = fitted.index.storage.numbers
    sharded = divide_cases(
        fitted.index.rows(numbers),
        fitted.index.kinds,
        fitted.index.weights_of(numbers),
        parts=rng.integers(0, count, size=len(numbers)),
        pilot=rng.permutation(numbers)[: len(numbers) // 3],
        scales=fitted.metric.residuals,
    )
    moved._fitted = replace(fitted, index=sharded, learned={}, _kept={}, _version=0)
    return moved


QUESTIONS = {
    "predict": lambda m, f: m.predict(f.rows, f.target),
    "influences": lambda m, f: m.influences(f.rows, f.target).shares,
    "neighbors": lambda m, f: m.neighbors(f.rows, k=3).distances,
    "conviction": lambda m, f: m.conviction(f.rows).similarity,
    "stored": lambda m, f: m.conviction().familiarity,
    "density": lambda m, f: m.density(f.rows),
    "contributions": lambda m, f: m.contributions(f.rows, f.target).values,
}


@pytest.mark.parametrize("question", sorted(QUESTIONS))
@settings(max_examples=30)
@given(
    frame=frames(),
    way=ways,
    weighted=st.booleans(),
    count=st.sampled_from([1, 3, 8]),
    seed=st.integers(0, 99),
)
def test_answers_over_shards_are_those_of_one_index(question, frame, way, weighted, count, seed):
    weights = np.random.default_rng(seed).integers(1, 4, size=frame.n) if weighted else None
    one = Model(**way).fit(frame.table, sample_weight=weights)
    ask = QUESTIONS[question]
    expected = ask(one, frame)
    actual = ask(in_shards(one, count, seed), frame)
    np.testing.assert_array_equal(actual, expected)
