"""Audits as a whole, and unusual cases."""

import json

import numpy as np
import pytest

from tests.quality.tables import ODD, labeled_table
from vicinal import Model, case_sample
from vicinal.exceptions import ParameterError
from vicinal.quality.audit import Audit


def test_unusual_cases_come_with_the_features_responsible():
    table = labeled_table(100)
    table.loc[50, "noise"] = 30.0
    found = Model(n_jobs=1).fit(table).audit().of("unusual")
    assert found[0].case == 50
    assert next(iter(found[0].details["features"])) == "noise"


def test_a_clean_table_raises_few_alarms():
    audit = Model(n_jobs=1).fit(labeled_table(150, seed=3)).audit("kind")
    assert audit.of("label") == ()
    assert len(audit.of("surprising")) <= 8
    assert audit.of("duplicate") == ()
    assert len(audit.of("unusual")) <= 8


def test_audits_are_plain(audit):
    frame = audit.to_frame("polars")
    assert frame.columns == ["kind", "case", "feature", "score", "evidence"]
    assert frame.height == len(audit) == len(list(audit))
    assert json.loads(json.dumps(audit.to_dict()))["target"] == "kind"
    assert "Labels that are likely wrong" in repr(audit)


def test_audits_do_not_depend_on_the_order_of_rows(flipped, audit):
    table = flipped[0]
    order = np.random.default_rng(0).permutation(len(table))
    again = Model(n_jobs=2, max_queries=200).fit(table.iloc[order]).audit("kind")
    assert {order[one.case] for one in again.of("label")} == {
        one.case for one in audit.of("label")
    }


def test_an_audit_names_the_kinds_it_knows():
    with pytest.raises(ParameterError, match="Did you mean 'label'"):
        Audit((), (), 3).of("labl")


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_can_be_audited(name):
    table = ODD[name]
    assert repr(Model(n_jobs=1, max_queries=20).fit(table).audit("x", test=table))


def test_a_sampled_case_may_equal_one_that_is_not_sampled():
    x = np.repeat(np.random.default_rng(0).normal(size=30), 2)
    model = Model(n_jobs=1, max_queries=20).fit({"x": x, "y": x**2})
    for size in range(10, 60, 10):
        for one in model.audit(max_cases=size).of("duplicate"):
            assert one.details["twin"] == one.case ^ 1


def test_large_tables_are_audited_by_a_sample_unless_all_cases_are_asked_for(monkeypatch):
    monkeypatch.setattr(case_sample, "MOST_CHECKED", 50)
    monkeypatch.setattr(case_sample, "CHECKED_SAMPLE", 20)
    x = np.random.default_rng(0).normal(size=60)
    model = Model(n_jobs=1, max_queries=20).fit({"x": x, "y": x**2})
    assert (model.audit("y").n_cases, model.audit("y").n_stored) == (20, 60)
    assert model.audit(max_cases=None).n_cases == 60
    model.remove(np.arange(10).tolist())
    assert model.audit().n_cases == 50
    with pytest.raises(ParameterError, match="max_cases='some'; expected 'auto', None for all"):
        model.audit(max_cases="some")


def test_an_audit_of_a_sample_finds_what_the_whole_one_finds_there():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    table = {"x": x, "y": x + rng.normal(scale=0.1, size=80)}
    table["x"][7] = 30.0
    model = Model(n_jobs=1, max_queries=20).fit(table)
    whole, some = model.audit(), model.audit(max_cases=40)
    assert (some.n_cases, some.n_stored) == (40, 80)
    assert "Audit of 40 cases (a sample of 80)" in repr(some)
    unusual = {one.case for one in whole.of("unusual")}
    assert {one.case for one in some.of("unusual")} <= unusual
    assert 7 in unusual
