"""Curves of ranked cases equal those of scikit-learn, and a count by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from vicinal.report.ranking import RankedCases

cases = st.lists(
    st.tuples(st.integers(0, 5), st.booleans(), st.integers(1, 3)), min_size=2, max_size=40
).filter(lambda rows: len({positive for _, positive, _ in rows}) == 2)


@settings(max_examples=100)
@given(rows=cases)
def test_areas_are_those_of_scikit_learn(rows):
    scores, positive, weights = (np.array(one) for one in zip(*rows, strict=True))
    found = RankedCases.of(scores / 5, positive, weights.astype(float))
    expected = roc_auc_score(positive, scores, sample_weight=weights)
    assert found.auc == pytest.approx(expected)
    expected = average_precision_score(positive, scores, sample_weight=weights)
    assert found.average_precision == pytest.approx(expected)
    alarms, recall, _ = roc_curve(positive, scores, sample_weight=weights, drop_intermediate=False)
    np.testing.assert_allclose(found.recall, recall)
    np.testing.assert_allclose(found.false_alarms, alarms, atol=1e-12)
    assert found.ks == pytest.approx(max(recall - alarms))


def test_shares_are_counted_case_by_case():
    rng = np.random.default_rng(0)
    scores, positive = rng.integers(0, 8, size=50) / 8, rng.random(50) < 0.3
    found = RankedCases.of(scores, positive, np.full(50, 0.02))
    for at, threshold in enumerate(found.thresholds):
        above = [score >= threshold for score in scores]
        both = sum(is_above and is_in for is_above, is_in in zip(above, positive, strict=True))
        assert found.flagged[at] == pytest.approx(sum(above) / 50)
        assert found.recall[at] == pytest.approx(both / positive.sum())
        if any(above):
            assert found.precision[at] == pytest.approx(both / sum(above))


def test_lift_is_how_many_times_more_are_among_the_first():
    scores, positive = np.arange(10.0)[::-1], np.arange(10) < 2
    found = RankedCases.of(scores, positive, np.ones(10))
    assert found.lift(0.1) == pytest.approx(5.0)
    assert found.lift(1.0) == pytest.approx(1.0)
    assert (found.auc, found.ks) == (1.0, 1.0)
