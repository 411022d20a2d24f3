"""A search below a ceiling finds what an unlimited one finds there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import NUMERIC, few_rows, make_metric, many_rows, tables
from vicinal.index import _native
from vicinal.index.exact import ExactIndex

PATHS = _native.paths()


def search(
    index, queries, metric, k, *, ceilings=None, rows=None, required=-1, path=None, pruned=True
):
    """Answer as the kernels do: numbers, distances, keys, and how many rows were evaluated."""
    rows = np.full(len(queries), -1) if rows is None else rows
    return _native.search(
        index.storage.table,
        metric.native,
        np.ascontiguousarray(queries),
        rows,
        k,
        required,
        ceilings,
        1,
        path,
        pruned,
    )


def below(answer, ceilings, k):
    """Keep of an answer with all cases those within the ceilings, at most k of them."""
    numbers, distances, keys, _ = answer
    far = keys > ceilings[:, None]
    cut = (
        np.where(far, none, values)[:, :k]
        for values, none in [(numbers, -1), (distances, np.inf), (keys, np.inf)]
    )
    return tuple(np.ascontiguousarray(values) for values in cut)


def assert_same_answers(actual, expected):
    for got, wanted in zip(actual[:3], expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def some_ceilings(rng, keys):
    """Keys of cases, so that ceilings are met exactly; numbers between them, none, and nothing."""
    count = len(keys)
    finite = np.where(np.isfinite(keys), keys, 0.0)
    chosen = finite[np.arange(count), rng.integers(0, keys.shape[1], size=count)]
    nudged = np.nextafter(chosen, rng.choice([-np.inf, np.inf], size=count))
    odd = rng.choice([np.inf, -np.inf, 0.0, -1.0, 1e300], size=count)
    return np.choose(rng.integers(0, 4, size=count), [chosen, chosen, nudged, odd])


@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
@pytest.mark.parametrize("size", ["few", "many"])
@settings(max_examples=25)
@given(data=st.data(), k=st.integers(1, 25), seed=st.integers(0, 999), required=st.booleans())
def test_ceilings_filter_the_unlimited_answer(p, size, data, k, seed, required):
    rows = {"few": few_rows, "many": many_rows}[size]
    cases, queries, metric, exclude = data.draw(tables(rows, st.just(p)))
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 1.0, 2.0], size=len(cases)) if seed % 2 else None
    index = ExactIndex(cases, metric.kinds, weights)
    options = {"rows": index._excluded_rows(exclude, len(queries)), "required": required - 1}
    everything = search(index, queries, metric, max(k, len(cases)), pruned=False, **options)
    ceilings = some_ceilings(rng, everything[2])
    for path in PATHS:
        for pruned in (True, False):
            actual = search(
                index, queries, metric, k, ceilings=ceilings, path=path, pruned=pruned, **options
            )
            assert_same_answers(actual, below(everything, ceilings, k))


def make_table(style):
    rng = np.random.default_rng(8)
    if style == "steps":
        return rng.binomial(12, 0.4, size=(5000, 12)).astype(float)
    return rng.normal(size=(5000, 12))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
@pytest.mark.parametrize("style", ["steps", "numbers"])
@pytest.mark.parametrize("many", [False, True])
def test_ceilings_of_a_large_table_are_met_exactly_and_spare_work(style, p, path, many):
    cases = make_table(style)
    queries = cases[:120] if many else cases[:20]
    metric = make_metric(cases, NUMERIC, 0.5, p=p, weights=np.linspace(1, 2, 12))
    index = ExactIndex(cases, metric.kinds)
    everything = search(index, queries, metric, len(cases), pruned=False)
    unlimited = search(index, queries, metric, 40, path=path)
    assert_same_answers(unlimited, [values[:, :40] for values in everything[:3]])
    ceilings = np.ascontiguousarray(everything[2][:, 9])
    limited = search(index, queries, metric, 40, ceilings=ceilings, path=path)
    assert_same_answers(limited, below(everything, ceilings, 40))
    assert (limited[0][:, 9] >= 0).all()  # the one at the ceiling is there
    assert limited[3] < unlimited[3]
    anew = ExactIndex(cases, metric.kinds)  # the other one may have codes by now that spare work
    none = search(anew, queries, metric, 40, ceilings=np.full(len(queries), np.inf), path=path)
    assert_same_answers(none, unlimited[:3])
    assert none[3] == unlimited[3]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
def test_a_query_alone_finds_the_same_wherever_the_last_one_ended(p, path):
    cases = make_table("numbers")
    near, far = cases[:3] + 1e-6, 40 * cases[3:6]
    # From far to near, from near to far, and twice the same.
    queries = np.concatenate([far[:1], near, far, far[:1], near[:1], near[:1]])
    metric = make_metric(cases, NUMERIC, 0.5, p=p, weights=np.linspace(1, 2, 12))
    index = ExactIndex(cases, metric.kinds)
    everything = search(index, queries, metric, 40, pruned=False)
    ceilings = np.ascontiguousarray(everything[2][:, 9])
    for at in range(len(queries)):
        expected = [values[at : at + 1] for values in everything[:3]]
        found = search(index, queries[at : at + 1], metric, 40, path=path)
        assert_same_answers(found, expected)
        limit = ceilings[at : at + 1]
        found = search(index, queries[at : at + 1], metric, 40, ceilings=limit, path=path)
        assert_same_answers(found, below((*expected, 0), limit, 40))


def test_keys_order_the_cases_and_are_infinite_where_there_is_none():
    cases = np.array([[0.0], [3.0], [1.0]])
    metric = make_metric(cases, NUMERIC, 1.0, p=2)
    numbers, distances, keys, _ = search(ExactIndex(cases, metric.kinds), cases[:1], metric, 5)
    assert numbers.tolist() == [[0, 2, 1, -1, -1]]
    assert (np.diff(keys[0, :3]) > 0).all()
    np.testing.assert_array_equal(np.sqrt(keys), distances)
    assert np.isinf(keys[0, 3:]).all()


def test_where_no_column_counts_all_keys_are_zero():
    cases = np.zeros((3, 1))
    metric = make_metric(cases, NUMERIC, 1.0, weights=0.0)
    index = ExactIndex(cases, metric.kinds)
    assert search(index, cases, metric, 2, ceilings=np.zeros(3))[2].tolist() == [[0.0, 0.0]] * 3
    assert (search(index, cases, metric, 2, ceilings=np.full(3, -1.0))[0] == -1).all()


@pytest.mark.parametrize(
    ("ceilings", "message"),
    [([1.0, np.nan], "a ceiling must be a number"), ([1.0], "one ceiling per query")],
)
def test_ceilings_that_are_none_are_refused(ceilings, message):
    cases = np.zeros((2, 1))
    metric = make_metric(cases, NUMERIC, 1.0)
    with pytest.raises(ValueError, match=message):
        search(ExactIndex(cases, metric.kinds), cases, metric, 1, ceilings=np.array(ceilings))
