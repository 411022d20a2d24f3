"""Fewer cases at a stated loss."""

import numpy as np
import pandas as pd
import pytest

from tests.quality.tables import ODD, labeled_table
from vicinal import Model, ParameterError


def test_a_reduced_model_is_smaller_and_states_its_loss():
    model = Model(n_jobs=1, max_queries=200).fit(labeled_table(200))
    reduction = model.reduce(share=0.25, target="kind")
    assert len(reduction.model) == len(reduction) == 50
    assert reduction.weights.sum() == pytest.approx(200)
    assert reduction.loss == reduction.loss_after - reduction.loss_before
    fresh = labeled_table(300, seed=9)
    right = reduction.model.predict(fresh, "kind") == fresh["kind"]
    assert right.mean() > 0.85
    assert len(model) == 200


def test_a_quarter_of_the_cases_predicts_nearly_as_well():
    def loss(seed):
        model = Model(n_jobs=1, max_queries=200, random_state=seed).fit(labeled_table(200))
        return model.reduce(share=0.25, target="kind").loss

    # One held-out case that is surely wrong costs 0.1 nats, so a single sample says little.
    assert np.mean([loss(seed) for seed in range(3)]) < 0.1


def test_reducing_beats_dropping_cases_at_random():
    table, fresh = labeled_table(300), labeled_table(400, seed=1)
    model = Model(n_jobs=1, max_queries=200).fit(table)
    small = model.reduce(n_cases=30, target="kind").model
    loss = -np.log(proba_of(small, fresh)).mean()
    losses = []
    for seed in range(5):
        chosen = table.sample(30, random_state=seed)
        losses.append(-np.log(proba_of(Model(n_jobs=1).fit(chosen), fresh)).mean())
    assert loss < np.mean(losses)


def proba_of(model, rows):
    said = model.predict_proba(rows, "kind")
    codes = [model.schema_["kind"].categories.index(kind) for kind in rows["kind"]]
    return np.maximum(said[np.arange(len(rows)), codes], 1e-3)


def test_equal_cases_are_merged_without_any_loss():
    table = pd.concat([labeled_table(40)] * 3, ignore_index=True)
    model = Model(n_jobs=1).fit(table)
    model.predict(table.iloc[:1], "kind")
    small = model.reduce(n_cases=40).model
    rows = labeled_table(30, seed=4)
    np.testing.assert_allclose(
        small.predict_proba(rows, "kind"), model.predict_proba(rows, "kind"), atol=1e-9
    )
    np.testing.assert_allclose(
        small.conviction(rows).contribution, model.conviction(rows).contribution
    )


def test_the_allowed_loss_is_kept():
    # Scores predict this table so well that one case at the boundary makes most of the loss.
    model = Model(n_jobs=1, max_queries=100, scores=False).fit(labeled_table(160))
    reduction = model.reduce(max_loss=0.05, target="kind")
    assert reduction.loss <= 0.05
    assert len(reduction) < 160
    everything = model.reduce(max_loss=0.5)
    assert everything.loss <= 0.5


@pytest.mark.parametrize(
    "arguments", [{}, {"share": 0.5, "n_cases": 3}, {"share": 1.5}, {"max_loss": -1.0}]
)
def test_reductions_want_one_sound_size(arguments):
    with pytest.raises(ParameterError):
        Model().fit(labeled_table(20)).reduce(**arguments)


def test_what_happens_to_the_smaller_model_is_no_news_of_the_larger():
    model = Model(n_jobs=1).fit(labeled_table(40))
    small = model.reduce(n_cases=10).model
    before = len(model.log_)
    small.add(labeled_table(2, seed=1))
    assert len(model.log_) == before
    assert len(model) == 40
    assert len(small) == 12


def test_cases_of_weight_zero_represent_none_and_have_no_representative():
    weights = np.where(np.arange(30) < 5, 0.0, 1.0)
    reduction = Model(n_jobs=1).fit(labeled_table(30), sample_weight=weights).reduce(n_cases=10)
    assert (reduction.representative[:5] == -1).all()
    assert reduction.cases.min() >= 5
    assert reduction.weights.sum() == 25


def test_one_case_can_be_reduced_to_itself():
    assert len(Model().fit({"x": [1.0]}).reduce(n_cases=1).model) == 1


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_can_be_reduced_to_one_case(name):
    model = Model(n_jobs=1, max_queries=20).fit(ODD[name])
    assert len(model.reduce(n_cases=1).model) == 1


def test_the_cases_that_stay_go_by_their_labels():
    frame = pd.DataFrame(labeled_table(60))
    frame.index = [f"P-{n}" for n in range(60)]
    found = Model(n_jobs=1, max_queries=60).fit(frame).reduce(n_cases=20)
    assert found.to_frame()["case"].tolist() == [f"P-{n}" for n in found.cases]
    assert " P-" in str(found)
    assert "#" not in str(found)


def test_a_loss_that_cannot_be_measured_is_unknown():
    found = Model().fit({"x": [1.0, 2.0], "y": [1.0, 3.0]}).reduce(n_cases=1)
    assert "nan" not in str(found)
    assert "unknown, since there are too few cases" in str(found)
