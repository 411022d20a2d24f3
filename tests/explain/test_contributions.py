"""Laws of contributions, on tables as people have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from tests.naive import explain as naive_explain
from vicinal import Model
from vicinal.exceptions import FeatureError, ParameterError
from vicinal.explain.coalitions import coalition_values
from vicinal.index.coalitions import coalition_of
from vicinal.prediction.predictor import learn

WAYS = [{}, {"influence": "centered"}, {"influence": "probability"}, {"weighting": "irw"}]
ways = st.sampled_from(WAYS)


def size_of(frame):
    """How large the numbers of the target are; probabilities are of size 1."""
    return 1.0 if frame.words else np.nanmax(np.abs(frame.table[frame.target])) or 1.0


def assert_sums_hold(found, size=1.0):
    total = found.values.sum(axis=1) + found.baseline
    np.testing.assert_allclose(total, found.predictions, rtol=0, atol=1e-9 * max(size, 1.0))


@settings(max_examples=25)
@given(frame=frames(), way=ways, exact_up_to=st.sampled_from([0, 10]))
def test_baseline_and_contributions_sum_to_the_prediction(frame, way, exact_up_to):
    model = Model(**way).fit(frame.table)
    found = model.contributions(frame.rows, frame.target, exact_up_to=exact_up_to)
    assert_sums_hold(found, size_of(frame))
    if frame.words:
        said = model.predict_proba(frame.rows, frame.target)
    else:
        said = model.predict(frame.rows, frame.target)
    np.testing.assert_array_equal(found.predictions, said)


@settings(max_examples=10)
@given(frame=frames(), way=ways)
def test_stored_cases_are_explained_without_themselves(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.contributions(None, frame.target)
    assert len(found) == frame.n
    assert_sums_hold(found, size_of(frame))
    if not frame.words:
        np.testing.assert_array_equal(found.predictions, model.predict(None, frame.target))


@settings(max_examples=15)
@given(frame=frames(), way=ways)
def test_contributions_are_the_mean_over_all_orders(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.contributions(frame.rows, frame.target)
    fitted = model._ready()
    rows = fitted.rows(frame.rows, frame.target)
    predictor = learn(fitted, frame.target, rows.columns)
    able = predictor.players()
    chains = [(a,) for a in able] + [(a, b) for a in able for b in able if a < b]
    places, values = coalition_values(predictor, chains, rows)
    for row in range(len(rows)):

        def value(columns, row=row):
            if not columns:
                return np.asarray(found.baseline)
            if len(columns) == len(able):
                return found.predictions[row]
            return values[row, places[coalition_of(columns)]].reshape(np.shape(found.baseline))

        expected = naive_explain.shapley_values(value, able, len(model.schema_))
        expected = np.broadcast_to(expected, (len(model.schema_), *np.shape(found.baseline)))
        for place, name in enumerate(found.names):
            np.testing.assert_allclose(
                found.values[row, place],
                expected[model.schema_.column(name)],
                atol=1e-9 * size_of(frame),
            )


@settings(max_examples=20)
@given(frame=frames(), way=ways, exact_up_to=st.sampled_from([0, 10]))
def test_identical_columns_share_equally_and_constant_ones_get_nothing(frame, way, exact_up_to):
    table = {**frame.table, "copy": frame.table["b"], "constant": np.full(frame.n, 2.0)}
    rows = {**frame.rows, "copy": frame.rows["b"], "constant": np.full(len(frame.rows["b"]), 9.0)}
    found = Model(**way).fit(table).contributions(rows, frame.target, exact_up_to=exact_up_to)
    by_name = dict(zip(found.names, np.moveaxis(found.values, 1, 0), strict=True))
    np.testing.assert_allclose(by_name["copy"], by_name["b"], atol=1e-9 * size_of(frame))
    assert not by_name["constant"].any()
    assert_sums_hold(found, size_of(frame))


@settings(max_examples=12)
@given(frame=frames(ties=False, repeated=False), seed=st.integers(0, 99))
def test_the_order_of_rows_and_columns_changes_nothing(frame, seed):
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(frame.n), rng.permutation(list(frame.table)).tolist()
    first = Model().fit(frame.table).contributions(frame.rows, frame.target)
    shuffled = {name: frame.table[name][order] for name in names}
    second = Model().fit(shuffled).contributions(frame.rows, frame.target)
    places = [second.names.index(name) for name in first.names]
    np.testing.assert_allclose(
        first.values, second.values[:, places], rtol=1e-6, atol=1e-6 * size_of(frame)
    )


def many_columns(n=150, d=7, seed=0):
    rng = np.random.default_rng(seed)
    table = {f"x{i}": rng.normal(size=n) for i in range(d)}
    table["x1"] = table["x1"] + 0.7 * table["x0"]
    table["group"] = np.where(table["x2"] > 0, "high", "low")
    table["y"] = table["x0"] * table["x1"] - 2 * table["x3"] + (table["group"] == "high")
    return table


def take(table, count):
    return {name: values[:count] for name, values in table.items()}


@pytest.mark.parametrize("target", ["y", "group"])
def test_sampled_contributions_lie_within_four_standard_errors_of_the_exact_ones(target):
    table = many_columns()
    model = Model(max_queries=150).fit(table)
    exact = model.contributions(take(table, 6), target)
    sampled = model.contributions(take(table, 6), target, exact_up_to=0, n_permutations=60)
    assert not exact.standard_errors.any()
    assert sampled.standard_errors.max() > 0
    off = np.abs(sampled.values - exact.values)
    assert (off <= 4 * sampled.standard_errors + 1e-9).all()
    assert_sums_hold(sampled)


def test_sampling_repeats_and_does_not_depend_on_what_else_is_asked():
    table = many_columns()
    model = Model(max_queries=150).fit(table)
    options = {"exact_up_to": 2, "n_permutations": 6}
    all_rows = model.contributions(take(table, 5), "y", **options)
    alone = model.contributions(take(table, 1), "y", **options)
    np.testing.assert_array_equal(all_rows.values[:1], alone.values)
    other = model.contributions(take(table, 5), "y", random_state=7, **options)
    assert (other.values != all_rows.values).any()


def test_a_time_budget_takes_fewer_orders_or_all_subsets():
    table = many_columns()
    model, rows = Model(max_queries=60, max_members=2).fit(table), take(table, 3)
    exact = model.contributions(rows, "y")
    short = model.contributions(rows, "y", time_budget=1e-6)
    assert_sums_hold(short)
    assert short.standard_errors.max() > exact.standard_errors.max() == 0
    enough = model.contributions(rows, "y", time_budget=600)
    np.testing.assert_array_equal(enough.values, exact.values)


def test_a_cyclic_target_is_explained_the_shorter_way_round():
    rng = np.random.default_rng(0)
    warm = rng.random(200) < 0.5
    hour = (np.where(warm, 1.0, 22.0) + rng.normal(size=200) / 3) % 24
    table = {"warm": np.where(warm, "yes", "no"), "noise": rng.normal(size=200), "hour": hour}
    model = Model(cyclic_features={"hour": 24}).fit(table)
    found = model.contributions({"warm": ["yes", "no"], "noise": [0.0, 0.0]}, "hour")
    assert_sums_hold(found)
    assert 23 < found.baseline < 24 or 0 <= found.baseline < 1
    assert np.abs(found.values[:, 0]).max() < 3
    assert found.values[0, 0] > 1 > -1 > found.values[1, 0]


def test_cases_that_come_and_go_are_explained_with():
    table = many_columns()
    model = Model(max_queries=100).fit(take(table, 100))
    before = model.contributions(take(table, 3), "group", context=["x0", "x2"])
    added = model.add({name: values[100:] for name, values in table.items()})
    more = model.contributions(take(table, 3), "group", context=["x0", "x2"])
    assert_sums_hold(more)
    assert (more.values != before.values).any()
    model.remove(added)
    again = model.contributions(take(table, 3), "group", context=["x0", "x2"])
    np.testing.assert_allclose(again.values, before.values, atol=1e-9)


def test_a_table_of_one_case_or_of_no_rows_is_explained():
    model = Model().fit({"a": [1.0], "word": ["x"], "y": [3.0]})
    alone = model.contributions({"a": [5.0], "word": ["z"]}, "y")
    assert alone.predictions.tolist() == [3.0]
    assert not alone.values.any()
    none = Model().fit(many_columns(30)).contributions({"x0": [], "x1": []}, "y")
    assert none.values.shape == (0, 2)
    assert none.overall().size.tolist() == [0.0, 0.0]
    assert repr(none) == "Contributions to 0 predictions"


def test_a_feature_can_be_left_out_of_the_context():
    table = many_columns()
    found = (
        Model(max_queries=100).fit(table).contributions(take(table, 3), "y", context=["x3", "x0"])
    )
    assert found.names == ("x0", "x3")
    assert found.values.shape == (3, 2)


@pytest.mark.parametrize("target", ["y", "group"])
def test_results_become_frames_and_text(target):
    table = many_columns()
    found = (
        Model(max_queries=100)
        .fit(table)
        .contributions(take(table, 7), target, exact_up_to=3, n_permutations=4)
    )
    frame = found.to_frame("pandas")
    width = 1 if found.classes is None else len(found.classes)
    assert len(frame) == found.values.size == 7 * len(found.names) * width
    np.testing.assert_array_equal(frame["contribution"], found.values.ravel())
    assert "… and 5 more rows" in repr(found)
    overall = found.overall()
    assert len(overall.to_frame("pandas")) == len(overall) * width
    first = repr(overall).partition("feature  mean size")[2].splitlines()[1]
    assert first.split()[0] == found.names[overall.order[0]]


def test_overall_directions_follow_the_values():
    rng = np.random.default_rng(1)
    table = {name: rng.normal(size=150) for name in "ab"}
    table["y"] = 3 * table["a"] - 2 * table["b"]
    overall = Model().fit(table).contributions(take(table, 80), "y").overall()
    assert overall.direction[0] > 0.9
    assert overall.direction[1] < -0.9
    assert overall.order.tolist() == [0, 1]


def test_wrong_arguments_are_refused():
    model = Model().fit({"a": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(
        ParameterError, match="n_permutations=1; expected a whole number, at least 4"
    ):
        model.contributions({"a": [1.0]}, "y", n_permutations=1)
    with pytest.raises(ParameterError, match="exact_up_to"):
        model.contributions({"a": [1.0]}, "y", exact_up_to=-1)
    with pytest.raises(ParameterError, match="at most 16"):
        model.contributions({"a": [1.0]}, "y", exact_up_to=17)
    with pytest.raises(FeatureError, match="Did you mean"):
        model.contributions({"a": [1.0]}, "yy")
