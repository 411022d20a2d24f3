"""Contributions in large tables, whose coalitions are predicted from samples of the cases."""

import numpy as np
import pytest

import vicinal
from vicinal.explain import case_samples
from vicinal.explain.case_samples import samples_of
from vicinal.prediction.predictor import learn


def make(n, d, seed=0, *, classes=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    y = 2 * x[:, 0] - x[:, 1] + x[:, 2] * x[:, 0] + 0.3 * rng.normal(size=n)
    table = {f"x{i}": x[:, i] for i in range(d)}
    return {**table, "y": np.where(y > 0, "yes", "no").astype(object) if classes else y}


@pytest.fixture(scope="module", params=[(4, False), (4, True), (11, False)])
def asked(request):
    d, classes = request.param
    model = vicinal.Model(n_jobs=1, max_queries=100).fit(make(500, d, classes=classes))
    rows = {name: values[:8] for name, values in make(8, d, seed=1).items() if name != "y"}
    return model, rows


@pytest.fixture
def large(monkeypatch):
    """Let a table of more than 400 cases be a large one."""
    monkeypatch.setattr(case_samples, "SAMPLES", 4)
    monkeypatch.setattr(case_samples, "SAMPLE_SIZE", 100)


def test_contributions_from_samples_sum_to_the_prediction_from_all_cases(asked, large):
    model, rows = asked
    found = model.contributions(rows, "y")
    expected = model.predict(rows, "y") if found.classes is None else None
    if expected is not None:
        np.testing.assert_array_equal(found.predictions, expected)
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, rtol=1e-12, atol=1e-12)
    assert (found.standard_errors > 0).any()
    if found.classes is not None:
        np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-12)


def test_all_cases_predict_on_request(asked, large, monkeypatch):
    model, rows = asked
    found = model.contributions(rows, "y", baseline="all")
    monkeypatch.undo()
    expected = model.contributions(rows, "y")
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.standard_errors, expected.standard_errors)


def test_samples_say_what_all_cases_say(asked, large):
    model, rows = asked
    found, exact = model.contributions(rows, "y"), model.contributions(rows, "y", baseline="all")
    errors = np.hypot(found.standard_errors, exact.standard_errors)
    # A fifth of the cases predicts more smoothly, hence the second part.
    off = np.abs(found.values - exact.values)
    assert np.mean(off <= 2 * errors + 0.05 * np.abs(exact.values).max()) > 0.9


def test_samples_have_no_case_in_common_and_leave_out_the_case_asked_about(large):
    model = vicinal.Model(n_jobs=1, max_queries=100).fit(make(500, 4))
    fitted = model._ready()
    predictor = learn(fitted, "y", fitted.columns_for([f"x{i}" for i in range(4)], "y"))
    samples = samples_of(predictor)
    numbers = np.concatenate([one.numbers for one in samples])
    assert len(set(numbers.tolist())) == len(numbers) == 400
    sample = samples[2]
    own, other = sample.numbers[7], samples[1].numbers[0]
    np.testing.assert_array_equal(sample.places(np.array([own, other, -1])), [7, -1, -1])
    assert sample.places(None) is None
    found = model.contributions(case=int(own), target="y")
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, rtol=1e-12)


def test_contributions_from_samples_do_not_depend_on_other_rows(asked, large):
    model, rows = asked
    alone = model.contributions({name: values[3:4] for name, values in rows.items()}, "y")
    np.testing.assert_array_equal(alone.values, model.contributions(rows, "y").values[3:4])


def test_explanations_of_large_tables_take_samples(asked, large):
    model, rows = asked
    one = {name: values[:1] for name, values in rows.items()}
    explained = model.explain(one, "y", features={"baseline": "auto"})[0]
    expected = model.contributions(one, "y").values[0]
    assert explained.features is not None
    if expected.ndim == 1:
        np.testing.assert_array_equal(explained.features.values, expected)
