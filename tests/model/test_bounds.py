"""Declared bounds are obeyed by intervals, imputed and synthetic values, changes and files."""

import datetime as dt

import numpy as np
import pytest

import vicinal
from vicinal import Model
from vicinal.exceptions import TableError

DAY = dt.date(2024, 1, 1)
BOUNDS = {"age": (10.5, 62.5), "gain": (-1.0, None), "day": (DAY, DAY + dt.timedelta(99))}


def table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    age, noise = rng.integers(18, 60, n), rng.normal(size=n)
    return {
        "age": age,
        "gain": np.maximum(age / 10 - 4 + noise, -1.0),
        "day": [DAY + dt.timedelta(int(one)) for one in rng.integers(0, 100, n)],
        "noise": noise,
    }


@pytest.fixture(scope="module")
def model():
    return Model(bounds=BOUNDS).fit(table())


def test_synthetic_values_may_pass_the_observed_range_but_no_declared_bound(model):
    made = model.synthesize(1500, random_state=1).to_frame("pandas")
    assert made["age"].min() >= 11
    assert made["age"].max() <= 62
    assert made["age"].max() > table()["age"].max()
    assert made["gain"].min() >= -1
    assert made["gain"].max() <= table()["gain"].max()
    days = [one.date() if isinstance(one, dt.datetime) else one for one in made["day"]]
    assert DAY <= min(days) <= max(days) <= DAY + dt.timedelta(99)


def test_intervals_stay_within_bounds_and_none_is_without_width(model):
    rows = {"age": [11, 11, 62], "noise": [-9.0, -3.0, 9.0]}
    lower, upper = model.predict_interval(rows, "gain", alpha=0.1)
    assert (lower >= -1).all()
    assert (upper > lower).all()
    free = Model(bounds={"gain": (-np.inf, np.inf)}).fit(table())
    assert free.predict_interval(rows, "gain", alpha=0.1)[0][0] < -1


def test_imputed_values_and_their_intervals_stay_within_bounds(model):
    rows = {"age": [11, None, None], "noise": [-9.0, 9.0, -9.0], "gain": [None, 9.0, -1.0]}
    found = model.impute(rows)
    ages = [one for one, name in zip(found.values, found.features, strict=True) if name == "age"]
    assert all(11 <= age <= 62 for age in ages)
    for name, low, high in zip(found.features, found.lower, found.upper, strict=True):
        lowest, highest = BOUNDS[name]
        assert low >= lowest
        assert highest is None or high <= highest


def test_rows_outside_are_refused_when_fitting_adding_and_updating(model):
    with pytest.raises(TableError, match="outside its bounds"):
        Model(bounds={"age": (20, None)}).fit(table())
    changed = Model(bounds=BOUNDS).fit(table())
    row = {"age": [70], "gain": [1.0], "day": [DAY], "noise": [0.0]}
    with pytest.raises(TableError, match="Row 0 has 70 in 'age'"):
        changed.add(row)
    with pytest.raises(TableError, match="Row 0 has 70 in 'age'"):
        changed.update([3], row)
    assert len(changed) == 80


def test_bounds_are_kept_in_files_and_by_refresh(model, tmp_path):
    model.save(tmp_path / "bounded.vicinal")
    loaded = vicinal.load(tmp_path / "bounded.vicinal")
    loaded.refresh()
    for column in range(4):
        assert loaded._ready().domain(column) == model._ready().domain(column)
