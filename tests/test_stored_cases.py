"""A stored case never counts for itself; everything else is a new row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal import Model, load
from vicinal.data import load_penguins
from vicinal.exceptions import ParameterError

OPTIONS = {"max_queries": 40, "max_members": 3, "max_rounds": 2}
TARGET = "body_mass_g"


def birds(n=60):
    frame = pd.DataFrame(load_penguins()).iloc[::5][:n]
    return frame.set_axis([f"P-{i}" for i in range(len(frame))])


@pytest.fixture(scope="module")
def frame():
    return birds()


@pytest.fixture(scope="module")
def model(frame):
    return Model(**OPTIONS).fit(frame)


def answers_for_itself(model, *rows, **cases):
    found = model.influences(*rows, target=TARGET, **cases)
    return (found.indices == 17).any() or (model.neighbors(*rows, **cases).indices == 17).any()


# --- the rule ------------------------------------------------------------------------------------


def test_a_case_asked_for_by_its_label_is_left_out(model):
    assert not answers_for_itself(model, case="P-17")


def test_a_row_with_the_label_and_the_values_of_a_case_is_that_case(model, frame):
    for row in (frame.loc["P-17"], frame.loc[["P-17"]], frame.drop(columns=TARGET).loc["P-17"]):
        assert not answers_for_itself(model, row)
    open_question = frame.loc[["P-17"]].assign(**{TARGET: np.nan})
    assert not (model.influences(open_question, TARGET).indices == 17).any()


def test_a_row_with_the_same_values_but_no_label_is_new(model, frame):
    row = frame.loc["P-17"]
    for same in (row.to_dict(), [row.to_dict()], row.rename(None), row.rename("Q-1")):
        assert answers_for_itself(model, same)
    assert answers_for_itself(model, frame.loc[["P-17"]].reset_index(drop=True))


def test_a_row_with_the_label_but_another_value_is_new(model, frame):
    for column, value in (("bill_length_mm", 99.0), (TARGET, 1.0), ("sex", "unknown")):
        row = frame.loc["P-17"].copy()
        row[column] = value
        assert model.explain(row, TARGET, features=False)[0].stored is False


def test_without_labels_the_name_of_a_series_is_a_case_number(frame):
    plain = frame.reset_index(drop=True)
    model = Model(**OPTIONS).fit(plain)
    assert not answers_for_itself(model, plain.iloc[17])
    assert not answers_for_itself(model, case=17)
    # The rows of a dataframe are new: a default index only counts them.
    assert answers_for_itself(model, plain.iloc[[17]])
    assert answers_for_itself(model, plain.iloc[17].rename(18))


def test_an_id_column_does_what_an_index_does(frame):
    table = frame.rename_axis("bird").reset_index()
    model = Model(**OPTIONS).fit(table, id="bird")
    assert "bird" not in model.schema_.names
    for row in (table.iloc[17], table.iloc[[17]], pl.DataFrame(table[17:18].to_dict("list"))):
        assert not answers_for_itself(model, row)
    assert answers_for_itself(model, table.iloc[17].drop("bird"))


# --- what is asked about a case ------------------------------------------------------------------


def test_a_case_is_answered_as_among_all_cases(model):
    every, numbers = model.conviction(), np.array([17, 3])
    some = model.conviction(case=["P-17", "P-3"])
    np.testing.assert_array_equal(some.similarity, every.similarity[numbers])
    np.testing.assert_array_equal(
        model.predict(case=["P-17", "P-3"], target=TARGET), model.predict(None, TARGET)[numbers]
    )
    np.testing.assert_array_equal(
        model.contributions(case="P-17", target=TARGET).values[0],
        model.contributions(None, TARGET).values[17],
    )
    np.testing.assert_array_equal(
        model.neighbors(case="P-17").indices[0], model.neighbors().indices[17]
    )
    np.testing.assert_array_equal(
        model.residual_conviction(case="P-17")["sex"], model.residual_conviction()["sex"][[17]]
    )


def test_all_cases_in_another_order_keep_their_answers(model, frame):
    turned = model.conviction(case=list(frame.index[::-1]))
    np.testing.assert_array_equal(turned.similarity, model.conviction().similarity[::-1])


def test_an_answer_does_not_depend_on_the_other_rows(model, frame):
    mixed = frame.loc[["P-3", "P-17", "P-5"]]
    mixed.loc["P-17", "bill_length_mm"] = 55.0
    together = model.conviction(mixed)
    alone = [model.conviction(mixed.iloc[[at]]) for at in range(3)]
    assert not together.stored
    for name in ("similarity", "p_value", "familiarity", "contribution"):
        values = np.concatenate([getattr(one, name) for one in alone])
        np.testing.assert_array_equal(getattr(together, name), values)
    explained = model.explain(mixed, TARGET, features=False)
    assert [one.stored for one in explained] == [True, False, True]
    assert [one.row for one in explained] == [0, 1, 2]
    np.testing.assert_array_equal(
        [one.prediction for one in explained],
        [model.predict(mixed.iloc[[at]], TARGET)[0] for at in range(3)],
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, rows: model.contributions(rows, TARGET).values,
        lambda model, rows: model.residual_conviction(rows)["sex"],
        lambda model, rows: model.neighbors(rows).indices,
        lambda model, rows: model.predict_interval(rows, TARGET)[0],
        lambda model, rows: model.predict_proba(rows, "sex"),
    ],
    ids=["contributions", "residual", "neighbors", "interval", "probabilities"],
)
def test_cases_and_new_rows_may_be_asked_about_together(model, frame, ask):
    mixed = frame.loc[["P-3", "P-17", "P-5"]]
    mixed.loc["P-17", "bill_length_mm"] = 55.0
    alone = np.concatenate([ask(model, mixed.iloc[[at]]) for at in range(3)])
    np.testing.assert_array_equal(ask(model, mixed), alone)


def test_a_counterfactual_of_a_case_is_found_without_it(model):
    found = model.counterfactual(case="P-17", target="sex", wanted="female")
    assert all(one.case != 17 for one in found)
    assert model.predict(case="P-17", target="sex")[0] == "male" or not found[0].changes


def test_values_of_a_case_are_imputed(frame):
    holes = frame.copy()
    holes.loc["P-3", "sex"] = None
    model = Model(**OPTIONS).fit(holes)
    assert model.impute(case="P-3", effort="low").table["sex"][0] in ("male", "female")


def test_rows_and_case_together_are_an_error(model, frame):
    with pytest.raises(ParameterError, match="rows and case; expected either"):
        model.predict(frame, TARGET, case="P-17")
    with pytest.raises(ParameterError, match="No case has the label 'P-99'"):
        model.neighbors(case="P-99")
    with pytest.raises(ParameterError, match=r"expected a case number.*id="):
        Model(**OPTIONS).fit(frame.reset_index(drop=True)).neighbors(case="P-17")


# --- names in answers ----------------------------------------------------------------------------


def test_answers_name_cases_by_their_labels(model, frame):
    why = model.explain(case="P-17", target=TARGET, features=False)
    assert (why[0].label, why[0].row) == ("P-17", 17)
    names = set(frame.index)
    assert set(why.to_frame("cases", "pandas")["case"]) <= names
    assert set(why.to_frame("cases", "pandas")["query"]) == {"P-17"}
    assert set(model.neighbors(case="P-17").to_frame("polars")["case"]) <= names
    influences = model.influences(case="P-17", target=TARGET)
    assert set(influences.to_frame("pandas")["case"]) <= names
    assert set(influences.to_frame("pandas")["query"]) == {"P-17"}
    contributions = model.contributions(case="P-17", target=TARGET)
    assert set(contributions.to_frame("pandas")["row"]) == {"P-17"}
    assert "Case P-17" in repr(influences)
    assert "Case P-17" in repr(contributions)
    assert set(model.conviction().to_frame("pandas")["case"]) == names
    assert set(model.anomalies(threshold=1.0).to_frame("pandas")["case"]) <= names
    assert set(model.data_values(None, TARGET).to_frame("pandas")["case"]) == names
    text = f"{why}{model.neighbors()}{model.conviction()}{model.anomalies(threshold=1.0)}"
    assert "P-" in text
    assert "#" not in text
    assert "#" not in repr(model.audit(TARGET))
    assert why[0].to_dict()["cases"]["cases"][0]["label"] in names


def test_labels_are_escaped_in_html(frame):
    model = Model(**OPTIONS).fit(frame.set_axis([f"<b>{i}" for i in range(len(frame))]))
    page = model.explain(case="<b>3", target=TARGET, features=False)[0]._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


# --- laws ----------------------------------------------------------------------------------------

LABELS = st.lists(
    st.text(min_size=1, max_size=4) | st.integers(0, 99),
    min_size=12,
    max_size=12,
    unique_by=lambda one: (type(one), one),
)


def small(labels, order=None):
    rng = np.random.default_rng(1)
    columns = {"id": labels, "x": rng.normal(size=12), "y": rng.integers(0, 3, 12) * 1.0}
    order = np.arange(12) if order is None else order
    return {name: [values[at] for at in order] for name, values in columns.items()}


def nearest_labels(model, label):
    found = model.neighbors(case=label, k=3)
    return [
        (found.case_labels.of(case), one)
        for case, one in zip(found.indices[0], found.distances[0], strict=True)
    ]


@settings(max_examples=15)
@given(LABELS, st.permutations(range(12)))
def test_labels_survive_any_order_of_rows_and_changes_and_files(tmp_path_factory, labels, order):
    expected = Model(max_rounds=1).fit(small(labels), id="id")
    model = Model(max_rounds=1).fit(small(labels, order), id="id")
    number = model.add({"id": ["a new one"], "x": [0.5], "y": [1.0]})
    assert model.labels_.of(number[0]) == "a new one"
    model.update("a new one", {"x": [0.7]})
    model.remove("a new one", by="label")
    path = tmp_path_factory.mktemp("models") / "m.vicinal"
    model.save(path)
    for again in (model, load(path)):
        for label in labels:
            assert nearest_labels(again, label) == nearest_labels(expected, label)
    with pytest.raises(ParameterError, match="No case has the label 'a new one'"):
        load(path).neighbors(case="a new one")


#: The first row of a table, as each library gives it.
FIRST = {
    dict: lambda rows: {name: values[0] for name, values in rows.items()},
    pd.DataFrame: lambda rows: rows.iloc[0],
    pl.DataFrame: lambda rows: rows.row(0, named=True),
}


@settings(max_examples=10)
@given(st.lists(st.text(min_size=1, max_size=4), min_size=12, max_size=12, unique=True))
def test_answers_do_not_depend_on_the_dataframe_library(labels):
    table = small(labels)
    asked = {name: values[:5] for name, values in table.items()}
    answers = []
    for make in (dict, pd.DataFrame, pl.DataFrame):
        model = Model(max_rounds=1).fit(make(table), id="id")
        rows = make(asked)
        answers.append((model.neighbors(rows).indices, model.conviction(rows).similarity))
        row = FIRST[make](rows)
        np.testing.assert_array_equal(model.neighbors(row).indices[0], answers[-1][0][0])
    for found in answers[1:]:
        np.testing.assert_array_equal(found[0], answers[0][0])
        np.testing.assert_array_equal(found[1], answers[0][1])


# --- changes by label ----------------------------------------------------------------------------


def test_whole_numbers_as_labels_are_not_mistaken_for_case_numbers():
    model = Model(max_rounds=1).fit(small([3, 0, *range(20, 30)]), id="id")
    assert (model.neighbors(case=3).indices != 0).all()
    with pytest.raises(ParameterError, match=r"by='label' or by='number'"):
        model.remove(3)
    model.remove(3, by="label")
    assert model.labels_.number_of(3) is None
    model.remove(3, by="number")
    assert model.labels_.number_of(21) is None
    with pytest.raises(ParameterError, match="by='name'"):
        model.remove(3, by="name")


def test_an_update_does_not_change_labels():
    model = Model(max_rounds=1).fit(small("abcdefghijkl"), id="id")
    model.update("c", {"id": ["c"], "x": [9.0]})
    with pytest.raises(ParameterError, match="update does not change labels"):
        model.update("c", {"id": ["d"], "x": [9.0]})
    assert model.index_.rows([2]).max() == 9.0


def test_labels_outlast_refresh_and_reduction():
    model = Model(max_rounds=1).fit(small("abcdefghijkl"), id="id")
    model.remove("a")
    assert nearest_labels(model.refresh(), "c")[0][0] in "bdefghijkl"
    smaller = model.reduce(n_cases=5).model
    assert len(smaller.labels_) == 5
    assert {name for _, name in zip(*smaller.labels_.by_number(), strict=True)} <= set(
        "bcdefghijkl"
    )
