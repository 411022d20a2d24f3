"""Rankings and decision rules of held-out cases."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

from tests.report.reading import fit
from vicinal.report.gather_calibration import first_half
from vicinal.report.gather_ranking import brier_scores, gather_decisions, gather_rankings
from vicinal.report.held_out import hold_out


@pytest.fixture(scope="module")
def held():
    rng = np.random.default_rng(0)
    rare = rng.random(150) < 0.2
    x = rng.normal(size=150) + 1.5 * rare
    table = {"x": x, "y": rng.normal(size=150), "kind": np.where(rare, "rare", "usual")}
    return hold_out(fit(table), "kind")


def test_of_two_classes_the_rarer_one_is_ranked(held):
    [found] = gather_rankings(held)
    assert found.label == "rare"
    code = held.labels.index("rare")
    truth = held.truth == code
    given = held.predicted.probabilities[:, code]
    assert found.auc == pytest.approx(roc_auc_score(truth, given))
    assert found.rate == pytest.approx(truth.mean())
    brier = held.weights @ brier_scores(held, held.predicted.probabilities)
    assert brier == pytest.approx(brier_score_loss(truth, given))
    for points in (found.roc, found.precision_recall, found.gains):
        assert np.all((np.array(points) >= 0) & (np.array(points) <= 1 + 1e-12))


def test_several_classes_are_ranked_each_against_the_others(held_out):
    found = gather_rankings(held_out["island"])
    assert {one.label for one in found} == set(held_out["island"].labels)


def test_decision_rules_are_compared(held):
    found = gather_decisions(held, first_half(held))
    assert found.rare == "rare"
    rules = dict(found.rules)
    truth = held.truth == held.labels.index("rare")
    given = held.predicted.probabilities[:, held.labels.index("rare")]
    default = rules["Most probable class (default)"]
    assert default[0] == f"{100 * np.mean((given > 0.5) == truth):.1f} %"
    balanced = rules['class_weight="balanced"']
    chosen = given * (1 - truth.mean()) > (1 - given) * truth.mean()
    assert balanced[1] == f"{100 * balanced_accuracy_score(truth, chosen):.1f} %"
    assert set(rules) >= {'decision="f1"', 'decision="mcc"', 'decision="balanced_accuracy"'}
    threshold, ratio, recall, *_ = found.thresholds[2]
    assert (threshold, ratio) == ("0.2", "4 : 1")
    assert recall == f"{100 * np.mean(given[truth] >= 0.2):.1f} %"


def test_curves_over_thresholds_are_those_of_the_table(held):
    found = gather_decisions(held, first_half(held))
    curves = {name: dict(points) for name, points in found.threshold_curves}
    assert curves["recall"][0.0] == pytest.approx(1.0)
    assert curves["share predicted"][0.0] == pytest.approx(1.0)
    half = next(one for one in found.thresholds if one[0] == "0.5")
    for name, text in zip(("recall", "precision", "share predicted"), half[2:], strict=True):
        assert float(text.strip("<> %")) == pytest.approx(100 * curves[name][0.5], abs=0.06)


def test_a_single_class_has_neither():
    held = hold_out(fit({"x": np.arange(20.0), "kind": ["a"] * 20}), "kind")
    assert gather_rankings(held) == ()
    assert gather_decisions(held, first_half(held)) is None
