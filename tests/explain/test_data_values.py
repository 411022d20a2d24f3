"""What cases are worth: influences and harms add up, wrong labels are found."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from vicinal import Model
from vicinal.exceptions import ParameterError, TableError


@settings(max_examples=20)
@given(
    frame=frames(missing=[0.0]),
    way=st.sampled_from([{}, {"influence": "probability"}, {"weighting": "irw"}]),
)
def test_influences_and_harms_add_up(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.data_values(frame.rows, frame.target)
    background = model.tuning(frame.target, context=list(frame.rows)).ensemble.background
    m = found.n_rows
    np.testing.assert_allclose(found.influence.sum() + background * m, m, rtol=1e-9)
    truth = frame.rows[frame.target]
    if frame.words:
        categories = model.schema_[frame.target].categories
        given = model.predict_proba(frame.rows, frame.target)
        errors = [
            1 - (given[row, categories.index(true)] if true in categories else 0.0)
            for row, true in enumerate(truth)
        ]
    else:
        errors = np.abs(model.predict(frame.rows, frame.target) - truth)
    size = max(1.0, np.abs(errors).max())
    np.testing.assert_allclose(found.mae, np.mean(errors), rtol=1e-9, atol=1e-9 * size)
    total = found.harm.sum() + found.background_harm
    np.testing.assert_allclose(total, np.sum(errors), rtol=1e-9, atol=1e-9 * size)


def labelled(n=120, wrong=(), seed=0):
    x = np.random.default_rng(seed).normal(size=(n, 2))
    x[:, 0] += np.sign(x[:, 0])  # a gap: no case lies at the border
    label = np.where(x[:, 0] > 0, "yes", "no")
    label[list(wrong)] = np.where(label[list(wrong)] == "yes", "no", "yes")
    return {"a": x[:, 0], "b": x[:, 1], "label": label}


def test_wrong_labels_do_most_harm_and_have_the_lowest_value():
    wrong = [3, 17, 40, 66]
    model = Model(influence="probability").fit(labelled(wrong=wrong))
    found = model.data_values(labelled(seed=9), "label")
    assert len(set(found.worst(6).tolist()) & set(wrong)) >= 3
    assert len(set(np.argsort(found.shapley)[:6].tolist()) & set(wrong)) >= 3
    frame = found.to_frame("pandas")
    assert frame["case"].tolist()[:6] == found.worst(6).tolist()
    assert (np.diff(frame["harm"]) <= 0).all()
    assert repr(found).splitlines()[3].split()[0] == f"#{found.worst(1)[0]}"


def test_shapley_values_sum_to_what_all_cases_achieve():
    table = labelled(60)
    table["y"] = 3 * table["a"] + table["b"]
    model = Model(weighting="irw").fit(table)
    rows = {**labelled(20, seed=5), "y": np.zeros(20)}
    k = 4
    found = model.data_values(rows, "label", context=["a", "b"], k=k)
    metric = model.tuning("label", context=["a", "b"]).ensemble.spaces[0].metric
    queries = model._ready().rows(rows).values
    near = model.index_.search(queries, metric, k).indices
    share = (table["label"][near] == rows["label"][:, None]).mean()
    np.testing.assert_allclose(found.shapley.sum(), share)


def test_stored_cases_are_valued_without_themselves():
    table = labelled(40)
    found = Model(influence="probability").fit(table).data_values(None, "label")
    assert found.n_rows == 40
    values = Model(influence="probability").fit(table).predict_proba(None, "label")
    right = [values[i, 0 if label == "yes" else 1] for i, label in enumerate(table["label"])]
    first = Model().fit(table).schema_["label"].categories[0]
    if first == "no":
        right = [1 - one for one in right]
    np.testing.assert_allclose(found.mae, 1 - np.mean(right), atol=1e-9)


def test_weighted_cases_have_no_closed_form():
    table = labelled(30)
    found = Model().fit(table, sample_weight=np.full(30, 2.0)).data_values(table, "label")
    assert found.shapley is None
    assert "shapley" not in found.to_frame("pandas").columns
    assert "Shapley" not in repr(found)


def test_rows_without_the_truth_do_not_count():
    table = labelled(30)
    model = Model(max_queries=30).fit(table)
    rows = {"a": [0.1, 0.2], "b": [0.0, 0.0], "label": ["yes", None]}
    assert model.data_values(rows, "label").n_rows == 1
    with pytest.raises(TableError, match="rows lack 'label'"):
        model.data_values({"a": [0.1], "b": [0.0]}, "label")
    with pytest.raises(ParameterError, match="k=0; expected a whole number, at least 1"):
        model.data_values(rows, "label", k=0)


def test_the_order_of_rows_changes_no_value():
    table = labelled(50, wrong=[4])
    order = np.random.default_rng(1).permutation(50)
    rows = labelled(10, seed=3)
    first = Model().fit(table).data_values(rows, "label")
    second = (
        Model()
        .fit({name: values[order] for name, values in table.items()})
        .data_values(rows, "label")
    )
    for name in ("influence", "harm", "shapley"):
        np.testing.assert_allclose(getattr(first, name)[order], getattr(second, name), atol=1e-6)


def test_values_of_times_have_a_unit_and_those_of_numbers_say_that_they_are_squared():
    hours = np.arange(40.0)
    table = {"x": hours, "took": [dt.timedelta(hours=one) for one in hours], "y": hours}
    model = Model().fit(table)
    rows = {"x": [3.2, 11.7], "took": [dt.timedelta(hours=5), dt.timedelta(hours=9)], "y": [1, 2]}
    found = model.data_values(rows, "took")
    frame = found.to_frame("pandas")
    [unit] = set(frame["unit"])
    assert f"Shapley value ({unit}²)" in repr(found)
    size = {"hours": 3600, "minutes": 60, "seconds": 1}[unit]
    np.testing.assert_allclose(size * frame["harm"], np.sort(found.harm)[::-1])
    np.testing.assert_allclose(
        np.sort(size**2 * frame["shapley"]), np.sort(found.shapley), rtol=1e-9
    )
    assert "Shapley value (squared)" in repr(model.data_values(rows, "y"))


def table_of(target, n=150):
    x = np.random.default_rng(3).normal(size=(n, 2))
    outcomes = {
        "class": np.where(x[:, 0] + 0.3 * x[:, 1] > 0, "yes", "no"),
        "number": x @ [3.0, 1.0],
        "month": np.digitize(x[:, 0], np.linspace(-2, 2, 11)) + 1,
        "ties": np.round(x[:, 0]),
    }
    rounded = np.round(x) if target == "ties" else x
    return {"a": rounded[:, 0], "b": rounded[:, 1], "y": outcomes[target]}


def fit(target):
    kinds = {"kinds": {"y": "continuous"}} if target == "ties" else {}
    cyclic = {"cyclic_features": {"y": 12}} if target == "month" else {}
    return Model(**kinds, **cyclic).fit(table_of(target))


@pytest.mark.parametrize("target", ["class", "number", "month", "ties"])
@pytest.mark.parametrize("stored", [False, True])
def test_cases_that_are_not_ranked_change_values_little(target, stored):
    model, rows = fit(target), None if stored else table_of(target, 9)
    exact = model.data_values(rows, "y", max_ranked=None)
    found = model.data_values(rows, "y", max_ranked=60)
    assert exact.n_ranked is None
    assert found.n_ranked == 60
    # One case of k changes a mean by at most the range over k, and a square by twice the range
    # times as much; with a probability of k/60 a case of another order is among the nearest.
    most = 1.0 if target == "class" else 4 * np.ptp(table_of(target)["y"]) ** 2
    assert np.abs(found.shapley - exact.shapley).max() <= most / 60
    assert np.corrcoef(found.shapley, exact.shapley)[0, 1] > 0.8
    np.testing.assert_allclose(found.shapley.sum(), exact.shapley.sum(), rtol=1e-9)
    np.testing.assert_array_equal(found.harm, exact.harm)
    every = model.data_values(rows, "y", max_ranked=150)
    np.testing.assert_array_equal(every.shapley, exact.shapley)


@pytest.mark.parametrize("target", ["class", "number", "ties"])
def test_the_order_of_cases_that_are_not_ranked_changes_nothing(target):
    table, rows = table_of(target), table_of(target, 5)
    order = np.random.default_rng(1).permutation(150)
    turned = {name: values[order] for name, values in table.items()}
    first, second = (
        Model().fit(one).data_values(rows, "y", max_ranked=20) for one in (table, turned)
    )
    np.testing.assert_allclose(first.shapley[order], second.shapley, rtol=1e-9, atol=1e-12)


def test_cases_without_an_outcome_have_no_value_and_a_row_is_not_valued_by_itself():
    table = table_of("number")
    table["y"][[4, 60]] = np.nan
    model = Model().fit(table)
    found = model.data_values(None, "y", max_ranked=10)
    assert (found.shapley[[4, 60]] == 0).all()
    exact = model.data_values(case=[7], target="y", max_ranked=None)
    alone = model.data_values(case=[7], target="y", max_ranked=10)
    assert exact.shapley[7] == 0
    assert abs(alone.shapley[7]) < 1e-12


def test_the_number_of_ranks_is_checked_and_shown():
    model = fit("number")
    with pytest.raises(ParameterError, match="max_ranked=0; expected a whole number, at least 1"):
        model.data_values(table_of("number", 3), "y", max_ranked=0)
    assert "the nearest 20" in repr(model.data_values(table_of("number", 3), "y", max_ranked=20))
    assert "the nearest" not in repr(model.data_values(table_of("number", 3), "y"))
