"""The text of an explanation, where values are hard to tell apart or to see."""

from __future__ import annotations

import re

import numpy as np

from vicinal import Model
from vicinal.explain.explanation.text import listed_within


def test_numbers_that_look_alike_have_digits_that_tell_them_apart():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    lat = 52.5 + 0.001 * x + rng.normal(0, 0.0003, 200)
    why = Model(max_members=1, n_jobs=1).fit({"x": x, "lat": lat}).explain({"x": [0.3]}, "lat")[0]
    headline = str(why).splitlines()[0]
    low, high = re.search(r"between (\S+) and (\S+)", headline).groups()
    assert float(low) < float(high)
    assert len(set(re.findall(r"#\d+ +(52\S*)", str(why)))) > 1
    start, end = re.search(r"goes from (\S+) to (\S+)", str(why)).groups()
    assert start != end


def test_equal_outcomes_have_no_boundary_and_zero_has_no_sign():
    table = {"x": list(range(30)), "z": [-0.0, 1.0] * 15, "y": [5] * 30}
    why = Model(n_jobs=1).fit(table).explain({"x": [1], "z": [-0.0]}, "y")[0]
    assert len(why.boundary) == 0
    assert "z 0" in str(why)


def test_differences_that_have_no_room_are_counted():
    assert listed_within(["x" * 30], 20) == "1 feature"
    assert listed_within(["x" * 30, "y"], 20) == "2 features"
    assert listed_within(["x", "y" * 30], 20) == "x, +1"
    assert listed_within([], 20) == ""


def test_a_class_without_a_name_can_be_seen():
    table = {"x": list(range(60)), "paid": [("", "  ", "yes")[at // 20] for at in range(60)]}
    text = str(Model(n_jobs=1, max_members=1).fit(table).explain({"x": [5]}, "paid")[0])
    assert text.startswith("paid = (empty) (")
    assert "'  '" in text


def test_a_cyclic_prediction_is_explained_as_it_is_told():
    rng = np.random.default_rng(0)
    warm = rng.random(200) < 0.5
    hour = np.round(np.where(warm, 2.0, 22.0) + rng.normal(size=200) / 3) % 24
    table = {"warm": np.where(warm, "yes", "no"), "hour": hour.astype(int)}
    model = Model(cyclic_features={"hour": 24}, n_jobs=1).fit(table)
    for why in model.explain({"warm": ["yes", "no"]}, "hour"):
        end = float(re.search(r"goes from \S+ to (\S+)", str(why)).group(1))
        assert 0 <= end < 24
        assert round(end) % 24 == why.prediction


def test_the_largest_distances_have_an_exponent():
    x = np.random.default_rng(0).normal(size=60)
    model = Model(n_jobs=1, max_members=1).fit({"x": x, "y": 2 * x})
    assert max(map(len, str(model.explain({"x": [1e300]}, "y")).splitlines())) < 100
