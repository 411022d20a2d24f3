"""Features that say nothing, by hand and by the Model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from tests.quality.tables import labeled_table
from vicinal import Model
from vicinal.quality.uninformative import (
    bin_column,
    describe_emptiness,
    information_by_chance,
    mutual_information,
)

CODES = st.lists(st.integers(0, 3), min_size=1, max_size=20)


@given(CODES, st.data())
def test_information_is_that_of_the_definition(one, data):
    other = data.draw(st.lists(st.integers(0, 3), min_size=len(one), max_size=len(one)))
    actual = mutual_information(np.array(one), np.array([other]))[0]
    assert actual == pytest.approx(naive_quality.information(one, other), abs=1e-12)


def test_chance_gives_no_information():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=300)
    alone, p = information_by_chance(codes, rng.integers(0, 4, size=300))
    assert p > 0.05
    assert alone < 0.02
    told, p = information_by_chance(codes, codes)
    assert p == pytest.approx(1 / 200)
    assert told > 1


def test_numbers_are_cut_into_bins_and_missing_ones_have_their_own():
    values = np.append(np.arange(100.0), np.nan)
    codes = bin_column(values, nominal=False)
    assert np.bincount(codes)[:8].min() >= 12
    assert codes[-1] == codes.max()
    assert (codes == codes[-1]).sum() == 1


@pytest.mark.parametrize(
    ("values", "nominal", "expected"),
    [
        ([np.nan, np.nan], False, "all missing"),
        ([2.0, 2.0], False, "one value only"),
        ([0.0, 1.0, 2.0], True, "every value occurs once, as in an identifier"),
        ([0.0, 1.0, 2.0], False, ""),
        ([0.0, 1.0, 1.0], True, ""),
    ],
)
def test_columns_that_tell_nothing_apart_are_named(values, nominal, expected):
    assert describe_emptiness(np.array(values), nominal=nominal) == expected


def test_features_that_tell_nothing_of_the_target_are_named():
    audit = Model(n_jobs=1).fit(labeled_table()).audit("kind")
    assert [one.feature for one in audit.of("feature")] == ["noise"]


def test_constant_missing_unique_and_copied_features_are_named():
    table = labeled_table(30)
    table["one"] = 1.0
    table["none"] = np.nan
    table["name"] = [f"n{i}" for i in range(30)]
    table["inches"] = table["x"] / 2.54
    found = Model(n_jobs=1, ignore=[]).fit(table).audit().of("feature")
    assert {one.feature for one in found} == {"one", "none", "name", "inches"}


def test_a_feature_without_which_the_loss_is_lower_is_said_to_raise_it():
    # Before: "lowers the loss by −0.012".
    findings = [
        one
        for seed in range(4)
        for one in Model(n_jobs=1).fit(labeled_table(60, seed=seed)).audit("kind").of("feature")
    ]
    assert min(one.details["gain"] for one in findings) < 0
    for one in findings:
        verb = "raises" if one.details["gain"] < 0 else "lowers"
        assert f"given the others it {verb} the loss" in one.evidence
        assert "−" not in one.evidence
