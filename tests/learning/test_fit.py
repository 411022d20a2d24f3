"""Learning anew from the cases that are there equals fitting to them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mixed_table import OPTIONS, mixed_table, take
from tests.model.parts import odd_queries
from tests.model.questions import ask, assert_same
from vicinal import Model, ParameterError


@pytest.fixture(scope="module")
def rows():
    return take(odd_queries(), [0, 3, 5, 7])


def test_law_refreshing_equals_fitting(rows):
    table, more = mixed_table(50, seed=1), mixed_table(30, seed=2)
    more["colour"] = [one and {"red": "violet"}.get(one, one) for one in more["colour"]]
    model = Model(max_queries=60, **OPTIONS).fit(table)
    model.predict(rows, "weight")
    model.add(more)
    model.remove(np.arange(0, 50, 3))
    model.update([70], take(table, [0]))
    log = len(model.log_)
    model.refresh()
    kept = [i for i in range(80) if i >= 50 or i % 3]
    whole = {name: [*table[name], *more[name]] for name in table}
    whole = {name: [*values[:70], table[name][0], *values[71:]] for name, values in whole.items()}
    fresh = Model(max_queries=60, **OPTIONS).fit(take(whole, kept))
    assert model.residuals_ == fresh.residuals_
    assert model.schema_ == fresh.schema_
    numbers = np.array(kept)
    asked = ("neighbors", "predict", "predict_proba", "predict_interval", "conviction", "density")
    expected = ask(fresh, rows, asked, lambda one: np.where(one < 0, -1, numbers[one]))
    assert_same(ask(model, rows, asked), expected)
    assert [change.action for change in model.log_][log:] == ["refresh"]
    assert model.stale_.share == 0


def test_ordinal_numbers_are_ranked_anew():
    model = Model(ordinal_features=["a"]).fit({"a": [1, 5, 9, 5], "b": [0.0, 1.0, 2.0, 3.0]})
    model.add({"a": [7], "b": [4.0]})
    model.remove([0])
    model.refresh()
    fresh = Model(ordinal_features=["a"]).fit({"a": [5, 9, 5, 7], "b": [1.0, 2.0, 3.0, 4.0]})
    assert model.schema_ == fresh.schema_
    assert model.residuals_ == fresh.residuals_


def test_nothing_is_learned_from_no_cases():
    model = Model().fit({"a": [1.0, 2.0]})
    model.remove([0, 1])
    with pytest.raises(ParameterError, match="no cases left"):
        model.refresh()
