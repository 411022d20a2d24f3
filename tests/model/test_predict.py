"""The Model predicts: laws on mixed tables, examples by hand, errors.

Where a law lets an optimiser run twice on numbers that differ by rounding (other units, another
order of the rows, repetition instead of weights), answers agree to what the optimiser makes of
rounding, not to rounding itself: hence 1e-6. All else is bit by bit.
"""

from __future__ import annotations

import itertools
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from vicinal import Model
from vicinal.exceptions import FeatureError, NotFittedError, ParameterError, TableError

WAYS = [
    {},
    {"influence": "centered"},
    {"influence": "linear"},
    {"influence": "probability"},
    {"weighting": "irw"},
    {"weighting": "mda"},
]
ways = st.sampled_from(WAYS)


@st.composite
def asked(draw, **options):
    """A frame and a way to predict it in which no list of neighbours is cut within a tie.

    There, case numbers decide, so the order of the rows matters. The paper's way has few
    neighbours, so it gets tables without ties; the lists of the others hold all cases.
    """
    way = draw(ways)
    if "weighting" in way:
        options |= {"numbers": ["gaussian", "skewed"], "missing": [0.0], "repeated": False}
        options |= {"words": ["few"], "ties": False}
    return draw(frames(**options)), way


named_ways = pytest.mark.parametrize(
    "way", WAYS, ids=lambda way: "-".join(way.values()) or "default"
)
few = settings(max_examples=12)
CLOSE = 1e-6


def answers(model, frame, rows=None):
    """Everything the model says about the target, as numbers that can be compared."""
    rows = frame.rows if rows is None else rows
    if frame.words:
        return model.predict_proba(rows, frame.target)
    lower, upper = model.predict_interval(rows, frame.target, alpha=0.5)
    return np.column_stack([model.predict(rows, frame.target), lower, upper])


def assert_close(actual, expected, scale=1.0):
    np.testing.assert_allclose(actual, expected, rtol=CLOSE, atol=CLOSE * scale)


def spread_of(frame):
    if frame.words:
        return 1.0
    return np.nanmax(np.abs(frame.table[frame.target])) or 1.0


def without(table, *names):
    return {name: values for name, values in table.items() if name not in names}


# --- laws -----------------------------------------------------------------------------------


@settings(max_examples=30)
@given(frame=frames(), way=ways)
def test_influences_sum_to_one_and_reproduce_the_prediction(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.influences(frame.rows, frame.target)
    total = found.shares.sum(axis=1) + found.background
    np.testing.assert_allclose(total, 1.0, rtol=1e-9)
    if frame.words:
        categories = model.schema_[frame.target].categories
        hit = found.outcomes[:, :, None] == np.arange(len(categories))
        expected = (found.shares[:, :, None] * hit).sum(axis=1)
        expected = expected + found.background * found.expected
        actual = model.predict_proba(frame.rows, frame.target)
        np.testing.assert_allclose(actual, expected, atol=1e-9)
        named = np.array(categories, dtype=object)[actual.argmax(axis=1)]
        np.testing.assert_array_equal(model.predict(frame.rows, frame.target), named)
    else:
        expected = (found.shares * found.outcomes).sum(axis=1)
        expected = expected + found.background * found.expected[0]
        actual = model.predict(frame.rows, frame.target)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9 * spread_of(frame))


@settings(max_examples=20)
@given(frame=frames(target="word"), way=ways)
def test_probabilities_are_not_negative_and_sum_to_one(frame, way):
    probabilities = Model(**way).fit(frame.table).predict_proba(frame.rows, frame.target)
    assert probabilities.min() >= 0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9)


@settings(max_examples=20)
@given(frame=frames(), influence=st.sampled_from(["centered", "probability"]))
def test_centered_and_probability_influences_are_never_negative(frame, influence):
    model = Model(influence=influence).fit(frame.table)
    assert model.influences(frame.rows, frame.target).shares.min(initial=0.0) >= 0


@settings(max_examples=20)
@given(frame=frames(), way=ways, seed=st.integers(0, 99))
def test_the_order_of_the_columns_changes_no_bit(frame, way, seed):
    names = np.random.default_rng(seed).permutation(list(frame.table))
    other = frame._replace(
        table={name: frame.table[name] for name in names},
        rows={name: frame.rows[name] for name in reversed(names)},
    )
    np.testing.assert_array_equal(
        answers(Model(**way).fit(other.table), other),
        answers(Model(**way).fit(frame.table), frame),
    )


@settings(max_examples=20)
@given(drawn=asked(), seed=st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(drawn, seed):
    frame, way = drawn
    order = np.random.default_rng(seed).permutation(frame.n)
    other = frame._replace(table={name: v[order] for name, v in frame.table.items()})
    assert_close(
        answers(Model(**way).fit(other.table), other),
        answers(Model(**way).fit(frame.table), frame),
        spread_of(frame),
    )


@settings(max_examples=20)
@given(
    drawn=asked(),
    scale=st.sampled_from([1e-6, 3.0, 1e9]),
    shift=st.sampled_from([0.0, 10.0]),
)
def test_the_units_of_the_context_do_not_matter(drawn, scale, shift):
    frame, way = drawn

    def moved(table):
        return {
            name: values
            if values.dtype == object or name == frame.target
            else (values.astype(float) + shift) * scale
            for name, values in table.items()
        }

    # Whole numbers may be read as codes, and stay whole or not with their unit.
    table = {
        name: values if values.dtype == object else values + 0.25
        for name, values in frame.table.items()
    }
    frame = frame._replace(table=table)
    other = frame._replace(table=moved(frame.table), rows=moved(frame.rows))
    assert_close(
        answers(Model(**way).fit(other.table), other),
        answers(Model(**way).fit(frame.table), frame),
        spread_of(frame),
    )


@settings(max_examples=20)
@given(
    drawn=asked(target="number"),
    scale=st.sampled_from([1e-6, 3.0, 1e9]),
    shift=st.sampled_from([0.0, 10.0]),
)
def test_predictions_move_with_the_unit_of_the_target(drawn, scale, shift):
    frame, way = drawn
    table = frame.table | {"y": (frame.table["y"] + shift) * scale}
    other = frame._replace(table=table)
    expected = (answers(Model(**way).fit(frame.table), frame) + shift) * scale
    assert_close(answers(Model(**way).fit(table), other), expected, spread_of(other))


@few
@given(frame=frames(), way=ways)
def test_splitting_the_rows_changes_no_bit(frame, way):
    model = Model(**way).fit(frame.table)
    whole = answers(model, frame)
    alone = [
        answers(model, frame, {name: values[[at]] for name, values in frame.rows.items()})
        for at in range(len(whole))
    ]
    np.testing.assert_array_equal(np.concatenate(alone), whole)


@few
@given(frame=frames(), way=ways)
def test_the_number_of_threads_changes_no_bit(frame, way):
    one = answers(Model(n_jobs=1, **way).fit(frame.table), frame)
    three = answers(Model(n_jobs=3, **way).fit(frame.table), frame)
    np.testing.assert_array_equal(three, one)


@settings(max_examples=20)
@given(frame=frames(), way=ways)
def test_the_names_of_categories_do_not_matter(frame, way):
    # In the same sort order as before: ties in frequency are broken by it, and codes follow.
    def renamed(table):
        return {
            name: np.array([None if v is None else f"{v} indeed" for v in values], dtype=object)
            if values.dtype == object
            else values
            for name, values in table.items()
        }

    other = frame._replace(table=renamed(frame.table), rows=renamed(frame.rows))
    np.testing.assert_array_equal(
        answers(Model(**way).fit(other.table), other),
        answers(Model(**way).fit(frame.table), frame),
    )


@settings(max_examples=20)
@given(drawn=asked(sizes=st.integers(2, 16)), seed=st.integers(0, 99))
def test_integer_weights_equal_repeated_rows(drawn, seed):
    frame, way = drawn
    weights = np.random.default_rng(seed).integers(1, 4, size=frame.n)
    repeated = {name: np.repeat(values, weights) for name, values in frame.table.items()}
    # All repetitions fit into the neighbours sought, so that no tie is cut.
    assert_close(
        answers(Model(**way).fit(frame.table, sample_weight=weights), frame),
        answers(Model(**way).fit(repeated), frame),
        spread_of(frame),
    )


@settings(max_examples=15)
@given(drawn=asked(sizes=st.integers(3, 25)))
def test_cases_of_no_weight_do_not_matter(drawn):
    frame, way = drawn
    weights = np.ones(frame.n)
    weights[-1] = 0
    rest = {name: values[:-1] for name, values in frame.table.items()}
    if all(v is None or v != v for v in rest[frame.target]):
        return
    kept = set(rest[frame.target]) if frame.words else set()
    if frame.words and set(frame.table[frame.target]) != kept:
        return  # a class of no case has a place among the probabilities
    assert_close(
        answers(Model(**way).fit(frame.table, sample_weight=weights), frame),
        answers(Model(**way).fit(rest), frame),
        spread_of(frame),
    )


@settings(max_examples=15)
@given(drawn=asked(sizes=st.sampled_from([12, 30])), seed=st.integers(0, 99))
def test_adding_and_removing_equal_the_learned_model_over_the_resulting_cases(drawn, seed):
    frame, way = drawn
    rng = np.random.default_rng(seed)
    model = Model(**way).fit(frame.table)
    before = answers(model, frame)
    gone = rng.choice(frame.n, size=frame.n // 3, replace=False)
    kept = np.setdiff1d(np.arange(frame.n), gone)
    known = [v is not None and v == v for v in frame.table[frame.target]]
    if not np.array(known)[kept].any():
        return
    model.remove(gone)
    removed = answers(model, frame)
    model.add({name: values[gone] for name, values in frame.table.items()})
    again = answers(model, frame)
    assert_close(again, before, spread_of(frame))
    # From the other side: cases that come and go leave no trace.
    other = Model(**way).fit(frame.table)
    answers(other, frame)
    other.add({name: values[kept] for name, values in frame.table.items()})
    other.remove(np.concatenate([gone, kept]))
    assert_close(answers(other, frame), removed, spread_of(frame))


@few
@given(frame=frames(), way=ways)
def test_the_column_of_the_target_is_not_looked_at(frame, way):
    model = Model(**way).fit(frame.table)
    nonsense = np.array([object()] * len(frame.rows["y"]), dtype=object)
    bare = answers(model, frame, without(frame.rows, "y"))
    np.testing.assert_array_equal(answers(model, frame), bare)
    np.testing.assert_array_equal(answers(model, frame, frame.rows | {"y": nonsense}), bare)


@few
@given(frame=frames(sizes=st.integers(3, 20)), way=ways)
def test_stored_cases_are_predicted_without_themselves(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.influences(None, frame.target)
    own = found.indices == np.arange(frame.n)[:, None]
    assert not found.shares[own].any()


@settings(max_examples=15)
@given(frame=frames(), way=ways)
def test_sets_and_intervals_widen_as_alpha_falls(frame, way):
    model = Model(**way).fit(frame.table)
    alphas = (0.9, 0.5, 0.2, 0.1, 0.01)
    if frame.words:
        sets = [model.predict_set(frame.rows, "y", alpha=alpha) for alpha in alphas]
        assert all(np.all(more >= less) for less, more in itertools.pairwise(sets))
        return
    ends = [model.predict_interval(frame.rows, "y", alpha=alpha) for alpha in alphas]
    values = model.predict(frame.rows, "y")
    for lower, upper in ends:
        assert np.all((lower <= values) & (values <= upper))
    for (low, high), (lower, upper) in itertools.pairwise(ends):
        assert np.all((lower <= low) & (high <= upper))


# --- what predictions are -------------------------------------------------------------------


def mixture(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    noise = rng.normal(size=n)
    y = 3 * x + 0.1 * rng.normal(size=n)
    group = np.where(x + z > 0, "up", "down").astype(object)
    return {"x": x, "z": z, "noise": noise, "y": y, "group": group}


@named_ways
def test_what_can_be_told_is_told(way):
    table, test = mixture(), mixture(60, seed=1)
    model = Model(**way).fit(without(table, "group"))
    error = model.predict(without(test, "y", "group"), "y") - test["y"]
    assert np.mean(error**2) < 0.15 * np.var(test["y"])
    model = Model(**way).fit(without(table, "y"))
    hits = model.predict(without(test, "y", "group"), "group") == test["group"]
    assert hits.mean() > 0.85


def test_any_feature_is_predicted_from_any_others():
    table, test = mixture(), mixture(60, seed=1)
    model = Model().fit(table)
    for target, context in [("x", ["y"]), ("y", ["x", "noise"]), ("z", ["group", "x"])]:
        guess = model.predict(test, target, context=context)
        named = {name: test[name] for name in context}
        np.testing.assert_array_equal(model.predict(named, target), guess)
        assert np.corrcoef(guess, test[target])[0, 1] > 0.5


def test_several_targets_are_predicted_at_once_and_not_from_each_other():
    table, test = mixture(), mixture(20, seed=1)
    model = Model().fit(table)
    both = model.predict(test, ["y", "group"])
    assert list(both) == ["y", "group"]
    context = ["x", "z", "noise"]
    np.testing.assert_array_equal(both["y"], model.predict(test, "y", context=context))
    np.testing.assert_array_equal(both["group"], model.predict(test, "group", context=context))
    named = model.predict(test, ["y", "group"], context=context)
    np.testing.assert_array_equal(named["y"], both["y"])


@named_ways
def test_a_constant_target_is_predicted_exactly(way):
    table = {"x": np.arange(9.0), "y": np.full(9, 0.1)}
    model = Model(**way).fit(table)
    np.testing.assert_allclose(model.predict({"x": [1.0, 99.0]}, "y"), 0.1, rtol=1e-12)
    lower, upper = model.predict_interval({"x": [1.0]}, "y", alpha=0.2)
    np.testing.assert_allclose([lower, upper], 0.1, rtol=1e-9)


@named_ways
def test_one_class_is_certain(way):
    model = Model(**way).fit({"x": np.arange(9.0), "y": ["only"] * 9})
    np.testing.assert_allclose(model.predict_proba({"x": [1.0]}, "y"), 1.0)
    assert model.predict({"x": [None]}, "y").tolist() == ["only"]


@named_ways
@pytest.mark.parametrize("y", [[2.5], ["a"]])
def test_one_case_answers_everything(way, y):
    model = Model(**way).fit({"x": [1.0], "y": y})
    assert model.predict({"x": [7.0]}, "y").tolist() == y
    assert model.predict({"x": [None]}, "y").tolist() == y


@named_ways
def test_one_case_with_the_target_answers_for_all(way):
    model = Model(**way).fit({"x": [1.0, 2.0, 5.0], "y": [None, 2.5, None]})
    np.testing.assert_allclose(model.predict({"x": [7.0, 1.0]}, "y"), 2.5)
    lower, upper = model.predict_interval({"x": [7.0]}, "y")
    assert (lower[0], upper[0]) == (-np.inf, np.inf)


@named_ways
def test_where_no_feature_tells_cases_apart_all_answer_alike(way):
    table = {"x": [4.0] * 5, "y": [1.0, 2.0, 3.0, 4.0, 10.0], "c": list("aabab")}
    model = Model(**way).fit(table)
    np.testing.assert_allclose(model.predict({"x": [4.0, 9.0]}, "y"), 4.0)
    np.testing.assert_allclose(model.predict_proba({"x": [4.0]}, "c"), [[0.6, 0.4]])
    assert model.influences({"x": [4.0]}, "y").background == 1.0


def test_a_weight_of_zero_takes_a_feature_out():
    table = mixture(60)
    model = Model(feature_weights={"noise": 0, "z": 0}).fit(without(table, "group"))
    other = Model().fit(without(table, "group"))
    rows = {"x": [0.3], "z": [9.0], "noise": [9.0]}
    assert np.isfinite(model.predict(rows, "y")).all()
    assert model.tuning("y").ensemble.spaces[0].metric.weights[[0, 2]].tolist() == [0.0, 0.0]
    assert other.tuning("y").ensemble.spaces[0].metric.weights[0] > 0


def test_rows_that_miss_everything_are_answered():
    model = Model().fit(mixture())
    rows = {"x": [None], "z": [None], "noise": [None]}
    assert np.isfinite(model.predict(rows, "y")).all()
    np.testing.assert_allclose(model.predict_proba(rows, "group").sum(), 1.0)


def test_no_rows_give_no_answers():
    model = Model().fit(mixture(30))
    none = {"x": np.empty(0)}
    assert model.predict(none, "y").shape == (0,)
    assert model.predict_proba(none, "group").shape == (0, 2)
    assert model.predict_set(none, "group").shape == (0, 2)
    assert [end.shape for end in model.predict_interval(none, "y")] == [(0,), (0,)]
    assert len(model.influences(none, "y")) == 0


def test_sets_are_calibrated_on_plain_cases_too_though_few_are_learned_from():
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        plain = rng.random(n) < 0.8
        x = np.where(plain, rng.choice([-9.0, 9.0], size=n), rng.normal(size=n))
        group = np.where(x + 0.5 * rng.normal(size=n) > 0, "a", "b")
        return {"x": x + 0.1 * rng.normal(size=n), "group": group}

    model = Model().fit(draw(500, 0))
    tuning = model.tuning("group")
    left = np.isnan(tuning.predictions).any(axis=1)
    assert len(left) == 500
    assert left.sum() > 100
    # Were those left out of the calibration, sets at 15 % would hold nearly every class.
    rows = draw(2000, 1)
    sets = model.predict_set({"x": rows["x"]}, "group", alpha=0.15)
    places = [model.schema_["group"].categories.index(group) for group in rows["group"]]
    held = sets[np.arange(2000), places].mean()
    assert 0.8 < held < 0.9


def test_ordinal_answers_and_intervals_are_categories():
    sizes = ["S", "M", "L", "XL"]
    x = np.repeat(np.arange(4.0), 10) + np.linspace(0, 0.5, 40)
    table = {"x": x, "size": [sizes[int(v)] for v in x]}
    model = Model(ordinal_features={"size": sizes}).fit(table)
    assert model.predict({"x": [0.2, 2.2]}, "size").tolist() == ["S", "L"]
    lower, upper = model.predict_interval({"x": [0.2, 3.2]}, "size", alpha=0.1)
    ranks = [[sizes.index(end) for end in ends] for ends in (lower, upper)]
    assert np.all(np.array(ranks[0]) <= [0, 3])
    assert np.all(np.array(ranks[1]) >= [0, 3])
    lower, upper = model.predict_interval({"x": [0.2]}, "size", alpha=0.001)
    assert (lower[0], upper[0]) == ("S", "XL")


def clock(n, seed):
    """An hour that goes round with x, more than once."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, size=n)
    return {"x": x, "hour": np.mod(5 * x + 0.5 * rng.normal(size=n), 24)}


def way_round(a, b):
    return np.mod(np.asarray(b, dtype=float) - np.asarray(a, dtype=float), 24)


@named_ways
def test_cyclic_answers_go_the_shorter_way_round(way):
    model = Model(cyclic_features={"hour": 24}, **way).fit(clock(200, 0))
    test = clock(200, 1)
    gap = way_round(model.predict({"x": test["x"]}, "hour"), test["hour"])
    assert np.minimum(gap, 24 - gap).mean() < 1.0
    lower, upper = model.predict_interval({"x": test["x"]}, "hour", alpha=0.2)
    inside = way_round(lower, test["hour"]) <= way_round(lower, upper)
    assert 0.7 < inside.mean() < 0.92
    nothing = model.predict_interval({"x": [0.0]}, "hour", alpha=1e-9)
    assert [end.tolist() for end in nothing] == [[None], [None]]


def test_cyclic_answers_are_the_mean_direction_of_the_influences():
    model = Model(cyclic_features={"hour": 24}).fit(clock(60, 0))
    rows = {"x": [-1.0, 0.0, 2.5]}
    found = model.influences(rows, "hour")
    turns = np.exp(2j * np.pi * found.outcomes / 24)
    known = np.exp(2j * np.pi * clock(60, 0)["hour"] / 24).mean()
    expected = np.angle((found.shares * turns).sum(axis=1) + found.background * known)
    gap = way_round(model.predict(rows, "hour"), expected / (2 * np.pi) * 24)
    np.testing.assert_allclose(np.minimum(gap, 24 - gap), 0.0, atol=1e-9)


def test_midnight_lies_between_23_and_1():
    table = {"x": [1.0, 1.1, 1.2, 5.0, 5.1, 5.2], "hour": [23.0, 0.0, 1.0, 11.0, 12.0, 13.0]}
    model = Model(cyclic_features={"hour": 24}, influence="probability").fit(table)
    gap = way_round(model.predict({"x": [1.1, 5.1]}, "hour"), [0.0, 12.0])
    assert np.all(np.minimum(gap, 24 - gap) < 4)


def test_times_are_predicted_as_times():
    days = np.arange(40).astype("datetime64[D]") + np.datetime64("2024-03-01").astype(int)
    table = {"x": np.arange(40.0), "day": days.astype("datetime64[D]")}
    model = Model().fit(table)
    guess = model.predict({"x": [20.2]}, "day")[0]
    lower, upper = model.predict_interval({"x": [20.2]}, "day", alpha=0.2)
    assert lower[0] <= guess <= upper[0]
    assert abs((np.datetime64(guess) - days[20]).astype(int)) <= 3


# --- learning once, and changes --------------------------------------------------------------


def test_a_target_is_learned_once():
    model = Model().fit(mixture(40))
    first = model.tuning("y")
    model.predict({"x": [0.1], "z": [0.1], "noise": [0.0], "group": ["up"]}, "y")
    assert model.tuning("y") is first
    assert model.tuning("y", context=["x"]) is not first
    model.fit(mixture(41))
    assert model.tuning("y") is not first


def test_intervals_outlive_the_cases_they_were_calibrated_on():
    table = mixture(60)
    model = Model().fit(table)
    rows = without(mixture(5, seed=2), "y", "group")
    expected = model.predict_interval(rows, "y", alpha=0.2)
    width = expected[1] - expected[0]
    model.remove(np.arange(20, 60))
    lower, upper = model.predict_interval(rows, "y", alpha=0.2)
    assert np.isfinite(lower).all()
    fresh = Model().fit(table)
    fresh.predict(rows, "y")
    fresh.remove(np.arange(20, 60))
    np.testing.assert_array_equal(fresh.predict_interval(rows, "y", alpha=0.2), (lower, upper))
    assert np.all(upper - lower > 0.2 * width)
    assert model.predict_set(rows, "group", alpha=0.2).shape == (5, 2)


def learned_of(model, target):
    context = [name for name in model.schema_.names if name != target]
    return model._learn(target, model.schema_.columns(context))


@pytest.mark.parametrize("target", ["group", "y"])
def test_cases_that_nothing_was_learned_from_say_how_far_off_predictions_are(target):
    table = mixture(420)
    model = Model(max_queries=100).fit(table)
    learned = learned_of(model, target)
    scores = model._calibration(learned).scores
    fresh = model._fresh_cases(learned.target, learned.tuning)
    assert len(scores) == len(fresh) == 100
    assert not np.isin(fresh, learned.tuning.queries).any()
    if target == "group":
        found = [1 - left_out_probability(table, model, case, target) for case in fresh[:5]]
        # The share of its class among all cases, of which each answer has a trace, changes a bit.
        assert all(np.isclose(scores, score, rtol=0, atol=1e-4).any() for score in found)


def left_out_probability(table, model, case, target):
    """Probability of the case's own class, by a model that has lost the case."""
    without_it = deepcopy(model)
    without_it.remove([case])
    row = {name: [column[case]] for name, column in table.items() if name != target}
    place = list(model.schema_[target].categories).index(table[target][case])
    return without_it.predict_proba(row, target)[0, place]


def test_where_few_are_fresh_the_left_out_cases_of_tuning_have_to_do():
    model = Model(max_queries=100).fit(mixture(320))
    learned = learned_of(model, "group")
    assert model._fresh_cases(learned.target, learned.tuning) is None
    assert len(model._calibration(learned).scores) == len(learned.tuning.queries)


def test_fresh_cases_tell_the_same_of_weights_and_repeated_rows():
    table, counts = mixture(400), np.arange(400) % 3 + 1
    repeated = {name: np.repeat(np.asarray(column), counts) for name, column in table.items()}
    weighed = Model(max_queries=100).fit(table, sample_weight=counts)
    plain = Model(max_queries=100).fit(repeated)
    for target in ("group", "y"):
        ours, theirs = (one._calibration(learned_of(one, target)) for one in (weighed, plain))
        for alpha in (0.05, 0.1, 0.3, 0.5):
            np.testing.assert_allclose(
                ours.quantile(alpha), theirs.quantile(alpha), rtol=1e-9, atol=1e-12
            )


def test_a_class_that_comes_later_can_be_predicted():
    model = Model().fit({"x": np.arange(20.0), "y": ["a", "b"] * 10})
    assert model.predict_proba({"x": [3.0]}, "y").shape == (1, 2)
    model.add({"x": np.full(30, 500.0), "y": ["c"] * 30})
    assert model.predict({"x": [500.0]}, "y").tolist() == ["c"]
    assert model.predict_proba({"x": [500.0]}, "y").shape == (1, 3)
    assert model.predict_set({"x": [500.0]}, "y").shape == (1, 3)


# --- errors ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return Model().fit(mixture(40))


ROWS = {"x": [0.0], "z": [0.0]}


def test_an_unknown_target_is_named_with_a_suggestion(model):
    with pytest.raises(FeatureError, match=r"No feature is named 'grup'.*'group'"):
        model.predict(ROWS, "grup")
    with pytest.raises(FeatureError, match=r"'grup'.*Did you mean 'group'"):
        model.predict(ROWS, ["x", "grup"])


def test_a_target_without_any_value_is_an_error():
    table = {"x": np.arange(5.0), "y": [None] * 5}
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        Model().fit(table).predict({"x": [1.0]}, "y")
    weighed = Model().fit(table | {"y": [1.0, *[None] * 4]}, sample_weight=[0, 1, 1, 1, 1])
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        weighed.predict({"x": [1.0]}, "y")


def test_so_is_one_that_has_lost_its_values():
    model = Model().fit({"x": np.arange(5.0), "y": [1.0, 2.0, None, None, None]})
    model.predict({"x": [1.0]}, "y")
    model.remove([0, 1])
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        model.predict({"x": [1.0]}, "y")


@pytest.mark.parametrize(
    ("rows", "target", "context"),
    [
        ({"y": [1.0]}, "y", None),
        (ROWS, "x", ["x"]),
        (ROWS, ["x", "z"], None),
    ],
)
def test_nothing_to_predict_from_is_an_error(model, rows, target, context):
    with pytest.raises(TableError, match="Nothing is given to predict"):
        model.predict(rows, target, context=context)


def test_a_context_that_the_rows_lack_is_an_error(model):
    with pytest.raises(TableError, match="The rows lack 'noise'"):
        model.predict(ROWS, "y", context=["x", "noise"])
    with pytest.raises(FeatureError, match="Did you mean 'noise'"):
        model.predict(ROWS, "y", context=["nois"])
    with pytest.raises(ParameterError, match="names no feature"):
        model.predict(ROWS, "y", context=[])


def test_a_number_has_no_class_probabilities(model):
    with pytest.raises(ParameterError, match=r"'y' is continuous.*predict_interval"):
        model.predict_proba(ROWS, "y")
    with pytest.raises(ParameterError, match=r"'y' is a number.*predict_interval"):
        model.predict_set(ROWS, "y")


def test_a_class_has_no_interval(model):
    with pytest.raises(ParameterError, match=r"'group' is nominal.*predict_set"):
        model.predict_interval(ROWS, "group")


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan])
def test_alpha_lies_between_0_and_1(model, alpha):
    with pytest.raises(ParameterError, match="alpha must be between 0 and 1"):
        model.predict_interval(ROWS, "y", alpha=alpha)
    with pytest.raises(ParameterError, match="alpha must be between 0 and 1"):
        model.predict_set(ROWS, "group", alpha=alpha)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"weighting": "entropi"}, "weighting must be one of .* Did you mean 'entropy'"),
        ({"influence": "center"}, "influence='center'; expected .* Did you mean 'centered'"),
        ({"max_members": 0}, "max_members must be a whole number, at least 1"),
        ({"max_queries": 1}, "max_queries must be a whole number, at least 2"),
    ],
)
def test_settings_are_checked_when_fitting(settings_, message):
    with pytest.raises(ParameterError, match=message):
        Model(**settings_).fit(ROWS)


def test_a_model_without_cases_answers_nothing():
    for ask in (Model().predict, Model().predict_proba, Model().influences):
        with pytest.raises(NotFittedError):
            ask(ROWS, "y")
