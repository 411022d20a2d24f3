"""Certificates by the Model and by the estimators."""

import numpy as np
import pandas as pd
import pytest

from vicinal import Model, ParameterError, VicinalClassifier, VicinalRegressor
from vicinal.data import load_penguins
from vicinal.exceptions import FeatureError

PENGUINS = pd.DataFrame(load_penguins()).dropna().reset_index(drop=True)
MADE = {"influence": "probability", "scores": False, "n_jobs": 1, "max_members": 4}


@pytest.fixture(scope="module")
def model():
    return Model(**MADE).fit(PENGUINS.iloc[::2])


ROWS = PENGUINS.iloc[1:40:12]


def test_the_smallest_known_change_is_real_and_outside_the_certified_radius(model):
    found = model.certify(ROWS, "species")
    assert (found.radius > 0).all()
    for at, changes in enumerate(found.counterexamples):
        if changes is None:
            assert found.flip[at] == np.inf
            continue
        changed = ROWS.iloc[[at]].copy()
        for name, (before, after) in changes.items():
            assert changed[name].iloc[0] == before
            changed[name] = [after]
            limit = found.flip[at] * found.units[name] * (1 + 1e-9)
            assert abs(after - before) <= limit
            assert name not in ("year", "flipper_length_mm") or after == round(after)
        assert model.predict(changed, "species")[0] != found.predictions[at]
        assert found.flip[at] > found.radius[at]
    assert any(changes for changes in found.counterexamples)


def test_what_cannot_change_makes_the_radius_larger(model):
    row = ROWS.iloc[[0]]
    options = {"attack": False, "training": False}
    free = model.certify(row, "species", **options)
    few = model.certify(row, "species", immutable=["bill_length_mm", "bill_depth_mm"], **options)
    none = model.certify(row, "species", immutable=list(free.units), **options)
    assert free.radius[0] < few.radius[0]
    assert "bill_length_mm" not in few.units
    assert none.radius[0] == np.inf


def test_the_sum_of_changes_may_be_larger_than_each_of_them(model):
    options = {"attack": False, "training": False, "max_boxes": 4}
    by_residuals = Model(weighting="irw", n_jobs=1).fit(PENGUINS[::2])
    for one in (model, by_residuals):
        each = one.certify(ROWS, "species", **options)
        together = one.certify(ROWS, "species", norm="sum", **options)
        assert (together.radius >= 0.9 * each.radius).all()
    assert together.radius.sum() > 1.2 * each.radius.sum()


def test_numbers_that_change_by_steps_hold_farther_and_not_only_where_they_change():
    rng = np.random.default_rng(0)
    rooms = rng.integers(1, 5, 120)
    table = {"rooms": rooms.astype(float), "size": rng.normal(size=120)}
    table["kind"] = np.where(rooms >= 3, "house", "flat").tolist()
    made = Model(influence="probability", scores=False, n_jobs=1).fit(table)
    row = {"rooms": [4.0], "size": [0.0]}
    options = {"attack": False, "training": False}
    any_value = made.certify(row, "kind", **options)
    stepped = made.certify(row, "kind", steps=True, **options)
    assert stepped.radius[0] >= any_value.radius[0]
    # A step of one room is possible from here on, and three rooms still make a house.
    assert stepped.radius[0] * stepped.units["rooms"] >= 1
    found = made.certify(row, "kind", steps=True, training=False)
    assert found.flip[0] > found.radius[0]


def test_a_row_without_a_certificate_says_why():
    rng = np.random.default_rng(0)
    table = {"x": np.repeat([0.0, 1.0], 30), "z": rng.normal(size=60)}
    table["y"] = (["a"] * 30 + ["b"] * 30)[:60]
    model = Model(n_jobs=1, max_members=1).fit(table)
    tied = model.certify({"x": [0.5], "z": [0.0]}, "y", attack=False, training=False)
    certain = model.certify({"x": [0.0], "z": [0.0]}, "y", attack=False, training=False)
    assert certain.reasons == (None,)
    assert "reason" not in certain.columns()
    if tied.radius[0] == 0:
        assert "reason" in tied.columns()
        assert "No certificate for row 0" in repr(tied)


def test_amounts_are_in_the_units_of_the_features(model):
    found = model.certify(ROWS, "species", attack=False, training=False)
    scaled = Model(**MADE).fit(
        PENGUINS.iloc[::2].assign(body_mass_g=lambda t: t.body_mass_g / 1000)
    )
    rows = ROWS.assign(body_mass_g=lambda t: t.body_mass_g / 1000)
    again = scaled.certify(rows, "species", attack=False, training=False)
    np.testing.assert_allclose(again.radius, found.radius, rtol=1e-6)
    np.testing.assert_allclose(
        1000 * again.amounts["body_mass_g"], found.amounts["body_mass_g"], rtol=1e-6
    )


def test_the_text_of_one_row_says_whether_all_features_may_change_at_once(model):
    options = {"attack": False, "training": False, "max_boxes": 1}
    each, shared = (
        str(model.certify(ROWS.iloc[[0]], "species", norm=norm, **options))
        for norm in ("max", "sum")
    )
    assert "certified change  " in each
    assert "certified change, alone" in shared
    for text in (each, shared):
        assert "unknown" in text  # nobody looked for a change that alters the prediction
        assert "Features that are not listed stay as they are." in text


def test_certificates_depend_on_neither_rows_beside_nor_threads_nor_a_file(model, tmp_path):
    options = {"attack": False, "training": False}
    all_at_once = model.certify(ROWS, "species", **options)
    alone = model.certify(ROWS.iloc[[2]], "species", **options)
    assert alone.radius[0] == all_at_once.radius[2]
    model.save(tmp_path / "m.vicinal")
    import vicinal

    again = vicinal.load(tmp_path / "m.vicinal").certify(ROWS, "species", **options)
    np.testing.assert_array_equal(again.radius, all_at_once.radius)


def test_a_number_stays_within_its_tolerance(model):
    rows = ROWS.iloc[:2]
    options = {"training": False, "max_boxes": 4}
    narrow = model.certify(rows, "body_mass_g", tolerance=50, attack=False, **options)
    wide = model.certify(rows, "body_mass_g", tolerance=500, **options)
    assert (narrow.radius <= wide.radius).all()
    assert (wide.radius > 0).any()
    assert wide.tolerance.tolist() == [500.0, 500.0]
    default = model.certify(ROWS.iloc[:1], "body_mass_g", attack=False, **options)
    low, high = model.predict_interval(ROWS.iloc[:1], "body_mass_g")
    assert default.tolerance[0] == pytest.approx((high[0] - low[0]) / 2)


def test_a_decision_is_certified_as_it_is_made(model):
    plain = model.certify(ROWS, "species", attack=False, training=False)
    weights = {"Adelie": 50.0, "Chinstrap": 1.0, "Gentoo": 1.0}
    kind = model.certify(ROWS, "species", attack=False, training=False, class_weight=weights)
    adelie = plain.predictions == "Adelie"
    assert adelie.any()
    assert (kind.predictions[adelie] == "Adelie").all()
    assert (kind.radius[adelie] >= 0.9 * plain.radius[adelie]).all()


def test_a_stored_case_is_certified_without_itself(model):
    label = PENGUINS.index[::2][3]
    found = model.certify(case=label, target="species", attack=False)
    assert found.rows == (label,)
    again = model.certify(PENGUINS.loc[[label]], "species", attack=False)
    assert found.labels[0] == again.labels[0]


def test_estimators_certify_too():
    X, y = PENGUINS.drop(columns=["species", "island", "sex"]), PENGUINS["species"]
    made = {"influence": "probability", "scores": False, "max_members": 2, "n_jobs": 1}
    classifier = VicinalClassifier(**made).fit(X[::2], y[::2])
    found = classifier.certify(X[1:8:3], immutable=["year"], training=False)
    np.testing.assert_array_equal(found.predictions, classifier.predict(X[1:8:3]))
    assert (found.radius > 0).all()
    assert "year" not in found.units
    regressor = VicinalRegressor(**made).fit(X[::2].to_numpy()[:, :2], X["body_mass_g"][::2])
    rows = X[1:4].to_numpy()[:, :2]
    certified = regressor.certify(rows, tolerance=400.0, immutable=[1], training=False)
    np.testing.assert_allclose(certified.predictions, regressor.predict(rows))
    assert list(certified.units) == ["x0"]


def test_a_frame_has_the_amounts(model):
    frame = model.certify(ROWS, "species", attack=False).to_frame("pandas")
    assert frame["radius"].dtype == float
    assert {"± body_mass_g", "labels", "removals_at_least", "prediction"} <= set(frame.columns)
    assert len(frame) == len(ROWS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": "maximum"}, "norm='maximum'; expected 'max' or 'sum'. Did you mean 'max'?"),
        ({"tolerance": 3.0}, "tolerance is for numbers"),
        ({"attack": "yes"}, "attack='yes'; expected True or False"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(model, options, message):
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        model.certify(ROWS, "species", **options)


def test_an_unknown_feature_is_refused(model):
    with pytest.raises(FeatureError, match="body_mass_g"):
        model.certify(ROWS, "species", immutable=["body_mass"])


def test_a_cyclic_target_is_refused():
    table = {"hour": [1.0, 5.0, 9.0, 13.0, 17.0, 21.0], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    model = Model(cyclic_features={"hour": 24}, n_jobs=1).fit(table)
    with pytest.raises(ParameterError, match="cyclic"):
        model.certify({"x": [2.5]}, "hour")


def test_a_single_class_holds_whatever_changes():
    table = {"x": [1.0, 2.0, 3.0, 4.0] * 5, "y": ["a"] * 20}
    found = Model(**MADE).fit(table).certify({"x": [1.5]}, "y")
    assert found.radius[0] == np.inf
    assert found.labels[0] == np.inf
    assert "≥" not in str(found)
    assert "inf" not in str(found)


def test_a_number_that_depends_on_no_case_has_a_certificate():
    # Before, removing all cases was an error within numpy.
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=60), "y": rng.normal(size=60), "c": rng.choice(list("ab"), 60)}
    rows = {"y": [table["y"][0] + 0.1], "c": ["a"]}
    found = Model().fit(table).certify(rows, "x")
    assert found.radius[0] > 1000
    assert found.labels[0] == np.inf
    assert "e+" not in str(found)


def test_a_frame_has_amounts_of_times_in_a_unit_that_its_columns_name():
    rng = np.random.default_rng(0)
    start = np.datetime64("2024-01-01T00:00:00") + np.arange(60) * np.timedelta64(5, "h")
    end = start + (rng.normal(size=60) * 7000).astype("timedelta64[s]")
    model = Model(max_queries=60).fit({"start": start, "load": rng.normal(size=60), "end": end})
    found = model.certify({"start": start[:1], "load": [0.0]}, "end", attack=False)
    frame = found.to_frame("pandas")
    assert found.tolerance is not None
    assert frame["tolerance (hours)"][0] == pytest.approx(found.tolerance[0] / 3600)
    assert frame["± start (hours)"][0] == pytest.approx(found.amounts["start"][0] / 3600)
    assert frame["± load"][0] == found.amounts["load"][0]
    assert f"± {frame['± start (hours)'][0]:.3g} h" in str(found)


def test_numbers_as_large_as_nanoseconds_are_certified_without_a_warning():
    # Before, an overflow in a division.
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    for outcome in (np.round(x), np.where(x > 0, 3.0, 0.0)):
        small = Model(max_queries=60).fit({"x": x, "y": outcome})
        large = Model(max_queries=60).fit({"x": x, "y": outcome * 1e17})
        rows = {"x": [0.5, 2.0]}
        found = [one.certify(rows, "y", attack=False).radius for one in (small, large)]
        np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
