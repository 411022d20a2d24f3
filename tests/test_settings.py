"""The parameters of a Model."""

import pytest

from vicinal import Model


def test_the_old_spelling_of_centered_still_works_and_warns():
    with pytest.warns(FutureWarning, match="influence='centred' is now written .*'centered'"):
        model = Model(influence="centred")
    assert model.influence == "centered"


def test_an_influence_that_is_set_later_is_spelt_anew():
    table = {"x": [1.0, 1.1, 1.2, 3.0, 3.1, 3.2], "kind": ["a"] * 3 + ["b"] * 3}
    model = Model().fit(table)
    model.influence = "centred"
    with pytest.warns(FutureWarning, match="centered"):
        assert model.predict({"x": [1.0]}, "kind").tolist() == ["a"]
