"""Drift by the Model."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.quality.tables import ODD, labeled_table
from vicinal import Model, TableError


def test_a_shift_is_found_in_the_feature_that_moved():
    model = Model(n_jobs=1).fit(labeled_table(150))
    new = labeled_table(100, seed=2)
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


def test_columns_that_are_nearly_always_zero_do_not_go_together_differently_by_chance():
    rng = np.random.default_rng(0)

    def draw(n, share):
        some = rng.random(n) < share
        paid = np.where(some & (rng.random(n) < 0.8), rng.integers(1, 900, n), 0)
        return pd.DataFrame({"late": np.where(some, rng.integers(1, 4, n), 0), "paid": paid})

    for share in (0.006, 0.3):  # of two or of 90 of 300 new rows, a correlation is known well
        model = Model(kinds=dict.fromkeys(("late", "paid"), "continuous"), n_jobs=1)
        model.fit(draw(1500, share))
        drifts = [model.drift(draw(300, share), shuffles=9) for _ in range(10)]
        assert sum(drift.pair is not None for drift in drifts) <= 3
    apart = draw(300, 0.3)
    apart["paid"] = rng.permutation(apart["paid"])
    assert model.drift(apart, shuffles=9).pair.features == ("late", "paid")


def test_where_no_feature_shows_a_change_it_is_said_what_has_changed():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(800, 3))
    table = pd.DataFrame({"a": z[:, 0], "b": 0.9 * z[:, 0] + 0.4 * z[:, 1], "c": z[:, 2]})
    model = Model(n_jobs=1).fit(table.iloc[:400])
    turned = model.drift(table.iloc[400:].assign(b=lambda t: -t["b"]), shuffles=99)
    assert turned.changed()
    assert set(turned.pair.features) == {"a", "b"}
    assert turned.pair.before > 0.8
    assert turned.pair.after < -0.8
    assert "go together differently: rank correlation 0.9" in repr(turned)
    same = model.drift(table.iloc[400:], shuffles=99)
    assert same.pair is None
    assert same.remarks == ()
    turn = rng.uniform(0, 2 * np.pi, 800)
    ring = pd.DataFrame({"a": np.cos(turn), "b": np.sin(turn)})
    mixed = ring.iloc[400:].assign(b=rng.permutation(np.sin(turn[400:])))
    found = Model(n_jobs=1).fit(ring.iloc[:400]).drift(mixed, shuffles=99)
    assert found.changed()
    if (found.p_adjusted > 0.05).all():
        assert "combine values differently" in repr(found)
    assert found.to_dict()["remarks"] == list(found.remarks)


def test_a_change_says_where_the_gap_is():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=300), "level": rng.choice([1, 2, 3], 300)})
    model = Model(n_jobs=1, kinds={"level": "ordinal"}).fit(table)
    wide = table.assign(a=table["a"] * 3, level=np.where(rng.random(300) < 0.4, 1, table["level"]))
    found = model.drift(wide, shuffles=99)
    said = dict(zip(found.features, found.changes, strict=True))
    assert re.fullmatch(r"at most .*: .* % → .* %", said["a"])
    assert said["level"].startswith("at most 1: ") or said["level"].startswith("median 2 → 1")
    moved = model.drift(table.assign(a=table["a"] + 1), shuffles=99)
    assert "median " in moved.changes[moved.features.index("a")]


def test_equal_weights_choose_the_cases_that_none_do():
    table = labeled_table(300)
    plain = Model(n_jobs=1).fit(table).drift(table, shuffles=19, max_rows=100)
    for weights in (np.full(300, 3.0), 1 + 1e-9 * np.arange(300)):
        weighted = Model(n_jobs=1).fit(table, sample_weight=weights)
        found = weighted.drift(table, shuffles=19, max_rows=100)
        assert found.gap.max() == plain.gap.max() == 0


def test_new_categories_missing_values_and_once_constant_features_are_changes():
    table = labeled_table(80)
    table["flat"] = 1.0
    new = labeled_table(60, seed=1)
    new["flat"] = np.arange(60) % 2 + 1.0
    new["kind"] = "sideways"
    new.loc[:40, "noise"] = np.nan
    drift = Model(n_jobs=1).fit(table).drift(new, shuffles=199)
    sure = dict(zip(drift.features, drift.p_own, strict=True))
    assert sure["flat"] == sure["kind"] == sure["noise"] == pytest.approx(1 / 200)
    said = dict(zip(drift.features, drift.changes, strict=True))
    assert said["kind"] == "unseen categories: 0 % → 100 %"
    assert said["noise"].startswith("missing: 0 % → ")


def test_drift_depends_neither_on_the_order_of_rows_nor_on_threads_or_units():
    table, new = labeled_table(60), labeled_table(50, seed=1)
    one = Model(n_jobs=1).fit(table).drift(new, shuffles=99)
    other = Model(n_jobs=2).fit(table.iloc[::-1].assign(x=lambda t: 3 * t["x"] + 1))
    again = other.drift(new.iloc[::-1].assign(x=lambda t: 3 * t["x"] + 1), shuffles=99)
    assert one.features == again.features
    np.testing.assert_allclose(one.p_own, again.p_own, atol=0.15)
    np.testing.assert_allclose(one.gap, again.gap)
    same = Model(n_jobs=2).fit(table.iloc[::-1]).drift(new.iloc[::-1], shuffles=99)
    assert same.to_dict() == one.to_dict()


def test_drift_results_are_plain():
    drift = (
        Model(n_jobs=1)
        .fit(labeled_table(40))
        .drift(labeled_table(30, seed=1)[["x", "kind"]], shuffles=49)
    )
    assert set(drift.features) == {"x", "kind"}
    assert drift.to_frame("pandas").shape == (2, 6)
    assert json.loads(json.dumps(drift.to_dict()))["n_new"] == 30
    assert "Drift of 30 new rows from 40 cases" in repr(drift)


def test_one_row_can_be_compared_and_none_cannot():
    model = Model(n_jobs=1).fit(labeled_table(30))
    assert 0 < model.drift(labeled_table(1), shuffles=49).p_value <= 1
    with pytest.raises(TableError, match="no new rows"):
        model.drift(labeled_table(2).iloc[:0])


@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_does_not_differ_from_itself(name):
    table = ODD[name]
    assert not Model(n_jobs=1, max_queries=20).fit(table).drift(table, shuffles=19).changed()


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


def test_a_sample_of_the_stored_cases_has_not_drifted():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"c{at}": rng.choice(list("pqrstuvw"), 200) for at in range(8)})
    model = Model(n_jobs=1).fit(table)
    for seed in range(4):
        # Predicted by the stored cases that they are, every feature would seem to have changed.
        found = model.drift(table.sample(50, random_state=seed), shuffles=99)
        assert found.p_given_others.min() > 0.01
        assert not found.changed(0.02)


def test_the_amount_says_what_it_measures_and_what_did_not_change_is_not_described():
    table = labeled_table(60)
    found = Model(n_jobs=1).fit(table).drift(table, shuffles=19)
    assert set(found.changes) == {"none"}
    assert "60 new rows from 60 cases: no sign of change" in repr(found)
    assert "whether a row is new (0: not at all, 1: always)" in " ".join(repr(found).split())
    single = Model(n_jobs=1).fit({"a": [1.0]}).drift({"a": [1.0]}, shuffles=19)
    assert "Drift of 1 new row from 1 case:" in repr(single)
