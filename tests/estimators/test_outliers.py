"""The outlier detector and the density estimator beyond scikit-learn's own checks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import vicinal
from vicinal import Model, VicinalDensity, VicinalOutlierDetector
from vicinal.exceptions import ParameterError


def blob(seed=0, n=150):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_scores_are_log_convictions_and_the_default_threshold_is_the_papers():
    detector = VicinalOutlierDetector().fit(blob())
    assert detector.offset_ == np.log(0.7)
    rows = blob(1, 20)
    convictions = detector.model_.conviction({f"x{i}": rows[:, i] for i in range(3)})
    np.testing.assert_allclose(detector.score_samples(rows), np.log(convictions.similarity))


def test_training_rows_are_judged_without_themselves():
    X = blob()
    detector = VicinalOutlierDetector().fit(X)
    np.testing.assert_array_equal(detector.score_samples(X), detector.training_scores_)
    np.testing.assert_array_equal(detector.decision_scores_, -detector.training_scores_)
    np.testing.assert_array_equal(detector.labels_ == 1, detector.predict(X) == -1)


@pytest.mark.parametrize("conviction", ["similarity", "familiarity"])
def test_a_far_row_is_an_outlier(conviction):
    detector = VicinalOutlierDetector(conviction=conviction).fit(blob())
    assert detector.predict([[9.0, -9.0, 9.0]]).tolist() == [-1]


def test_one_row_has_the_score_it_has_among_many():
    detector = VicinalOutlierDetector().fit(blob())
    rows = blob(1, 50)
    alone = [detector.score_samples(row[None])[0] for row in rows]
    assert detector.score_samples(rows).tolist() == alone


def with_a_group():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(300, 3)), 0.05 * rng.normal(size=(12, 3)) + 6])


@pytest.mark.parametrize("robust", ["auto", True, False])
def test_training_rows_that_expect_each_other_are_found_unless_the_table_is_trusted(robust):
    scores = VicinalOutlierDetector(robust=robust).fit(with_a_group()).training_scores_
    found = scores[300:].max() < np.quantile(scores[:300], 0.05)
    assert found == bool(robust)


def test_training_rows_keep_their_convictions_in_another_order_and_new_rows_theirs():
    X = with_a_group()
    auto, plain = (VicinalOutlierDetector(robust=one).fit(X) for one in ("auto", False))
    scores, usual = (np.sort(one.training_scores_) for one in (auto, plain))
    assert auto.offset_ == plain.offset_
    # Those between the threshold and the estimated share of outliers have moved to the threshold.
    moved = np.abs(scores - usual) > 1e-4
    assert 0 < moved.sum() < 30
    np.testing.assert_allclose(scores[moved], auto.offset_, atol=1e-4)
    assert len(np.unique(auto.training_scores_)) == len(X)
    assert (auto.training_scores_ < auto.offset_).sum() != (
        plain.training_scores_ < plain.offset_
    ).sum()
    np.testing.assert_array_equal(auto.score_samples(blob(1)), plain.score_samples(blob(1)))


@pytest.mark.parametrize("how", [{"conviction": "familiarity"}, {"false_discovery_rate": 0.1}])
def test_familiarity_and_false_discoveries_rest_on_the_convictions_themselves(how):
    scores = [
        VicinalOutlierDetector(robust=one, **how).fit(with_a_group()).training_scores_
        for one in ("auto", False)
    ]
    np.testing.assert_array_equal(*scores)


def test_training_rows_are_told_apart_where_one_value_makes_all_neighborhoods_alike():
    X = np.r_[np.arange(60.0), 1e12].reshape(-1, 1) * [1.0, -1.0]
    scores = VicinalOutlierDetector().fit(X).training_scores_
    assert scores.argmin() == 60
    assert len(np.unique(scores)) > 25


def test_residuals_are_of_squares_unless_a_few_rows_must_not_sway_them():
    X = blob()
    assert VicinalOutlierDetector().fit(X).model_.residual_mean == "square"
    robust = VicinalOutlierDetector(robust=True).fit(X)
    assert robust.model_.residual_mean == "absolute"
    assert robust.model_.residuals_ == Model().fit(X).residuals_


def test_a_false_discovery_rate_flags_what_is_far_beyond_all_others():
    values = blob()
    clean = VicinalOutlierDetector(false_discovery_rate=0.05).fit(values)
    assert (clean.predict(values) == -1).mean() < 0.02
    assert clean.predict(values[:1] + 1e6).tolist() == [-1]
    values[7] += 50.0
    flagged = VicinalOutlierDetector(false_discovery_rate=0.05).fit_predict(values)
    assert flagged[7] == -1


def test_contamination_flags_that_share():
    detector = VicinalOutlierDetector(contamination=0.1).fit(blob())
    assert detector.labels_.sum() == 15


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.35])
def test_the_share_of_anomalies_that_are_clearly_apart_is_found(share):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)) + rng.choice([-4.0, 4.0], (200, 1))
    strange = rng.random(200) < share if share else np.zeros(200, dtype=bool)
    X[strange] = rng.uniform(-25, 25, (strange.sum(), 3))
    detector = VicinalOutlierDetector().fit(X)
    assert abs(detector.labels_.mean() - strange.mean()) < 0.05
    assert (detector.labels_[strange] == 1).mean() > 0.8 if share else True
    np.testing.assert_array_equal(detector.predict(X) == -1, detector.labels_ == 1)


def test_where_half_of_the_rows_are_the_same_convictions_stay():
    X = np.r_[np.zeros(40), np.arange(20.0)].reshape(-1, 1)
    scores = [
        VicinalOutlierDetector(robust=one).fit(X).training_scores_ for one in ("auto", False)
    ]
    np.testing.assert_allclose(scores[0].min(), scores[1].min(), atol=1e-3)


def test_tables_of_any_kind():
    table = pd.DataFrame(
        {"x": [1.0, 1.1, None, 1.2, 8.0], "c": pd.Categorical(["a", "a", "b", "a", "c"])}
    )
    assert VicinalOutlierDetector().fit(table).predict(table)[4] == -1
    density = VicinalDensity().fit(table)
    assert np.isfinite(density.score_samples(table)).all()
    assert density.sample(3).dtype == object


def test_rows_of_weight_zero_are_not_there():
    X = blob()
    weights = np.r_[np.zeros(10), np.ones(140)]
    detector = VicinalOutlierDetector().fit(X, sample_weight=weights)
    without = VicinalOutlierDetector().fit(X[10:])
    assert np.isnan(detector.training_scores_[:10]).all()
    np.testing.assert_allclose(detector.training_scores_[10:], without.training_scores_)


@pytest.mark.parametrize(
    "wrong",
    [
        {"conviction": "x"},
        {"contamination": 0.9},
        {"threshold": 0},
        {"prior": 2},
        {"n_reference": 0},
    ],
)
def test_wrong_parameters_are_refused_in_fit(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        VicinalOutlierDetector(**wrong).fit(blob())


def test_old_names_of_parameters_still_work_and_warn():
    old = VicinalOutlierDetector(circle=5, fade=0.0, flavour="full")
    with pytest.warns(FutureWarning, match="is now called") as told:
        old.fit(blob())
    assert {str(one.message).split()[0] for one in told} == {"circle", "fade", "flavour"}
    new = VicinalOutlierDetector(n_reference=5, rank_decay=0.0, terms="full").fit(blob())
    np.testing.assert_array_equal(old.score_samples(blob(1)), new.score_samples(blob(1)))
    assert clone(old).get_params() == old.get_params()
    changed = new.set_params(fade=0.5)
    with pytest.warns(FutureWarning, match="fade is now called rank_decay"):
        changed.fit(blob())
    assert not np.array_equal(changed.training_scores_, old.training_scores_)
    with (
        pytest.warns(FutureWarning, match="circle"),
        pytest.raises(ParameterError, match="n_reference=0"),
    ):
        VicinalOutlierDetector(circle=0).fit(blob())


def test_old_names_are_saved_and_loaded_without_a_warning(tmp_path):
    with pytest.warns(FutureWarning, match="circle"):
        detector = VicinalOutlierDetector(circle=5).fit(blob())
    detector.save(tmp_path / "d")
    loaded = vicinal.load(tmp_path / "d")
    assert loaded.n_reference == 5
    np.testing.assert_array_equal(loaded.score_samples(blob(1)), detector.score_samples(blob(1)))


def test_samples_of_numbers_are_numbers():
    density = VicinalDensity(random_state=1).fit(blob())
    drawn = density.sample(7)
    assert drawn.shape == (7, 3)
    assert drawn.dtype == np.float64
    np.testing.assert_array_equal(drawn, density.sample(7))
    assert density.score(drawn) == pytest.approx(density.score_samples(drawn).sum())
