"""Cases that dominate a column are judged without what they did to its residual."""

import numpy as np
import pytest

from vicinal import Model


def heavy(n=60):
    rng = np.random.default_rng(4)
    table = {name: rng.standard_t(1.5, size=n) for name in "xyz"}
    table["kind"] = np.where(rng.random(n) < 0.5, "a", "b")
    table["x"][7] = 1e6
    return table


def test_a_dominating_case_is_judged_as_a_new_row_of_the_table_without_it():
    table = heavy()
    found = Model().fit(table).anomalies(false_discovery_rate=0.05)
    assert 7 in found.cases
    others = {name: np.delete(values, 7) for name, values in table.items()}
    row = {name: values[[7]] for name, values in table.items()}
    expected = Model().fit(others).conviction(row).similarity[0]
    assert found.conviction[found.cases.tolist().index(7)] == pytest.approx(expected, rel=1e-12)


def test_the_answer_is_the_same_when_the_case_is_asked_about_alone():
    model = Model().fit(heavy())
    among, alone = model.anomalies(threshold=0.7), model.anomalies(case=[7], threshold=0.7)
    assert alone.conviction[0] == among.conviction[among.cases.tolist().index(7)]


def test_whole_weights_equal_repeated_rows_of_which_none_dominates():
    table = heavy()
    weights = np.ones(60)
    weights[7] = 2.0
    twice = {name: np.append(values, values[7]) for name, values in table.items()}
    weighted = Model().fit(table, sample_weight=weights).anomalies(threshold=1.0)
    repeated = Model().fit(twice).anomalies(threshold=1.0)
    by_case = dict(zip(repeated.cases.tolist(), repeated.conviction.tolist(), strict=True))
    for case, conviction in zip(weighted.cases.tolist(), weighted.conviction, strict=True):
        assert conviction == pytest.approx(by_case[case], rel=1e-9)


def test_convictions_of_ordinary_cases_stay():
    model = Model().fit(heavy())
    listed, judged = model.anomalies(threshold=1.0), model.conviction().similarity
    same = [judged[case] == own for case, own in zip(listed.cases, listed.conviction, strict=True)]
    assert [int(case) for case, one in zip(listed.cases, same, strict=True) if not one] == [7]
