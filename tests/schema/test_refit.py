"""The schema of the values that are stored now."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.examples import tables
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.refit import refit_schema


def test_a_schema_that_still_fits_stays():
    table = {"job": ["cook", "smith", "cook"], "age": [31, None, 47], "size": [1, 2, 2]}
    schema = infer_schema(table, ordinal_features=["size"])
    matrix = encode(table, schema)
    again, values = refit_schema(matrix, schema)
    assert again == schema
    np.testing.assert_array_equal(values, matrix)


def test_weights_count_in_the_order_of_categories():
    schema = infer_schema({"job": ["cook", "cook", "smith"]})
    matrix = np.array([[0.0], [0.0], [1.0]])
    again, values = refit_schema(matrix, schema, np.array([1.0, 1.0, 3.0]))
    assert again["job"].categories == ("smith", "cook")
    assert values.ravel().tolist() == [1, 1, 0]
    assert matrix.ravel().tolist() == [0, 0, 1]


def test_ranks_close_up_where_a_value_no_longer_occurs():
    schema = infer_schema({"size": [10, 20, 40]}, ordinal_features=["size"])
    again, values = refit_schema(np.array([[2.0], [np.nan], [0.0], [0.5]]), schema)
    assert again["size"].categories == (10, 15, 40)
    np.testing.assert_array_equal(values.ravel(), [2, np.nan, 0, 1])


def test_listed_categories_stay_though_they_do_not_occur():
    schema = infer_schema({"size": ["S"]}, ordinal_features={"size": ["S", "M", "L"]})
    again, values = refit_schema(np.array([[2.0]]), schema)
    assert again == schema
    assert values.tolist() == [[2]]


def test_integers_that_have_become_fractions_are_floats():
    schema = infer_schema({"age": [31, 47], "n": [1, 2]})
    again, _ = refit_schema(np.array([[31.5, np.nan], [47.0, 2.0]]), schema)
    assert [feature.dtype for feature in again] == ["float", "int"]


@given(tables(), st.randoms(use_true_random=False))
def test_what_is_left_is_encoded_as_if_it_had_been_fitted_alone(table, random):
    n = len(next(iter(table.values())))
    kept = sorted(random.sample(range(n), random.randint(1, n)))
    schema = infer_schema(table)
    again, values = refit_schema(encode(table, schema)[kept], schema)
    left = {name: [column[row] for row in kept] for name, column in table.items()}
    assert decode(values, again) == left
    for feature in again:
        alone = infer_schema(left)[feature.name]
        if feature.kind == alone.kind:
            assert feature.categories == alone.categories
