"""Audits, reductions and drift by the Model."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from vicinal import Model, ParameterError, TableError


def moons(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    return pd.DataFrame(
        {"x": x, "y": y, "noise": rng.normal(size=n), "kind": np.where(x + y > 0, "up", "down")}
    )


@pytest.fixture(scope="module")
def flipped():
    table = moons()
    far = np.flatnonzero((table["x"] + table["y"]).abs() > 1.5)[:5]
    table.loc[far, "kind"] = np.where(table.loc[far, "kind"] == "up", "down", "up")
    return table, set(far.tolist())


@pytest.fixture(scope="module")
def audit(flipped):
    return Model(n_jobs=1, max_queries=200).fit(flipped[0]).audit("kind")


def test_no_label_is_doubted_where_nothing_tells_labels():
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


def test_features_that_tell_nothing_of_the_target_are_named(audit):
    assert [one.feature for one in audit.of("feature")] == ["noise"]


def test_wrong_numbers_are_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(150, 2))
    y = x @ [2.0, -1.0] + 0.05 * rng.normal(size=150)
    y[[5, 77]] += [6.0, -6.0]
    found = Model(n_jobs=1).fit({"a": x[:, 0], "b": x[:, 1], "y": y}).audit("y").of("label")
    assert {one.case for one in found[:2]} == {5, 77}
    assert len(found) <= 4


def test_duplicates_are_named_once_and_near_ones_with_what_differs():
    table = moons(80)
    table.loc[80] = table.loc[3]
    table.loc[81] = table.loc[9]
    table.loc[81, "x"] += 1e-6
    found = Model(n_jobs=1).fit(table).audit().of("duplicate")
    assert [(one.case, one.details["twin"]) for one in found] == [(80, 3), (81, 9)]
    assert found[0].evidence == "equal to case 3"
    assert found[1].details["differs_in"] == ["x"]
    assert 0 < found[1].score < 1


def test_cases_of_weight_two_are_no_duplicates_of_themselves():
    audit = Model(n_jobs=1).fit(moons(40), sample_weight=np.full(40, 2.0)).audit()
    assert audit.of("duplicate") == ()


def test_where_most_cases_repeat_being_near_says_nothing():
    table = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
    found = Model(categorical_features=["a", "b"]).fit(table).audit().of("duplicate")
    assert all(one.details["differs_in"] == [] for one in found)


def test_rows_of_a_test_that_training_has_seen_are_leaks_whatever_their_target():
    table = moons(100)
    test = moons(20, seed=5)
    test.loc[4] = table.loc[17]
    test.loc[4, "kind"] = "down" if table.loc[17, "kind"] == "up" else "up"
    audit = Model(n_jobs=1).fit(table).audit("kind", test=test)
    assert [(one.case, one.details["twin"]) for one in audit.of("leak")] == [(4, 17)]
    assert "leak" in audit.looked_for
    unlabelled = test.drop(columns="kind")
    again = Model(n_jobs=1).fit(table).audit(test=unlabelled)
    assert [one.case for one in again.of("leak")] == [4]


def test_unusual_cases_come_with_the_features_responsible():
    table = moons(100)
    table.loc[50, "noise"] = 30.0
    found = Model(n_jobs=1).fit(table).audit().of("unusual")
    assert found[0].case == 50
    assert next(iter(found[0].details["features"])) == "noise"


def test_constant_missing_unique_and_copied_features_are_named():
    table = moons(30)
    table["one"] = 1.0
    table["none"] = np.nan
    table["name"] = [f"n{i}" for i in range(30)]
    table["inches"] = table["x"] / 2.54
    found = Model(n_jobs=1).fit(table).audit().of("feature")
    assert {one.feature for one in found} == {"one", "none", "name", "inches"}


def test_a_clean_table_raises_few_alarms():
    audit = Model(n_jobs=1).fit(moons(150, seed=3)).audit("kind")
    assert len(audit.of("label")) <= 8
    assert audit.of("duplicate") == ()
    assert len(audit.of("unusual")) <= 8


def test_audits_are_plain(audit):
    frame = audit.to_frame("polars")
    assert frame.columns == ["kind", "case", "feature", "score", "evidence"]
    assert frame.height == len(audit) == len(list(audit))
    assert json.loads(json.dumps(audit.to_dict()))["target"] == "kind"
    assert "outcomes that are likely wrong" in repr(audit)


def test_audits_do_not_depend_on_the_order_of_rows(flipped, audit):
    table = flipped[0]
    order = np.random.default_rng(0).permutation(len(table))
    again = Model(n_jobs=2, max_queries=200).fit(table.iloc[order]).audit("kind")
    assert {order[one.case] for one in again.of("label")} == {
        one.case for one in audit.of("label")
    }


def test_a_reduced_model_is_smaller_and_states_its_loss():
    model = Model(n_jobs=1, max_queries=200).fit(moons(200))
    reduction = model.reduce(share=0.25, target="kind")
    assert len(reduction.model) == len(reduction) == 50
    assert reduction.weights.sum() == pytest.approx(200)
    assert reduction.loss < 0.15
    fresh = moons(300, seed=9)
    right = reduction.model.predict(fresh, "kind") == fresh["kind"]
    assert right.mean() > 0.85
    assert len(model) == 200


def test_reducing_beats_dropping_cases_at_random():
    table, fresh = moons(300), moons(400, seed=1)
    model = Model(n_jobs=1, max_queries=200).fit(table)
    small = model.reduce(n_cases=30, target="kind").model
    loss = -np.log(proba_of(small, fresh)).mean()
    losses = []
    for seed in range(5):
        chosen = table.sample(30, random_state=seed)
        losses.append(-np.log(proba_of(Model(n_jobs=1).fit(chosen), fresh)).mean())
    assert loss < np.mean(losses)


def proba_of(model, rows):
    said = model.predict_proba(rows, "kind")
    codes = [model.schema_["kind"].categories.index(kind) for kind in rows["kind"]]
    return np.maximum(said[np.arange(len(rows)), codes], 1e-3)


def test_equal_cases_are_merged_without_any_loss():
    table = pd.concat([moons(40)] * 3, ignore_index=True)
    model = Model(n_jobs=1).fit(table)
    model.predict(table.iloc[:1], "kind")
    small = model.reduce(n_cases=40).model
    rows = moons(30, seed=4)
    np.testing.assert_allclose(
        small.predict_proba(rows, "kind"), model.predict_proba(rows, "kind"), atol=1e-9
    )
    np.testing.assert_allclose(
        small.conviction(rows).contribution, model.conviction(rows).contribution
    )


def test_the_allowed_loss_is_kept():
    model = Model(n_jobs=1, max_queries=100).fit(moons(160))
    reduction = model.reduce(max_loss=0.05, target="kind")
    assert reduction.loss <= 0.05
    assert len(reduction) < 160
    everything = model.reduce(max_loss=0.5)
    assert everything.loss <= 0.5


def test_reductions_are_plain_and_say_who_speaks_for_whom():
    reduction = Model(n_jobs=1).fit(moons(50)).reduce(n_cases=10)
    assert list(reduction.to_frame().columns) == ["case", "weight"]
    assert set(reduction.speaks.tolist()) == set(reduction.cases.tolist())
    counts = [int((reduction.speaks == case).sum()) for case in reduction.cases]
    assert counts == reduction.weights.tolist()
    assert json.loads(json.dumps(reduction.to_dict()))["n_after"] == 10
    assert "50 cases to 10" in repr(reduction)


@pytest.mark.parametrize(
    "arguments", [{}, {"share": 0.5, "n_cases": 3}, {"share": 1.5}, {"max_loss": -1.0}]
)
def test_reductions_want_one_sound_size(arguments):
    with pytest.raises(ParameterError):
        Model().fit(moons(20)).reduce(**arguments)


def test_what_happens_to_the_smaller_model_is_no_news_of_the_larger():
    model = Model(n_jobs=1).fit(moons(40))
    small = model.reduce(n_cases=10).model
    before = len(model.log_)
    small.add(moons(2, seed=1))
    assert len(model.log_) == before
    assert len(model) == 40
    assert len(small) == 12


def test_cases_of_weight_zero_speak_for_no_one_and_no_one_for_them():
    weights = np.where(np.arange(30) < 5, 0.0, 1.0)
    reduction = Model(n_jobs=1).fit(moons(30), sample_weight=weights).reduce(n_cases=10)
    assert (reduction.speaks[:5] == -1).all()
    assert reduction.cases.min() >= 5
    assert reduction.weights.sum() == 25


def test_one_case_can_be_reduced_to_itself():
    assert len(Model().fit({"x": [1.0]}).reduce(n_cases=1).model) == 1


def test_a_shift_is_found_in_the_feature_that_moved():
    model = Model(n_jobs=1).fit(moons(150))
    new = moons(100, seed=2)
    new["y"] += 1.5
    drift = model.drift(new, shuffles=199)
    assert drift.changed()
    assert drift.p_value == pytest.approx(1 / 200)
    assert drift.features[0] == "y"
    assert drift.p_adjusted[0] < 0.05 < drift.p_own[drift.features.index("x")]
    assert drift.amount > 0.2
    assert "median" in drift.changes[0]


def test_a_broken_relation_is_found_though_every_feature_by_itself_is_the_same():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    table = pd.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=300)})
    new = table.iloc[150:].reset_index(drop=True)
    new["y"] = rng.permutation(new["y"])
    drift = Model(n_jobs=1).fit(table.iloc[:150]).drift(new, shuffles=199)
    assert drift.changed()
    assert drift.p_own.min() > 0.05
    assert drift.p_given_others.min() < 0.05


def test_new_categories_missing_values_and_once_constant_features_are_changes():
    table = moons(80)
    table["flat"] = 1.0
    new = moons(60, seed=1)
    new["flat"] = np.arange(60) % 2 + 1.0
    new["kind"] = "sideways"
    new.loc[:40, "noise"] = np.nan
    drift = Model(n_jobs=1).fit(table).drift(new, shuffles=199)
    sure = dict(zip(drift.features, drift.p_own, strict=True))
    assert sure["flat"] == sure["kind"] == sure["noise"] == pytest.approx(1 / 200)
    said = dict(zip(drift.features, drift.changes, strict=True))
    assert said["kind"] == "unseen categories 0% → 100%"
    assert said["noise"].startswith("missing 0% → ")


def test_drift_depends_neither_on_the_order_of_rows_nor_on_threads_or_units():
    table, new = moons(60), moons(50, seed=1)
    one = Model(n_jobs=1).fit(table).drift(new, shuffles=99)
    other = Model(n_jobs=2).fit(table.iloc[::-1].assign(x=lambda t: 3 * t["x"] + 1))
    again = other.drift(new.iloc[::-1].assign(x=lambda t: 3 * t["x"] + 1), shuffles=99)
    assert one.features == again.features
    np.testing.assert_allclose(one.p_own, again.p_own, atol=0.15)
    np.testing.assert_allclose(one.gap, again.gap)
    same = Model(n_jobs=2).fit(table.iloc[::-1]).drift(new.iloc[::-1], shuffles=99)
    assert same.to_dict() == one.to_dict()


def test_drift_results_are_plain():
    drift = Model(n_jobs=1).fit(moons(40)).drift(moons(30, seed=1)[["x", "kind"]], shuffles=49)
    assert set(drift.features) == {"x", "kind"}
    assert drift.to_frame("pandas").shape == (2, 6)
    assert json.loads(json.dumps(drift.to_dict()))["n_new"] == 30
    assert "Drift of 30 new rows from 40 cases" in repr(drift)


def test_one_row_can_be_compared_and_none_cannot():
    model = Model(n_jobs=1).fit(moons(30))
    assert 0 < model.drift(moons(1), shuffles=49).p_value <= 1
    with pytest.raises(TableError, match="no new rows"):
        model.drift(moons(2).iloc[:0])


ODD = {
    "one row": {"x": [1.0], "c": ["a"]},
    "ties and holes": {"x": [1.0, 1.0, None, 2.0, 2.0], "c": ["a", None, "a", "b", "a"]},
    "nothing known": {"x": [1.0, 2.0, 3.0], "none": [None, None, None]},
    "constant": {"x": [3.0] * 4, "y": [1.0, 2.0, 3.0, 4.0]},
    "huge and tiny": {"x": [1e100, -1e100, 3e99, 2e99], "y": [1e-100, 2e-100, 0.0, 5e-101]},
    "names": {"x": ["a", "b", "c", "d"], "y": [1.0, 2.0, 3.0, 4.0]},
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_are_taken_care_of(name):
    table = ODD[name]
    model = Model(n_jobs=1, max_queries=20).fit(table)
    filled = model.impute(table)
    assert len(filled) == sum(
        value is None for column in table.values() if any(column) for value in column
    )
    assert repr(model.audit("x", test=table))
    assert len(model.reduce(n_cases=1).model) == 1
    assert not model.drift(table, shuffles=19).changed()


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_p_values_of_drift_are_uniform_where_nothing_has_changed(weighted):
    found = {"all": [], "together": [], "own": [], "given": []}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(130, 4)) @ rng.normal(size=(4, 4))
        weights = rng.integers(1, 4, size=80) if weighted else None
        model = Model(n_jobs=1, random_state=seed).fit(rows[:80], sample_weight=weights)
        drift = model.drift(rows[80:], shuffles=199)
        found["all"].append(drift.p_value)
        found["together"].append(drift.together)
        found["own"].append(drift.p_own[drift.features.index("x0")])
        found["given"].append(drift.p_given_others[drift.features.index("x1")])
    for name, p in found.items():
        assert stats.kstest(p, "uniform").pvalue > 1e-3, name
        assert np.mean(np.array(p) <= 0.05) < 0.12, name
