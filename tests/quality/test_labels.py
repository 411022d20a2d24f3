"""Label errors, by hand and by the Model."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from vicinal import Model
from vicinal.quality.labels import suspect_classes, suspect_numbers


@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(0, 100))
def test_suspected_classes_are_those_of_confident_learning(codes, seed):
    said = np.random.default_rng(seed).dirichlet(np.ones(3), size=len(codes))
    found = suspect_classes(np.array(codes, dtype=float), said)
    assert found.likely.tolist() == naive_quality.suspect_classes(codes, said.tolist())
    assert (found.score[found.likely] > 0).all()


def test_a_case_without_an_outcome_is_not_suspected():
    said = np.array([[0.0, 1.0], [0.5, 0.5]])
    found = suspect_classes(np.array([np.nan, 0.0]), said)
    assert np.isnan(found.score[0])
    assert not found.likely[0]


def test_the_weight_of_cases_counts_in_what_is_usual():
    said = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    codes = np.array([0.0, 1.0, 0.0, 1.0])
    twice = suspect_classes(np.repeat(codes, 2), np.repeat(said, 2, axis=0))
    weighted = suspect_classes(codes, said, np.full(4, 2.0))
    np.testing.assert_array_equal(twice.likely[::2], weighted.likely)


def test_numbers_far_beyond_the_errors_of_the_others_are_suspected():
    errors = np.random.default_rng(0).laplace(size=500)
    errors[7] = 40.0
    found = suspect_numbers(errors, np.zeros(500), np.ones(500))
    assert found.likely[7]
    assert found.likely.sum() <= 3
    nothing = suspect_numbers(np.full(3, np.nan), np.zeros(3), np.ones(3))
    assert not nothing.likely.any()


def test_exact_predictions_raise_no_suspicion():
    found = suspect_numbers(np.zeros(20), np.zeros(20), np.ones(20))
    assert not found.likely.any()


def test_no_label_is_suspected_where_nothing_predicts_labels():
    rng = np.random.default_rng(3)
    table = {
        "x": rng.normal(size=90),
        "y": rng.normal(size=90),
        "label": rng.choice(["a", "b", "c"], 90),
    }
    audit = Model().fit(table).audit("label")
    assert audit.of("label") == ()
    assert len(audit.scores) == 90


def test_wrong_labels_are_found_with_what_is_suggested(flipped, audit):
    table, wrong = flipped
    found = audit.of("label")
    assert {one.case for one in found[:5]} == wrong
    first = found[0]
    assert first.details["has"] == table.loc[first.case, "kind"]
    assert first.details["suggested"] != first.details["has"]
    assert first.case not in first.details["because_of"]
    assert len(audit.scores) == len(table)
    assert max(audit.scores, key=audit.scores.get) == first.case


def test_wrong_numbers_are_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(150, 2))
    y = x @ [2.0, -1.0] + 0.05 * rng.normal(size=150)
    y[[5, 77]] += [6.0, -6.0]
    found = Model(n_jobs=1).fit({"a": x[:, 0], "b": x[:, 1], "y": y}).audit("y").of("label")
    assert {one.case for one in found[:2]} == {5, 77}
    assert len(found) <= 4
