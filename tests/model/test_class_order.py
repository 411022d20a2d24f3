"""Classes are listed in the order that the user declares; without one by frequency."""

import numpy as np
import pytest

import vicinal
from vicinal import FeatureError, Model, ParameterError

X = np.r_[np.arange(9.0), np.arange(6.0) + 20, np.arange(3.0) + 40]
LABELS = ["often"] * 9 + ["some"] * 6 + ["rare"] * 3
TABLE = {"x": X, "kind": LABELS}
ROWS = {"x": [4.0, 22.0, 41.0]}
ORDER = ["rare", "never", "often", "some"]


@pytest.fixture(scope="module")
def plain():
    return Model().fit(TABLE)


@pytest.fixture(scope="module")
def ordered():
    return Model(classes={"kind": ORDER}).fit(TABLE)


def test_without_a_declaration_classes_stand_by_frequency(plain):
    assert plain.schema_["kind"].class_order == ("often", "some", "rare")
    assert plain.predict_proba(ROWS, "kind").argmax(axis=1).tolist() == [0, 1, 2]


def test_probabilities_and_sets_follow_the_order_and_have_the_same_bits(plain, ordered):
    places = [2, 0, 1]  # of the frequency order
    for ask in ("predict_proba", "predict_set"):
        told, by_frequency = (getattr(one, ask)(ROWS, "kind") for one in (ordered, plain))
        np.testing.assert_array_equal(told[:, [0, 2, 3]], by_frequency[:, places])
        assert told.dtype == by_frequency.dtype
        assert not told[:, 1].any()
    assert ordered.predict(ROWS, "kind").tolist() == plain.predict(ROWS, "kind").tolist()


def test_what_is_stored_does_not_depend_on_the_order(plain, ordered):
    assert ordered.schema_["kind"].categories == plain.schema_["kind"].categories
    assert ordered.residuals_ == plain.residuals_


def test_contributions_and_influences_follow_the_order(ordered):
    probabilities = ordered.predict_proba(ROWS, "kind")
    found = ordered.contributions(ROWS, "kind")
    assert found.classes == tuple(ORDER)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.baseline, probabilities)
    behind = ordered.influences(ROWS, "kind")
    rebuilt = np.tile(behind.background * behind.expected, (3, 1))
    for row, places in enumerate(behind.outcomes.astype(int)):
        np.add.at(rebuilt[row], places, behind.shares[row])
    np.testing.assert_allclose(rebuilt, probabilities, atol=1e-12)
    there = behind.indices >= 0
    assert [ORDER[int(at)] for at in behind.outcomes[there]] == behind.labels[there].tolist()


def test_explanations_follow_the_order_without_classes_that_were_never_seen(ordered, plain):
    for why, other in zip(ordered.explain(ROWS, "kind"), plain.explain(ROWS, "kind"), strict=True):
        assert why.prediction == other.prediction
        assert why.probabilities == other.probabilities
        assert "never" not in why.probabilities
        assert set(why.labels) == set(other.labels)
        assert why.features.prediction == other.features.prediction


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"], ["c", "b", "a"]])
def test_ties_go_to_the_class_that_is_declared_first(order):
    # Nothing tells the rows apart, so that both classes are equally probable.
    table = {"x": [1.0] * 4, "kind": ["a", "b", "a", "b"]}
    model = Model(classes={"kind": order}).fit(table)
    first = next(one for one in order if one != "c")
    assert model.predict({"x": [1.0]}, "kind").tolist() == [first]
    why = model.explain({"x": [1.0]}, "kind")[0]
    assert why.prediction == next(iter(why.probabilities)) == first


def test_a_class_that_comes_later_takes_its_place_or_follows():
    model = Model(classes={"kind": ORDER}).fit(TABLE)
    model.add({"x": [60.0, 60.1, 80.0], "kind": ["never", "never", "surprise"]})
    assert model.schema_["kind"].class_order == (*ORDER, "surprise")
    probabilities = model.predict_proba({"x": [60.0]}, "kind")
    assert probabilities.shape == (1, 5)
    assert probabilities[0, 1] > 0
    model.refresh()
    assert model.schema_["kind"].class_order == (*ORDER, "surprise")


def test_the_order_is_saved_and_loaded(ordered, plain, tmp_path):
    ordered.save(tmp_path / "m")
    again = vicinal.load(tmp_path / "m")
    assert again.schema_["kind"].class_order == tuple(ORDER)
    assert again.classes == {"kind": ORDER}
    np.testing.assert_array_equal(
        again.predict_proba(ROWS, "kind"), ordered.predict_proba(ROWS, "kind")
    )
    plain.save(tmp_path / "p")
    assert vicinal.load(tmp_path / "p").schema_["kind"].classes is None


def test_many_classes_are_saved_and_loaded(tmp_path):
    order = [f"class {i}" for i in range(300)]
    model = Model(classes={"kind": order}, max_rounds=1).fit(
        {"x": [1.0, 2.0, 3.0], "kind": ["class 2", "class 1", "class 2"]}
    )
    model.save(tmp_path / "m")
    assert vicinal.load(tmp_path / "m").schema_["kind"].class_order == tuple(order)


def test_declared_classes_make_numbers_nominal():
    model = Model(classes={"kind": [2, 1]}).fit({"x": X, "kind": [1] * 9 + [2] * 9})
    assert model.schema_["kind"].kind == "nominal"
    assert model.predict_proba({"x": [0.0]}, "kind").argmax() == 1


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"classes": ["a"]}, ParameterError, "expected a dict of names and their classes"),
        ({"classes": {"kind": "a"}}, ParameterError, "expected a list of classes"),
        ({"classes": {"kind": []}}, FeatureError, "at least one"),
        ({"classes": {"kind": ["a", None]}}, FeatureError, "none that is missing"),
        ({"classes": {"kind": ["a", "a"]}}, FeatureError, "classes .* 'a' twice"),
        ({"classes": {"kin": ["a"]}}, FeatureError, "Did you mean 'kind'"),
        ({"classes": {"x": [1]}, "kinds": {"x": "continuous"}}, FeatureError, "by classes"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        Model(**settings).fit(TABLE)
