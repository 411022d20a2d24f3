import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explorer.tables import mixed_table, quick_model
from vicinal.explorer.served import ServedModel
from vicinal.explorer.table import CaseTable, case_name
from vicinal.model.questions import ask


@pytest.fixture(scope="module")
def table():
    return ask(quick_model().fit(mixed_table()), CaseTable)


def sorted_by(table, *keys):
    return table.ordered(None, list(keys), 0, len(table)).tolist()


@pytest.mark.parametrize("name", list(mixed_table()))
def test_cases_are_sorted_by_value_with_missing_ones_last(table, name):
    values = mixed_table()[name]
    known = sorted(
        (i for i, one in enumerate(values) if one is not None), key=lambda i: (values[i], i)
    )
    gaps = [i for i, one in enumerate(values) if one is None]
    assert sorted_by(table, table.sort_keys(name)) == known + gaps
    descending = sorted_by(table, -table.sort_keys(name))
    assert [values[i] for i in descending] == [values[i] for i in [*known[::-1], *gaps]]


def test_ties_are_broken_by_the_next_key(table):
    order = sorted_by(table, table.sort_keys("count"), -table.sort_keys("day"))
    values = mixed_table()
    assert order == sorted(
        range(60), key=lambda i: (values["count"][i], -values["day"][i].toordinal())
    )


@given(
    st.lists(
        st.sampled_from([0.0, -0.0, 1.0, 2.5, np.inf, -np.inf, np.nan]), min_size=60, max_size=60
    ),
    st.integers(0, 70),
    st.integers(1, 70),
    st.none() | st.sets(st.integers(0, 59)),
)
def test_a_page_is_a_part_of_all_cases_in_order(table, keys, offset, limit, chosen):
    places = np.arange(60) if chosen is None else np.array(sorted(chosen), dtype=np.intp)
    expected = places[np.argsort(np.array(keys)[places], kind="stable")][offset : offset + limit]
    given_places = None if chosen is None else places
    page = table.ordered(given_places, [np.array(keys)], offset, limit)
    assert page.tolist() == expected.tolist()


def test_numbers_are_found_by_their_first_digits(table):
    assert np.flatnonzero(table.found("5")).tolist() == [5, *range(50, 60)]
    assert np.flatnonzero(table.found("0")).tolist() == [0]
    assert not table.found("-1").any()
    assert not table.found("x").any()


def test_labels_are_found_by_their_first_letters_and_sorted():
    data = {**mixed_table(6), "id": ["b2", "B1", "a", "c", "ab", "\u202ex"]}
    model = quick_model().fit(data, id="id")
    table = ask(model, CaseTable)
    assert np.flatnonzero(table.found("b")).tolist() == [0, 1]
    assert sorted_by(table, table.label_ranks()) == [2, 4, 1, 0, 3, 5]
    assert ask(model, case_name, 0) == {"case": 0, "label": "b2", "name": "b2"}
    served = ServedModel(model, "m", target="kind")
    assert served.ask("neighbors", {"ids": ["a"], "k": 1})["neighbors"]


def test_values_of_other_cases_are_filled(table):
    column = table.aligned(np.array([1, 99]), np.array([2.0, 3.0]))
    assert column[1] == 2.0
    assert np.isnan(np.delete(column, 1)).all()
    places = np.array([5, 1, 1])
    part = table.aligned(np.array([1, 99]), np.array([2.0, 3.0]), places=places)
    assert np.array_equal(part, column[places], equal_nan=True)


def test_removed_cases_have_no_place():
    model = quick_model().fit(mixed_table(10))
    model.remove([3, 4])
    table = ask(model, CaseTable)
    assert table.numbers.tolist() == [0, 1, 2, 5, 6, 7, 8, 9]
    assert table.places_of(np.array([3, 5])).tolist() == [3]
    assert table.cells(np.array([3]), ["count"]) == [[5]]
