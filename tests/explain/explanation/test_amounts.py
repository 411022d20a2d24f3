"""Contributions and errors in words: in units that people use, and without rounding errors."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pytest

from vicinal import Model
from vicinal.explain.explanation.amounts import error_texts
from vicinal.explain.explanation.parts import ResidualConviction

N = 80


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 100, N)
    start = dt.datetime(2024, 1, 1)
    return {
        "x": x.tolist(),
        "when": [start + dt.timedelta(hours=float(one) + 0.01) for one in x],
        "took": [dt.timedelta(minutes=float(one)) for one in x],
        "cost": [Decimal(round(one * 1e4)) / 10000 for one in x.tolist()],
        "same": ["a"] * N,
        "grade": rng.choice(["low", "high"], N).tolist(),
        "who": [f"person {n % 40}" for n in range(N)],
    }


@pytest.fixture(scope="module")
def model(table):
    return Model(max_members=2, ordinal_features={"grade": ["low", "high"]}).fit(table)


def test_contributions_to_times_have_a_unit_and_no_microseconds(model):
    for target, unit in (("when", "days"), ("took", "minutes")):
        one = model.explain({"x": [3.0]}, target)[0]
        text = str(one)
        assert f"contributions in {unit}" in text
        assert f"contributions in {unit}" in one._repr_html_()
        assert text.splitlines()[0].count(".") == 0
        start = text[text.index("Features: the prediction goes from") :].splitlines()[0]
        assert ("2024-01-0" if target == "when" else "0:") in start
        assert any(f" {short}" in text for short in ("h,", "min,", "s,"))


@pytest.mark.parametrize(
    ("target", "unit", "n"), [("when", "days", 86400), ("took", "minutes", 60)]
)
def test_contributions_to_times_are_in_a_unit_wherever_they_are_asked_for(model, target, unit, n):
    rows = {"x": [3.0, 60.0], "same": ["a", "a"]}
    found = model.contributions(rows, target)
    expected = found.values.ravel() / n
    frame = found.to_frame("pandas")
    np.testing.assert_allclose(frame["contribution"], expected)
    assert set(frame["unit"]) == {unit}
    of_one = model.contributions({"x": [3.0]}, target)
    start, end = re.search(r"from (.*) to (.*) \(contributions in", str(of_one)).groups()
    line = next(
        one for one in str(model.explain({"x": [3.0]}, target)[0]).splitlines() if start in one
    )
    assert line.endswith(f"goes from {start} to {end}")
    overall = found.overall()
    assert f"moves the prediction, in {unit}." in str(overall).replace("\n ", "")
    np.testing.assert_allclose(overall.to_frame("pandas")["size"], overall.size[overall.order] / n)
    explained = model.explain({"x": [3.0]}, target)[0].features.to_frame("pandas")
    np.testing.assert_allclose(explained["contribution"], of_one.values[0] / n)
    assert set(explained["unit"]) == {unit}


def test_errors_of_times_are_in_units_in_every_answer(model, table):
    rows = {name: table[name][:3] for name in ("x", "took", "when")}
    for target in ("took", "when"):
        for found in (model.information(target), model.data_values(rows, target)):
            assert re.search(r"mean error [0-9.]+ (d|h|min|s)\b", str(found)), str(found)
        certified = str(model.certify(rows, target))
        assert re.search(r"\d (d|h|min|s)\b", certified)
        assert not re.search(r":\d\d\.\d", certified)
    wanted = (dt.timedelta(minutes=70), dt.timedelta(minutes=90))
    found = model.counterfactual({"x": [3.0]}, "took", wanted)
    assert not re.search(r":\d\d\.\d", str(found))


def test_contributions_to_numbers_and_ranks_have_no_unit(model):
    days = [dt.date(2024, 1, 1 + n % 3) for n in range(30)]
    ranked = Model(kinds={"day": "ordinal"}).fit({"day": days, "x": [n % 3 for n in range(30)]})
    for found in (
        model.contributions({"x": [3.0]}, "cost"),
        model.contributions({"x": [3.0]}, "grade"),
        ranked.contributions({"x": [2]}, "day"),
    ):
        assert "unit" not in found.to_frame("pandas").columns
        assert "contributions in" not in str(found)


def test_an_ordered_category_says_that_ranks_are_predicted(model):
    assert "the rank (0 is the lowest) goes from" in str(model.explain({"x": [3.0]}, "grade")[0])


def test_a_class_without_another_has_no_contributions_of_rounding(model):
    one = model.explain({"x": [3.0], "same": ["a"]}, "same")[0]
    assert "e-" not in str(one)
    assert "-0.0 %" not in str(one)
    assert one.residual_conviction.conviction == 1.0
    found = model.contributions({"x": [3.0], "same": ["a"]}, "same")
    assert (found.values == 0).all()
    assert "e-" not in repr(found)
    assert "e-" not in repr(model.information("same"))
    assert "e−" not in " ".join(one.evidence for one in model.audit("same"))


def test_an_error_that_is_larger_than_usual_does_not_look_the_same():
    expected, usual, *_ = error_texts(ResidualConviction(0.0011, 0.0008, 0.0), "a", is_class=True)
    assert (expected, usual) == ("0.11 %", "0.08 %")
    same = error_texts(ResidualConviction(0.25, 0.25, 0.0), "a", is_class=True)
    assert same[:2] == ["25 %", "25 %"]


def test_cases_that_do_not_exist_have_no_error():
    text = str(Model().fit({"x": [1.0], "y": ["a"]}).explain({"x": [2.0], "y": ["a"]}, "y")[0])
    assert "nan" not in text


def test_of_large_prediction_sets_the_most_probable_classes_are_named(model):
    one = model.explain({"x": [3.0]}, "who")[0]
    assert len(one.labels) > 20
    line = str(one).splitlines()[0]
    assert f", …: {len(one.labels)} of 40 classes}}" in line
    assert line.count("person") == 11  # the prediction, and ten of the set


def test_means_of_decimals_are_as_short_as_numbers(model):
    line = str(model.explain({"x": [3.0]}, "cost")[0]).splitlines()[0]
    assert max(map(len, line.replace(",", "").split())) <= len("between")


def test_an_interval_without_limits_is_the_whole_cycle_of_a_time_of_day():
    minutes = np.random.default_rng(1).integers(0, 1440, 30).tolist()
    times = [dt.time(one // 60, one % 60) for one in minutes]
    model = Model(max_members=1).fit({"x": [n % 10 for n in range(30)], "at": times})
    assert (
        ", anywhere in the cycle (99 %)" in model.explain({"x": [3]}, "at", alpha=0.01)[0].headline
    )


def test_label_errors_of_times_are_in_units_that_people_use(table):
    wrong = {**table, "when": [dt.datetime(2024, 1, 9), *table["when"][1:]]}
    audit = Model(max_members=2).fit({name: wrong[name] for name in ("x", "when")}).audit("when")
    [evidence] = [one.evidence for one in audit.findings if one.kind in ("label", "surprising")]
    assert re.search(r"suggest 2024-01-0\d \d\d:\d\d:\d\d \(±[0-9.]+ (d|h|min)\)", evidence)
