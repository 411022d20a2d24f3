"""Models are copied, pickled and fitted again."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.mixed_table import OPTIONS, mixed_table, take
from vicinal import Model

N = 150


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_answers_alike_and_lives_its_own_life(queries, table, copied):
    weighted = Model(**OPTIONS).fit(table, sample_weight=np.resize([1, 2, 3], N))
    other = copied(weighted)
    found, expected = other.neighbors(queries, terms=True), weighted.neighbors(queries, terms=True)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.terms, expected.terms)
    assert other.residuals_ == weighted.residuals_
    other.remove([1, 2])
    other.add(take(table, [1]))
    assert len(weighted) == N
    assert len(other) == N - 1


def test_a_large_model_can_be_pickled():
    # Large enough for an order of its own in memory.
    rng = np.random.default_rng(0)
    model = Model(max_rounds=1).fit(rng.normal(size=(3000, 4)))
    model.remove(np.arange(100))
    other = pickle.loads(pickle.dumps(model))
    queries = rng.normal(size=(20, 4))
    np.testing.assert_array_equal(
        other.neighbors(queries).indices, model.neighbors(queries).indices
    )


def test_a_model_can_be_fitted_again(table, queries):
    model = Model(**OPTIONS).fit(mixed_table(40, seed=9)).fit(table)
    assert len(model) == N
    fresh = Model(**OPTIONS).fit(table)
    assert model.residuals_ == fresh.residuals_
    np.testing.assert_array_equal(
        model.neighbors(queries).indices, fresh.neighbors(queries).indices
    )


def test_a_parameter_that_does_not_exist_is_named_with_the_one_that_was_meant():
    with pytest.raises(TypeError, match=r"'n_neighbours'\. Did you mean 'n_neighbors'"):
        Model(n_neighbours=5)
