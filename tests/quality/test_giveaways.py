"""Features that give the target away, by hand and by the Model."""

import numpy as np
import pandas as pd
import pytest

from vicinal import Model
from vicinal.quality.giveaways import chance_of_one_class_each, chance_of_separation

N = 120


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    late = x + rng.normal(size=N) > 0.5
    return pd.DataFrame(
        {
            "x": x,
            "decided": np.where(late, "denied", "approved"),
            "paid": [None if bad else f"day {at % 7}" for at, bad in enumerate(late)],
            "score": np.where(late, 10.0, 0.0) + rng.normal(size=N),
            "person": [f"p{at}" for at in range(N)],
            "late": late,
        }
    )


def found_in(table, target="late", **parameters):
    model = Model(n_jobs=1, **parameters).fit(table)
    return {one.feature: one.evidence for one in model.audit(target).of("giveaway")}


def test_features_that_tell_the_target_of_every_case_are_named(table):
    found = found_in(table, ignore=[])
    assert found == {
        "decided": "one-to-one with 'late'; is it known before 'late' is?",
        "paid": "each of its 8 values (missing is one of them) goes with one 'late'; "
        "is it known before 'late' is?",
        "score": "larger in every case of one 'late' than in all of another; "
        "is it known before 'late' is?",
    }


def test_a_target_is_not_called_an_uninformative_copy_of_what_gives_it_away(table):
    audit = Model(n_jobs=1).fit(table[["x", "decided", "late"]]).audit("late")
    assert [one.feature for one in audit.of("feature")] == []
    assert "Features that give the target away: 1" in repr(audit)
    assert "giveaway" not in Model(n_jobs=1).fit(table[["x", "decided"]]).audit().looked_for


def test_what_tells_most_cases_or_tells_them_by_chance_gives_nothing_away(table):
    nearly = table[["x", "decided", "late"]].copy()
    nearly.loc[0, "decided"] = "approved" if nearly["late"][0] else "denied"
    assert found_in(nearly) == {}
    few = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0] * 2, "y": ["n", "n", "n", "y"] * 2})
    assert found_in(few, "y") == {}


def test_copies_of_numbers_give_them_away():
    rng = np.random.default_rng(0)
    price = rng.uniform(1, 9, 90)
    table = {
        "price": price,
        "cents": 100 * price,
        "taxed": 1.19 * price + rng.normal(scale=0.01, size=90),
        "size": price + rng.normal(size=90),
    }
    found = found_in(table, "price")
    assert list(found) == ["cents", "taxed"]
    assert found["taxed"].startswith("nearly proportional to 'price'")


def test_chances_are_those_of_shuffled_classes():
    rng = np.random.default_rng(1)
    levels, classes = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1])
    drawn = rng.choice(2, size=(20_000, 5), p=[0.4, 0.6])
    pure = (drawn[:, 0] == drawn[:, 1]) & (drawn[:, 2] == drawn[:, 3])
    chance = np.exp(chance_of_one_class_each(levels, classes))
    assert pure.mean() == pytest.approx(chance, abs=0.02)
    shuffled = rng.permuted(np.tile(classes, (20_000, 1)), axis=1)
    sorted_ = (np.abs(np.diff(shuffled, axis=1)).sum(axis=1) == 1).mean()
    assert sorted_ == pytest.approx(np.exp(chance_of_separation(levels * 1.0, classes)), abs=0.02)
