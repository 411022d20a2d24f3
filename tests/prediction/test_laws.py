"""The Model predicts: laws on mixed tables.

Where a law lets an optimiser run twice on numbers that differ by rounding (other units, another
order of the rows, repetition instead of weights), answers agree to what the optimiser makes of
rounding, not to rounding itself: hence 1e-6. All else is bit by bit.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from tests.prediction.ways import (
    answers,
    asked,
    assert_close,
    few,
    named_ways,
    spread_of,
    ways,
    without,
)
from vicinal import Model


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
def test_centred_and_probability_influences_are_never_negative(frame, influence):
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


@settings(max_examples=30)
@given(frame=frames(), way=ways, seed=st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(frame, way, seed):
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
    # Natural bounds, which intervals do not pass, are those of the zero point and the unit: a
    # price is not negative, but the same price plus 10 may be less than 10.
    way = way | {"bounds": {"y": (-np.inf, np.inf)}}
    table = frame.table | {"y": (frame.table["y"] + shift) * scale}
    other = frame._replace(table=table)
    expected = (answers(Model(**way).fit(frame.table), frame) + shift) * scale
    assert_close(answers(Model(**way).fit(table), other), expected, spread_of(other))


def test_members_of_equal_loss_are_not_chosen_by_rounding():
    # Of three cases, two are left to learn from when one calibrates: all rules are as good.
    y = np.array([0.58527739, 1.8972826, 1.11059967])
    context = {"b": [0.0, 0, 2], "c": [2.0, 0, 2]}
    rows = {"b": [2.0], "c": [0.0]}
    lower = [
        Model().fit({"y": scale * y, **context}).predict_interval(rows, "y", alpha=0.5)[0] / scale
        for scale in (1.0, 1e-6)
    ]
    assert_close(*lower)


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


@settings(max_examples=30)
@given(frame=frames(sizes=st.integers(2, 16)), way=ways, seed=st.integers(0, 99))
def test_integer_weights_equal_repeated_rows(frame, way, seed):
    weights = np.random.default_rng(seed).integers(1, 4 + seed, size=frame.n)
    repeated = {name: np.repeat(values, weights) for name, values in frame.table.items()}
    assert_close(
        answers(Model(**way).fit(frame.table, sample_weight=weights), frame),
        answers(Model(**way).fit(repeated), frame),
        spread_of(frame),
    )


def tied_table(n, kind):
    """Two features of few values, sorted by a target of which they tell little."""
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 3, size=n), rng.integers(0, 2, size=n)
    noisy = 0.3 * a + rng.normal(size=n)
    y = np.sort(np.where(noisy > 0.5, "yes", "no") if kind == "classes" else noisy.round(2))
    order = np.argsort(noisy, kind="stable")
    return {"a": a[order].astype(str).astype(object), "b": b[order].astype(float), "y": y}


def everything(model, rows):
    """Predictions, influences times outcomes, and convictions."""
    found = model.influences(rows, "y")
    numbers = model.predict(rows, "y")
    if found.expected.shape == (1,):
        summed = (found.shares * found.outcomes).sum(axis=1)
        np.testing.assert_allclose(
            numbers, summed + found.background * found.expected[0], rtol=1e-9
        )
        said = numbers[:, None]
    else:
        said = model.predict_proba(rows, "y")
    return np.column_stack([said, model.conviction(rows).similarity])


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@named_ways
def test_the_order_of_the_rows_does_not_matter_where_most_are_tied(way, kind):
    order_does_not_matter(way, 300, kind)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_nor_does_it_in_tables_that_are_not_merged(kind):
    order_does_not_matter({"max_queries": 300}, 9000, kind)


def order_does_not_matter(way, n, kind):
    table = tied_table(n, kind)
    rows = {"a": np.array(["0", "1", "2", "9"], dtype=object), "b": np.array([0.0, 1, 0, 1])}
    order = np.random.default_rng(1).permutation(n)
    shuffled = {name: values[order] for name, values in table.items()}
    np.testing.assert_allclose(
        everything(Model(**way).fit(shuffled), rows),
        everything(Model(**way).fit(table), rows),
        rtol=1e-6,
    )


@pytest.mark.parametrize("size", [100, 800, 3000, 7000])
def test_a_group_of_equal_rows_answers_with_its_own_share(size):
    rng = np.random.default_rng(size)
    n = 2000
    x = np.concatenate([rng.normal(size=(n, 3)), np.full((size, 3), -9.0)])
    y = np.concatenate([x[:n, 0] > 0, np.arange(size) < 0.45 * size])
    # Sorted by class, the first of the group are all of one.
    table = {f"x{i}": column[np.argsort(y, kind="stable")] for i, column in enumerate(x.T)}
    table["y"] = np.where(np.sort(y), "yes", "no").astype(object)
    other = rng.normal(size=(500, 3))
    rows = {f"x{i}": np.append(column, -9.0) for i, column in enumerate(other.T)}
    model = Model().fit(table)
    said = model.predict_proba(rows, "y")[:, model.schema_["y"].categories.index("yes")]
    np.testing.assert_allclose(said[-1], 0.45, atol=0.01)
    assert ((said[:-1] > 0.5) == (other[:, 0] > 0)).mean() > 0.95, "other answers are sound"


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
