"""Rows beside cases."""

from __future__ import annotations

import pytest

from vicinal import Model
from vicinal.side_by_side import MOST_CASES, MOST_ROWS

TABLE = {
    "x": [0.0, 0.1, 0.2, 5.0, None, 0.3],
    "word": ["a", "a", "b", "b", "a", "a"],
    "y": [1.0, 1.1, 0.9, 7.0, 1.0, 1.2],
}


@pytest.fixture
def model():
    return Model(n_jobs=1, kinds={"word": "nominal"}).fit(TABLE)


def test_a_row_is_shown_as_given_beside_its_cases(model):
    row = {"x": [0.05], "word": ["unseen"], "y": [1.0]}
    found = model.neighbors(row, k=2)
    compared = found.compared
    assert compared.given(0) == {"x": 0.05, "word": "unseen", "y": 1.0}
    cases = [{name: values[at] for name, values in TABLE.items()} for at in found.indices[0]]
    assert compared.beside(0) == cases
    assert compared.differs(0)[:, 1].all()


def test_a_row_with_half_a_number_is_shown_as_it_is():
    rooms = [float(i % 7) for i in range(40)]
    table = {"rooms": [int(one) for one in rooms], "size": [20 * one + 3 for one in rooms]}
    model = Model(n_jobs=1).fit(table)
    row = {"rooms": [2.5]}
    assert model.neighbors(row, k=2).compared.given(0) == {"rooms": 2.5}
    assert "given rooms 2.5" in repr(model.explain(row, target="size"))
    assert "2.5 → 2" in repr(model.certify(row, target="size", tolerance=10.0))


def test_a_missing_value_does_not_differ(model):
    compared = model.neighbors({"x": [None], "word": ["a"], "y": [1.0]}, k=4).compared
    assert not compared.differs(0)[:, 0].any()
    missing = [case["x"] is None for case in compared.beside(0)]
    assert any(missing)


def test_only_features_of_the_context_are_compared(model):
    found = model.neighbors({"x": [0.0], "word": ["a"], "y": [1.0]}, k=2, context=["y"])
    assert found.compared.names == ("y",)


def test_what_is_shown_is_bounded_and_does_not_change_with_the_model():
    n = 60
    model = Model(n_jobs=1).fit({"x": [float(at) for at in range(n)]})
    found = model.neighbors(k=30)
    assert len(found.compared) == MOST_ROWS
    assert found.compared.numbers.shape == (MOST_ROWS, MOST_CASES)
    before = found.compared.beside(0)
    model.update(int(found.indices[0, 0]), {"x": [1000.0]})
    assert found.compared.beside(0) == before


def test_places_without_a_case_are_left_out(model):
    compared = model.neighbors({"x": [0.0], "word": ["a"], "y": [1.0]}, k=50).compared
    assert len(compared.beside(0)) == 6
    assert compared.differs(0).shape == (6, 3)
