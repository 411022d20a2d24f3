"""What conviction promises, whatever the table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import make_metric, tables
from vicinal import Model
from vicinal.conviction import results
from vicinal.conviction.baseline import measure_baseline
from vicinal.conviction.familiarity import familiarity
from vicinal.conviction.measure import Measure
from vicinal.conviction.new_rows import entries
from vicinal.conviction.results import convictions_of_rows, convictions_of_stored
from vicinal.conviction.sampled_baseline import baseline_of
from vicinal.exceptions import ParameterError
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex


def all_arrays(result):
    return [result.contribution, result.expected, result.similarity, result.p_value,
            result.familiarity]  # fmt: skip


@given(tables(), st.integers(1, 25), st.sampled_from([0.0, 0.3, 1.0]))
def test_answers_are_finite_and_positive(table, k, prior):
    index = ExactIndex(table.cases, table.metric.kinds)
    stored = measure_baseline(index, table.metric, Measure(k, prior=prior))
    new = convictions_of_rows(stored, table.queries)
    for array in all_arrays(convictions_of_stored(stored)) + all_arrays(new):
        assert np.isfinite(array).all()
        assert (array > 0).all()


@settings(max_examples=40)
@given(tables(), st.sampled_from([0.0, 1.0]), st.booleans())
def test_more_neighbors_than_cases_are_all_cases(table, decay, weighted):
    weights = np.arange(len(table.cases)) % 3 + 1.0 if weighted else None
    index = ExactIndex(table.cases, table.metric.kinds, weights)
    mass = int(len(table.cases) if weights is None else weights.sum())
    some, many = (
        measure_baseline(index, table.metric, Measure(k, k, rank_decay=decay))
        for k in (mass + 3, 10**9)
    )
    assert many.distances.shape == (len(table.cases), mass + 1)
    judged = [
        all_arrays(convictions_of_stored(one))
        + all_arrays(convictions_of_rows(one, table.queries))
        for one in (some, many)
    ]
    for expected, actual in zip(*judged, strict=True):
        np.testing.assert_array_equal(actual, expected)


@settings(max_examples=40)
@given(tables())
def test_a_row_is_judged_alike_alone_and_in_company(table):
    index = ExactIndex(table.cases, table.metric.kinds)
    stored = measure_baseline(index, table.metric, Measure(4))
    together = convictions_of_rows(stored, table.queries)
    for number in range(len(table.queries)):
        row = table.queries[number : number + 1]
        alone = convictions_of_rows(stored, row)
        for one, all_ in zip(all_arrays(alone), all_arrays(together), strict=True):
            assert one[0] == all_[number]


@given(tables(), st.integers(0, 2**32 - 1))
def test_adding_and_removing_equals_rebuilding(table, seed):
    metric, rng = table.metric, np.random.default_rng(seed)
    gone = rng.random(len(table.cases)) < 0.3
    index = ExactIndex(table.cases, metric.kinds)
    index.add(table.queries)
    index.remove(np.flatnonzero(gone))
    kept = np.vstack([table.cases[~gone], table.queries])
    changed = measure_baseline(index, metric, Measure(4))
    rebuilt = measure_baseline(ExactIndex(kept, metric.kinds), metric, Measure(4))
    assert changed.grain == rebuilt.grain
    np.testing.assert_array_equal(changed.contribution, rebuilt.contribution)
    np.testing.assert_array_equal(changed.expected, rebuilt.expected)


@given(tables())
def test_a_new_row_has_the_contribution_it_has_once_added(table):
    metric = table.metric
    index = ExactIndex(table.cases, metric.kinds)
    stored = measure_baseline(index, metric, Measure(4, prior=0.0))
    new = convictions_of_rows(stored, table.queries[:1])
    usual = stored.usual_terms
    index.add(table.queries[:1])
    added = convictions_of_stored(
        measure_baseline(
            *(index, metric, Measure(4, prior=0.0)),
            grain=stored.grain,
            usual=usual,
        )
    )
    assert new.contribution[0] == added.contribution[-1]
    # D(x, y) and D(y, x) may differ in the last digits, by more of them the smaller p is. What is
    # compared is their excess above 1.5, which may be far smaller: with weights of 1e-6 and 3, the
    # grain is 3e-7.
    rounding = 1e-14 * SAME / stored.grain
    np.testing.assert_allclose(new.similarity[0], added.similarity[-1], rtol=max(1e-9, rounding))


@settings(max_examples=40)
@given(tables(), st.data())
def test_whole_weights_equal_repeated_rows(table, data):
    metric = table.metric
    n = len(table.cases)
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if not times.any():
        times[0] = 1
    weighted = ExactIndex(table.cases, metric.kinds, times.astype(float))
    repeated = ExactIndex(np.repeat(table.cases, times, axis=0), metric.kinds)
    one, other = (measure_baseline(index, metric, Measure(4)) for index in (weighted, repeated))
    shown = times > 0
    first = np.cumsum(times) - times
    np.testing.assert_allclose(
        one.contribution[shown], other.contribution[first[shown]], rtol=1e-9
    )
    np.testing.assert_allclose(one.overall, other.overall)
    rows = table.queries
    new, same = (convictions_of_rows(stored, rows) for stored in (one, other))
    np.testing.assert_allclose(new.contribution, same.contribution, rtol=1e-9)


@pytest.mark.parametrize("terms", ["full", "excess"])
def test_identical_cases_are_ordinary(terms):
    cases = np.ones((7, 2))
    metric = make_metric(cases, 0, 1.0)
    index = ExactIndex(cases, metric.kinds)
    stored = convictions_of_stored(measure_baseline(index, metric, Measure(5, terms=terms)))
    assert stored.similarity.tolist() == [1.0] * 7
    assert stored.familiarity.tolist() == [1.0] * 7
    assert stored.p_value.tolist() == [1.0] * 7


def test_farther_rows_are_more_surprising_even_among_duplicates():
    cases = np.repeat([[0.0], [0.0], [1.0]], [6, 3, 2], axis=0)
    metric = make_metric(cases, 0, 1.0)
    index = ExactIndex(cases, metric.kinds)
    stored = measure_baseline(index, metric, Measure(5))
    rows = np.array([[0.0], [3.0], [10.0], [100.0], [1e9]])
    new = convictions_of_rows(stored, rows)
    assert (np.diff(new.similarity) < 0).all()
    assert (new.familiarity[1:] < 0.7).all()


def test_the_strangest_of_all_cases_is_the_least_familiar():
    phi = np.array([1.0, 1.2, 0.8, 1.0, 5.0, 1e9])
    assert np.argmin(familiarity(phi)) == 5


def test_one_case_is_ordinary_and_others_are_judged_by_it():
    model = Model().fit({"x": [1.0], "c": ["a"]})
    stored = model.conviction()
    assert stored.similarity.tolist() == [1.0]
    assert stored.familiarity.tolist() == [1.0]
    new = model.conviction({"x": [1.0, None], "c": ["a", None]})
    assert np.isfinite(new.similarity).all()


def test_rows_of_nothing_and_constant_features_are_judged():
    table = {"x": [1.0, 2.0, 3.0, 4.0, None], "constant": [7.0] * 5}
    model = Model().fit(table)
    new = model.conviction({"x": [None, 2.5], "constant": [None, 7.0]})
    assert np.isfinite(new.similarity).all()
    assert np.isfinite(new.familiarity).all()


def test_no_rows_give_no_convictions():
    model = Model().fit({"x": [1.0, 2.0, 3.0]})
    assert len(model.conviction({"x": np.empty(0)})) == 0


def test_the_baseline_is_measured_once_and_again_when_cases_change():
    rng = np.random.default_rng(0)
    model = Model().fit(rng.normal(size=(50, 3)))
    fitted, columns = model._ready(), np.arange(3)
    before = baseline_of(fitted, columns, Measure())
    assert baseline_of(fitted, columns, Measure()) is before
    added = model.add(rng.normal(size=(1, 3)))
    assert len(model.conviction()) == 51
    model.remove(added)
    after = model.conviction()
    np.testing.assert_array_equal(after.contribution, before.contribution)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_neighbors": 0},
        {"n_reference": 2.5},
        {"prior": -0.1},
        {"terms": "ful"},
        {"mean": "x"},
        {"rank_decay": -1.0},
    ],
)
def test_wrong_measures_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Measure(**wrong)


def test_results_become_frames():
    model = Model().fit({"x": [1.0, 2.0, 3.0, 4.0, 9.0]})
    frame = model.conviction().to_frame("polars")
    assert frame.columns[:3] == ["case", "similarity", "p_value"]
    assert frame["direction"][4] == "outlier"
    assert model.conviction({"x": [2.5]}).to_frame("pandas").columns[0] == "row"


@settings(max_examples=60)
@given(
    tables(max_columns=3),
    st.integers(1, 25),
    st.integers(1, 25),
    st.sampled_from([0.0, 1.0]),
    st.integers(0, 99),
)
def test_the_order_of_the_rows_does_not_matter(table, k, n_reference, rank_decay, seed):
    measure = Measure(k, n_reference=n_reference, rank_decay=rank_decay, prior=0.0)
    order = np.random.default_rng(seed).permutation(len(table.cases))
    one, other = (
        measure_baseline(ExactIndex(cases, table.metric.kinds), table.metric, measure)
        for cases in (table.cases, table.cases[order])
    )
    np.testing.assert_allclose(one.similarity[order], other.similarity, rtol=1e-9)
    np.testing.assert_allclose(
        convictions_of_rows(one, table.queries).similarity,
        convictions_of_rows(other, table.queries).similarity,
        rtol=1e-9,
    )


@settings(max_examples=40)
@given(tables(max_columns=3), st.integers(1, 25), st.integers(1, 25), st.integers(0, 99))
def test_integer_weights_equal_repeated_rows_where_cases_tie(table, k, n_reference, seed):
    weights = np.random.default_rng(seed).integers(1, 2 + seed, size=len(table.cases))
    measure = Measure(k, n_reference=n_reference, prior=0.0)
    repeated = np.repeat(np.arange(len(weights)), weights)
    kinds = table.metric.kinds
    weighed = ExactIndex(table.cases, kinds, weights.astype(float))
    one = measure_baseline(weighed, table.metric, measure)
    many = measure_baseline(ExactIndex(table.cases[repeated], kinds), table.metric, measure)
    np.testing.assert_allclose(one.similarity[repeated], many.similarity, rtol=1e-9)
    np.testing.assert_allclose(
        convictions_of_rows(one, table.queries).similarity,
        convictions_of_rows(many, table.queries).similarity,
        rtol=1e-9,
    )


def test_anomalies_of_more_neighbors_than_cases_need_little_memory():
    model = Model().fit({"x": [1.0, 1.1, 1.2, 1.3, 9.0], "y": [1.0, 2.0, 1.0, 2.0, 1.5]})
    found = model.anomalies(measure=Measure(10**9, 10**9, rank_decay=0.0))
    expected = model.anomalies(measure=Measure(9, 9, rank_decay=0.0))
    assert found.to_frame("pandas").equals(expected.to_frame("pandas"))


def test_rows_that_change_many_cases_are_judged_a_few_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    model = Model().fit(rng.normal(size=(150, 3)))
    rows = rng.normal(size=(40, 3)) / 10  # near the center, among the nearest of most cases
    together = model.conviction(rows).familiarity
    sizes = []

    def counted(stored, some, most=None, unseen=None):
        found = entries(stored, some, most, unseen)
        sizes.append((len(some), found))
        return found

    monkeypatch.setattr(results, "entries", counted)
    monkeypatch.setattr(results, "_MOST_ENTRIES", 100)
    apart = model.conviction(rows).familiarity
    # The order in which changes are added up may differ in the last digits.
    np.testing.assert_allclose(apart, together, rtol=1e-9)
    judged = [(size, len(found.rows)) for size, found in sizes if found is not None]
    assert sum(size for size, _ in judged) == 40
    assert all(size == 1 or count <= 100 for size, count in judged)
    assert len(judged) > 1
