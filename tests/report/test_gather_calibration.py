import numpy as np
import pytest

from vicinal.report.gather_calibration import gather_calibration, share


def test_probabilities_are_compared_with_the_share_of_correct_predictions(held_out):
    held = held_out["island"]
    found = gather_calibration(held)
    assert found.what == "classes"
    assert sum(count for *_, count in found.points) == len(held.cases)
    right = np.mean(held.predicted.values == held.truth)
    total = sum(observed * count for _, observed, count in found.points) / len(held.cases)
    assert total == pytest.approx(right)
    mean = sum(expected * count for expected, _, count in found.points) / len(held.cases)
    assert mean == pytest.approx(held.predicted.probabilities.max(axis=1).mean())
    assert "nominal coverage of 90 %" in found.sentence


def test_wider_intervals_contain_more(held_out):
    found = gather_calibration(held_out["body_mass_g"])
    assert found.what == "intervals"
    observed = [share for _, share, _ in found.points]
    assert observed == sorted(observed)
    assert [expected for expected, *_ in found.points] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
    assert found.error < 0.1


def test_shares_are_free_of_rounding():
    assert share(0.1 + 0.2) == 0.3
    assert share(1.0000000000000002) == 1.0
