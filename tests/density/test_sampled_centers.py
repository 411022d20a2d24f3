"""Rows of large tables, sampled around some of the cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.density.tables import mixed_table
from vicinal import Model
from vicinal.density import sampled, sampled_centers, synthesis
from vicinal.formulas import SAME


@pytest.fixture
def small(monkeypatch):
    """Sample tables of more than 500 cases, and 200 of them."""
    monkeypatch.setattr(synthesis, "MOST_CENTERS", 500)
    monkeypatch.setattr(sampled_centers, "NEAR", 60)
    fit = sampled.fit_sampled
    monkeypatch.setattr(sampled, "fit_sampled", lambda fitted: fit(fitted, 200))


def test_rows_sampled_around_some_cases_look_like_the_table(small):
    table = mixed_table(n=900)
    drawn = Model(n_jobs=1).fit(table).synthesize(1500)
    x, y = np.array(drawn.columns["x"]), np.array(drawn.columns["y"])
    assert abs(x.mean() - np.mean(table["x"])) < 0.2
    assert abs(x.std() / np.std(table["x"]) - 1) < 0.2
    assert np.corrcoef(x, y)[0, 1] > 0.4
    assert drawn.n_centers == 200
    assert "sampled around 200 of the cases" in repr(drawn)


def test_what_is_given_is_kept_and_followed_where_the_sample_has_no_such_case(small):
    table = mixed_table(n=900)
    c = np.array(table["c"], dtype=object)
    rare = np.flatnonzero(np.array(table["x"]) > 1.0)[:6]
    c[rare] = "rare"
    model = Model(n_jobs=1).fit({**table, "c": c})
    kept = sampled.sampled_mixture_of(model._ready()).numbers
    model.synthesize(1)
    drawn = model.synthesize(60, given={"c": "rare"})
    assert len(np.intersect1d(rare, kept)) < len(rare)
    assert set(drawn.columns["c"]) == {"rare"}
    assert np.median(drawn.columns["x"]) > 0.8
    low, high = (model.synthesize(200, given={"x": x}).columns["y"] for x in (-2.0, 2.0))
    assert np.mean(high) > np.mean(low) + 1.0


def test_rows_are_near_no_case_whether_in_the_sample_or_not(small):
    model = Model(n_jobs=1).fit(mixed_table(n=900))
    drawn = model.synthesize(400)
    fitted = model._ready()
    found = fitted.index.search(fitted.rows(drawn.to_frame()).values, fitted.metric, 1)
    np.testing.assert_allclose(found.distances[:, 0], drawn.distances)
    assert drawn.privacy_ratio > 0.9
    assert (drawn.distances > SAME).mean() > 0.95


def test_cases_far_from_what_is_given_have_the_weight_of_all_that_they_stand_for(small):
    fitted = Model(n_jobs=1).fit(mixed_table(n=900))._ready()
    given = np.full(len(fitted.schema), np.nan)
    given[fitted.schema.column("x")] = 1.0
    mixture = sampled_centers.sampled_centers(fitted, given)
    np.testing.assert_allclose(mixture.mass, 900.0)
    x = fitted.index.cells(mixture.numbers, fitted.schema.column("x"))
    near = np.argsort(np.abs(x - 1.0))[:60]
    np.testing.assert_allclose((mixture.weights * mixture.mass)[mixture.which[near]], 1.0)


def test_cases_that_were_removed_are_no_centers(small):
    model = Model(n_jobs=1).fit(mixed_table(n=900))
    model.synthesize(1)
    gone = sampled.sampled_mixture_of(model._ready()).numbers[:5]
    model.remove(gone.tolist())
    assert model.synthesize(5).n_centers == 195
