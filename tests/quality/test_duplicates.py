"""Duplicates, near-duplicates and leaks."""

import numpy as np

from tests.quality.tables import labeled_table
from vicinal import Model


def test_duplicates_are_named_once_and_near_ones_with_what_differs():
    table = labeled_table(80)
    table.loc[80] = table.loc[3]
    table.loc[81] = table.loc[9]
    table.loc[81, "x"] += 1e-6
    found = Model(n_jobs=1).fit(table).audit().of("duplicate")
    assert [(one.case, one.details["twin"]) for one in found] == [(80, 3), (81, 9)]
    assert found[0].evidence == "equal to case #3"
    assert found[1].details["differs_in"] == ["x"]
    assert 0 < found[1].score < 1


def test_a_copy_is_found_by_its_missing_values_too():
    table = labeled_table(80)
    # A row with a central x may be nearer than the copy, whose x is unknown as well.
    table.loc[[3, 20, 41], "x"] = np.nan
    table.loc[80] = table.loc[3]
    found = Model(n_jobs=1).fit(table).audit().of("duplicate")
    assert [(one.case, one.details["twin"]) for one in found] == [(80, 3)]
    assert found[0].evidence == "equal to case #3"
    test = table.loc[[20]]
    leaks = Model(n_jobs=1).fit(table).audit(test=test.reset_index(drop=True)).of("leak")
    assert [(one.case, one.details["twin"]) for one in leaks] == [(0, 20)]


def test_cases_of_weight_two_are_no_duplicates_of_themselves():
    audit = Model(n_jobs=1).fit(labeled_table(40), sample_weight=np.full(40, 2.0)).audit()
    assert audit.of("duplicate") == ()


def test_where_most_cases_repeat_being_near_says_nothing():
    table = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
    found = Model(categorical_features=["a", "b"]).fit(table).audit().of("duplicate")
    assert all(one.details["differs_in"] == [] for one in found)


def test_test_rows_that_repeat_training_cases_are_leaks_whatever_their_target():
    table = labeled_table(100)
    test = labeled_table(20, seed=5)
    test.loc[4] = table.loc[17]
    test.loc[4, "kind"] = "down" if table.loc[17, "kind"] == "up" else "up"
    audit = Model(n_jobs=1).fit(table).audit("kind", test=test)
    assert [(one.case, one.details["twin"]) for one in audit.of("leak")] == [(4, 17)]
    assert "leak" in audit.looked_for
    unlabeled = test.drop(columns="kind")
    again = Model(n_jobs=1).fit(table).audit(test=unlabeled)
    assert [one.case for one in again.of("leak")] == [4]
