"""The ranked table, its reasons, and residual conviction."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.conviction import anomalies, sampled_baseline
from vicinal.conviction.breakdown import explain_surprise
from vicinal.conviction.measure import Measure
from vicinal.exceptions import ParameterError


def planted(seed=0, n=200):
    """A line with noise; two cases off it, the second one more so."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    table = {"x": x, "y": x + 0.05 * rng.normal(size=n), "z": rng.normal(size=n)}
    table["y"][3] += 2.0
    table["y"][7] -= 4.0
    return table


def test_the_strangest_case_comes_first_with_the_feature_that_is_off():
    found = Model().fit(planted()).anomalies()
    assert found.cases[:2].tolist() == [7, 3]
    assert (np.diff(found.conviction) >= 0).all()
    assert found.features[0][0][0] in ("x", "y")
    assert found.direction[0] == "outlier"
    assert found.p_value[0] == 1 / 200


def test_a_sample_of_the_cases_is_judged_as_these_cases_are():
    model = Model().fit(planted())
    some = model.conviction(max_cases=50)
    whole = model.conviction()
    assert some.stored
    assert len(np.unique(some.cases)) == 50
    np.testing.assert_array_equal(some.similarity, whole.similarity[some.cases])
    assert model.anomalies(max_cases=50).n_judged == 50
    assert len(model.conviction(max_cases=999)) == 200
    with pytest.raises(ParameterError, match="expected one of them"):
        model.conviction({"x": [0.0], "y": [0.0], "z": [0.0]}, max_cases=2)


def test_a_sample_of_a_large_table_is_judged_once_until_the_cases_change(monkeypatch):
    monkeypatch.setattr(sampled_baseline, "MOST_CASES", 100)
    judged, judge = [], anomalies.convictions_of

    def counted(fitted, rows, *others, **options):
        judged.append(len(rows))
        return judge(fitted, rows, *others, **options)

    monkeypatch.setattr(anomalies, "convictions_of", counted)
    model = Model().fit(planted(n=300))
    few, more = (model.anomalies(max_cases=60, threshold=one) for one in (0.4, 0.7))
    assert judged == [60]
    assert set(few.cases) <= set(more.cases)
    fresh = Model().fit(planted(n=300)).anomalies(max_cases=60, threshold=0.7)
    np.testing.assert_array_equal(more.conviction, fresh.conviction)
    model.anomalies(planted(seed=1, n=9))
    model.anomalies(max_cases=50)
    assert judged == [60, 60, 9, 50]  # the fresh model judges, too
    model.add({"x": [0.0], "y": [9.0], "z": [0.0]})
    model.anomalies(max_cases=60)
    assert judged[-1] == 60


def test_nearest_ordinary_cases_are_no_anomalies_themselves():
    found = Model().fit(planted()).anomalies()
    assert not np.isin(found.ordinary, found.cases).any()
    assert (found.ordinary[0] >= 0).any()


def test_surpluses_add_up_to_the_difference_of_mean_distances():
    model = Model().fit(planted())
    rows = model.index_.storage.values[:5]
    numbers = np.arange(5)
    broken = explain_surprise(
        model._ready(), model._ready().cases(numbers), Measure(6, n_reference=6)
    )
    near = model.index_.search(rows, model.metric_, 6, exclude=numbers)
    values = model.index_.storage.values
    own = model.index_.search(values, model.metric_, 6, exclude=np.arange(len(values)))
    expected = near.distances.mean(axis=1) - own.distances.mean(axis=1)[near.indices].mean(axis=1)
    np.testing.assert_allclose(broken.surplus.sum(axis=1), expected)


def test_new_rows_are_ranked_too():
    model = Model().fit(planted())
    found = model.anomalies({"x": [0.0, 1.0, 1.0], "y": [0.0, -3.0, 1.0], "z": [0.0, 0.0, 0.0]})
    assert found.cases.tolist() == [1]
    assert found.to_frame("pandas").columns[0] == "row"


def test_by_default_few_ordinary_cases_are_listed():
    heavy = np.random.default_rng(0).standard_t(3, size=(1000, 2))
    model = Model().fit(heavy)
    by_default, by_threshold = model.anomalies(), model.anomalies(threshold=0.7)
    assert by_default.cases.tolist() == by_threshold.cases[: len(by_default)].tolist()
    assert 0 < len(by_default) <= 20 < 50 < len(by_threshold)
    assert by_default.clean_share == 0.01 < by_threshold.clean_share


def test_repeated_cases_are_listed_as_those_of_double_weight():
    table = {name: values[:40] for name, values in planted().items()}
    weighted = Model().fit(table, sample_weight=np.full(40, 2.0)).anomalies()
    repeated = Model().fit({name: np.repeat(one, 2) for name, one in table.items()}).anomalies()
    assert sorted(set(repeated.cases // 2)) == sorted(weighted.cases)
    assert repeated.clean_share == weighted.clean_share


def test_other_thresholds():
    model = Model().fit(planted())
    share = model.anomalies(alpha=0.1)
    assert len(share) == 20
    assert len(model.anomalies(threshold=1e-9)) == 0
    with_inliers = model.anomalies(inliers=True)
    assert len(with_inliers) >= len(model.anomalies())
    rows = {"x": [0.0, 1.0], "y": [0.0, -3.0], "z": [0.0, 0.0]}
    assert model.anomalies(rows, false_discovery_rate=0.2).cases.tolist() == [1]
    with pytest.raises(ParameterError, match="alpha"):
        model.anomalies(alpha=2)


def test_results_are_readable():
    found = Model().fit(planted()).anomalies()
    title, _, head, first, *_ = repr(found).splitlines()
    assert title == f"{len(found)} of 200 cases are anomalies"
    assert head.split()[:3] == ["case", "conviction", "p"]
    assert first.startswith("  #7 ")
    frame = found.to_frame("polars")
    assert frame.columns == [
        "case",
        "conviction",
        "p_value",
        "tail_p_value",
        "direction",
        "features",
        "nearest_ordinary",
    ]


def test_residual_conviction_is_low_where_a_value_is_unexplained():
    convictions = Model().fit(planted()).residual_conviction()
    assert set(convictions) == {"x", "y", "z"}
    assert np.argmin(convictions["y"]) in (3, 7)
    assert np.isfinite(convictions["z"]).all()


def test_residual_conviction_of_new_rows_and_missing_values():
    table = {**planted(), "c": ["a", "b"] * 100}
    model = Model().fit(table)
    rows = {"x": [0.0, 0.0, None], "y": [0.0, 3.0, 1.0], "c": ["a", None, "b"]}
    judged = model.residual_conviction(rows, ["y", "c"])
    assert judged["y"][1] < judged["y"][0]
    assert np.isnan(judged["c"][1])
    assert np.isfinite(judged["c"][[0, 2]]).all()


def test_nearest_ordinary_cases_are_ordinary_at_the_threshold_that_was_given():
    model = Model(n_jobs=1).fit(planted())
    similarity = model.conviction().similarity
    for threshold in (0.5, 0.9):
        found = model.anomalies(threshold=threshold)
        near = found.ordinary[found.ordinary >= 0]
        assert (similarity[near] >= threshold).all()
