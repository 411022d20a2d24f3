"""The first and last dates, the longest durations, and numbers whose squares overflow."""

import datetime as dt

import numpy as np
import pytest

import vicinal
from vicinal import Model

FIRST = dt.datetime(2000, 1, 1)
DAYS = [dt.timedelta(days=day) for day in range(40)]
EXTREME = {
    "datetime": [FIRST + day for day in DAYS[:-3]] + [dt.datetime(9999, 12, 31), None, None],
    "date": [(FIRST + day).date() for day in DAYS[:-3]] + [dt.date.min, dt.date.max, None],
    "duration": [*DAYS[:-3], dt.timedelta.max, dt.timedelta.min, None],
    "zoned": [
        (FIRST + day).replace(tzinfo=dt.timezone(dt.timedelta(hours=5))) for day in DAYS[:-2]
    ]
    + [dt.datetime.min.replace(tzinfo=dt.timezone(dt.timedelta(hours=5))), None],
    "beyond 1e154": list(np.random.default_rng(1).normal(size=40) * 1e155),
    "beyond 1e200": list(np.random.default_rng(2).normal(size=40) * 1e250),
}


@pytest.fixture(params=EXTREME)
def model(request):
    x = np.random.default_rng(0).normal(size=40)
    return Model(n_jobs=1, max_queries=40).fit({"x": x, "y": EXTREME[request.param]})


def test_every_question_about_extreme_values_is_answered(model, tmp_path):
    row = {"x": [0.1, -2.0]}
    for part in (model.predict(row, "y"), *model.predict_interval(row, "y")):
        assert all(value is not None and value == value for value in part)
    assert repr(model.explain(row, "y"))
    assert repr(model.contributions(row, "y"))
    assert repr(model.synthesize(30, random_state=0))
    assert repr(model.impute())
    assert repr(model.anomalies())
    assert repr(model.audit("y"))
    model.report(tmp_path / "report.html", "y")
    assert (tmp_path / "report.html").stat().st_size


def test_models_of_extreme_values_can_be_saved_and_loaded(model, tmp_path):
    row = {"x": [0.1, -2.0]}
    before = model.predict_interval(row, "y")
    model.save(tmp_path / "model.vicinal")
    after = vicinal.load(tmp_path / "model.vicinal").predict_interval(row, "y")
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_change_of_unit_by_a_power_of_two_changes_no_digit_of_intervals():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 200))
    row = {"x": [0.1, -2.0]}
    unit = 2.0**700
    small = Model(n_jobs=1, max_queries=60).fit({"x": x, "y": x + y})
    large = Model(n_jobs=1, max_queries=60).fit({"x": x, "y": (x + y) * unit})
    for one, other in zip(
        small.predict_interval(row, "y"), large.predict_interval(row, "y"), strict=True
    ):
        np.testing.assert_allclose(one, other / unit, rtol=1e-9)
