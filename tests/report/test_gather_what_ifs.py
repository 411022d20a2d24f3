import numpy as np
import pytest

from tests.report.reading import fit
from vicinal.prediction.predict import predict, predict_proba
from vicinal.report.gather_what_ifs import gather_what_ifs
from vicinal.report.held_out import hold_out

NAMES = ["species", "flipper_length_mm", "sex", "year"]


def own_place(one):
    return int(np.ravel_multi_index(one.own, [len(texts) for texts in one.texts]))


def test_a_case_with_its_own_values_is_predicted_without_itself(penguins, held_out):
    held = held_out["island"]
    probabilities = predict_proba(penguins, None, "island")
    for one in gather_what_ifs(held, held.cases[:3].tolist(), NAMES):
        assert one.features == tuple(NAMES[:3])
        assert len(one.answers) == np.prod([len(texts) for texts in one.texts])
        expected = probabilities[one.case]
        np.testing.assert_allclose(one.answers[own_place(one)], expected, atol=1e-12)


def test_numbers_are_told_in_the_terms_of_the_target(penguins, held_out):
    held = held_out["body_mass_g"]
    [one] = gather_what_ifs(held, [4], NAMES)
    [expected] = predict(penguins, penguins.cases(np.array([4]), "body_mass_g"), "body_mass_g")
    assert one.answers[own_place(one)][0] == pytest.approx(expected)
    assert len(one.answer_texts) == len(one.answers)


def test_a_missing_value_comes_first_and_can_be_kept():
    x = np.arange(12.0)
    table = {"a": [None, *x[1:]], "b": x % 5, "y": x}
    [one] = gather_what_ifs(hold_out(fit(table), "y"), [0], ["a", "b"])
    assert one.texts[0][0] == "?"
    assert one.own[0] == 0
    assert one.places[0][:2] == (0.0, 0.15)


def test_features_with_one_value_cannot_be_changed():
    table = {"a": [1.0] * 6, "b": [3.0, 4.0, 5.0, 3.5, 4.5, 5.5], "y": list("uvuvuv")}
    held = hold_out(fit(table), "y")
    [one] = gather_what_ifs(held, [0], ["a", "b"])
    assert one.features == ("b",)
    assert gather_what_ifs(held, [0], ["a"]) == ()
