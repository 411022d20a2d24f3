"""Words as the categories of boosting libraries: unseen ones, missing ones, too many."""

import numpy as np
import pandas as pd

from benchmarks.quality.native_categories import MISSING, CategoryDtype, Strings

TRAIN = pd.DataFrame({"color": ["red", None, "blue"], "size": [1.0, np.nan, 3.0]})
TEST = pd.DataFrame({"color": ["green", "blue", None], "size": [4.0, 5.0, np.nan]})


def test_unseen_and_missing_words_are_missing_categories():
    made = CategoryDtype(["color"]).fit(TRAIN).transform(TEST)
    assert made["color"].cat.codes.tolist() == [-1, 0, -1]
    assert made["color"].cat.categories.tolist() == [0, 1]


def test_numbers_stay_numbers():
    made = CategoryDtype(["color"]).fit(TRAIN).transform(TEST)
    pd.testing.assert_series_equal(made["size"], TEST["size"])


def test_a_column_with_too_many_categories_becomes_codes():
    made = CategoryDtype(["color"], most=1).fit(TRAIN).transform(TEST)
    np.testing.assert_array_equal(made["color"], [np.nan, 0.0, np.nan])


def test_a_column_without_any_category_is_all_missing():
    empty = TRAIN.assign(color=None)
    made = CategoryDtype(["color"]).fit(empty).transform(TEST)
    assert made["color"].dtype == float
    assert made["color"].isna().all()


def test_declared_categories_are_read_too():
    declared = TRAIN.assign(color=pd.Categorical([3, None, 7]))
    made = CategoryDtype(["color"]).fit(declared).transform(declared)
    assert made["color"].cat.codes.tolist() == [0, -1, 1]


def test_strings_have_a_word_for_what_is_missing():
    made = Strings(["color"]).fit(TRAIN).transform(TEST)
    assert made["color"].tolist() == ["green", "blue", MISSING]
    assert made["color"].dtype == object
