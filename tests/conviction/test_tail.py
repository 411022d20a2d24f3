"""The fitted tail: valid p-values below 1/n, found anomalies, and nothing from weights."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.conviction.p_values import discoveries, own_p_values, tail_p_values
from vicinal.conviction.p_values import p_values as conformal
from vicinal.conviction.tail import fit_tail

TAILS = {
    "exponential": lambda rng, n: rng.exponential(size=n),
    "gaussian": lambda rng, n: rng.normal(size=n),
    "bounded": lambda rng, n: rng.uniform(size=n),
    "heavier": lambda rng, n: rng.pareto(8.0, size=n),
    "few values": lambda rng, n: rng.poisson(1.0, size=n) / 10,
}


def p_values(scores):
    conviction = np.exp(-scores)
    return tail_p_values(conviction, own_p_values(conviction), fit_tail(scores))


@pytest.mark.parametrize("name", TAILS)
@pytest.mark.parametrize("n", [60, 300])
def test_p_values_of_new_scores_are_not_too_small(name, n):
    rng, levels = np.random.default_rng(5), np.array([0.1, 0.01, 0.001])
    shares = []
    for _ in range(60):
        stored, new = np.exp(-TAILS[name](rng, n)), np.exp(-TAILS[name](rng, 2000))
        p = tail_p_values(new, conformal(new, stored), fit_tail(-np.log(stored)))
        shares.append([(p <= level).mean() for level in levels])
    error = np.std(shares, axis=0, ddof=1) / np.sqrt(len(shares))
    assert (np.mean(shares, axis=0) <= levels + 2 * error).all()


def test_p_values_fall_with_the_score():
    tail = fit_tail(np.random.default_rng(0).exponential(size=200))
    scores = np.linspace(tail.start + 0.01, 50, 100)
    p = tail.p_values(scores)
    assert (np.diff(p) < 0).all()
    assert np.isnan(tail.p_values(np.array([tail.start])))
    for level in (1e-2, 1e-5):
        np.testing.assert_allclose(tail.p_values(np.array([tail.score_at(level)])), level)


def test_scores_far_beyond_all_others_are_discoveries():
    scores = np.random.default_rng(1).normal(size=300) / 5
    scores[:12] = np.linspace(2.5, 9.0, 12)
    assert np.flatnonzero(discoveries(p_values(scores), 0.05)).tolist() == list(range(12))
    assert fit_tail(scores).n_beyond == 12


def test_only_scores_beyond_the_outermost_gap_are_left_out_of_the_tail():
    scores = np.random.default_rng(1).exponential(size=300) / 10
    scores[:6] = np.linspace(1.5, 1.6, 6)  # far from the others: ordinary or not, who knows
    assert fit_tail(scores).n_beyond == 6
    scores[6:9] = [4.0, 4.5, 5.0]
    tail = fit_tail(scores)
    assert (tail.n_beyond, tail.farthest) == (3, 1.6)


def test_whole_weights_equal_repeated_scores():
    rng = np.random.default_rng(2)
    scores, weights = rng.exponential(size=150), rng.integers(0, 4, size=150)
    one = fit_tail(scores, weights.astype(float))
    many = fit_tail(np.repeat(scores, weights))
    asked = np.array([3.0, 5.0, 20.0])
    np.testing.assert_allclose(one.p_values(asked), many.p_values(asked), rtol=1e-9)


@pytest.mark.parametrize("scores", [[], [0.3], [0.0] * 40, [0.0] * 39 + [9.0]])
def test_few_and_equal_scores_have_a_tail(scores):
    p = fit_tail(np.array(scores)).p_values(np.array([1e6]))
    assert 0 <= p[0] < 0.2


@pytest.mark.parametrize("n", [100, 300])
def test_a_row_at_a_million_is_found_with_error_control(n):
    values = np.random.default_rng(n).normal(size=(n, 3))
    values[3, 1] = 1e6
    found = Model().fit(values).anomalies(false_discovery_rate=0.05)
    assert found.cases.tolist() == [3]
    assert found.tail_p_value[0] < 0.05 / n < found.p_value[0]


def test_results_say_what_share_of_ordinary_rows_the_rule_lists():
    model = Model().fit(np.random.default_rng(0).normal(size=(300, 3)))
    by_threshold = model.anomalies(threshold=0.7)
    assert 0 < by_threshold.clean_share < 0.15
    assert "Of ordinary cases, the same rule lists about" in repr(by_threshold)
    assert model.anomalies(alpha=0.02).clean_share == 0.02
    assert model.anomalies(false_discovery_rate=0.05).clean_share <= 0.05
    assert model.anomalies().clean_share == 0.01
    with_inliers = model.anomalies(threshold=0.7, inliers=True)
    assert with_inliers.clean_share >= by_threshold.clean_share


@pytest.mark.slow
def test_planted_anomalies_are_found_at_the_rate():
    false_shares, recall = [], []
    for seed in range(40):
        rng = np.random.default_rng(500 + seed)
        values = rng.normal(size=(300, 5))
        values[:9] *= 8.0
        found = Model(random_state=seed).fit(values).anomalies(false_discovery_rate=0.05).cases
        false_shares.append((found >= 9).sum() / max(len(found), 1))
        recall.append((found < 9).mean() * len(found) / 9 if len(found) else 0.0)
    error = np.std(false_shares, ddof=1) / np.sqrt(len(false_shares))
    assert np.mean(false_shares) <= 0.05 + 2 * error
    assert np.mean(recall) > 0.5
