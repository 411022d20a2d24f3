"""Differences between models: over data sets, positive where the focus is better."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.quality.differences import differences, mean_ranks, standard_error

SCORES = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.7], "log_loss": [0.2, 0.4, 0.3, 0.2]},
    index=pd.MultiIndex.from_product(
        [["t1", "t2"], ["mine", "theirs"]], names=["dataset", "model"]
    ),
)


def test_an_error_counts_the_other_way_round():
    text = differences(SCORES, "mine", ["log_loss"])
    assert "+0.0500 ± 0.0500 (1–1–0)" in text
    assert "+0.0500 ± 0.1500 (1–0–1)" in text


def test_ranks_share_ties_and_turn_errors_round():
    lines = mean_ranks(SCORES, ["log_loss"]).splitlines()
    cells = {line.split("|")[1].strip(): line.split("|")[2:4] for line in lines[2:]}
    assert [float(cell) for cell in cells["mine"]] == [1.25, 1.5]
    assert [float(cell) for cell in cells["theirs"]] == [1.75, 1.5]


def test_the_standard_error_is_that_of_a_mean():
    gaps = np.random.default_rng(0).normal(size=50)
    assert standard_error(gaps) == pytest.approx(gaps.std(ddof=1) / np.sqrt(50))
    assert np.isnan(standard_error(gaps[:1]))
