"""Every peer that is installed takes words, gaps and unseen words."""

import numpy as np
import pytest

from benchmarks.quality.fitting import fit_and_predict
from benchmarks.quality.peers import ALL_PEERS, Setting
from benchmarks.quality.runner import installed_version
from tests.benchmarks.quality.tables import mixed

TRAIN, TEST = np.arange(70), np.arange(70, 80)
SLOW = {"howso", "ebm", "ebm-balanced"}
HERE = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name, peer in ALL_PEERS.items()
    if installed_version(peer.package)
]


@pytest.mark.filterwarnings("ignore")  # of the libraries, about their own affairs
@pytest.mark.parametrize("declared", [False, True], ids=["strings", "categories"])
@pytest.mark.parametrize("name", HERE)
def test_a_classifier_takes_words_gaps_and_unseen_words(name, declared):
    table, signal = mixed()
    if declared:
        table["color"] = table["color"].astype("category")
    target = np.digitize(signal, [0, 0.8])
    setting = Setting("classification", 0, target[TRAIN])
    made = fit_and_predict(name, setting, table, TRAIN, TEST)
    assert made.classes.tolist() == [0, 1, 2]
    assert made.values.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert all(seconds >= 0 for seconds in made.seconds.values())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [one for one in HERE if "balanced" not in one.values[0]])
def test_a_regressor_takes_words_gaps_and_unseen_words(name):
    table, signal = mixed()
    made = fit_and_predict(name, Setting("regression", 0, signal[TRAIN]), table, TRAIN, TEST)
    assert made.values.shape == TEST.shape
    assert np.isfinite(made.values).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [one for one in HERE if "balanced" in one.values[0]])
def test_balanced_classes_give_a_rare_class_more_weight(name):
    table, signal = mixed(200)
    target = (signal > np.quantile(signal, 0.9)).astype(int)
    rows = np.arange(200)
    plain, balanced = (
        fit_and_predict(one, Setting("classification", 0, target), table, rows, rows).values
        for one in (name.removesuffix("-balanced"), name)
    )
    # A forest weighs leaves, which are pure in training: only the sign may vanish there.
    assert balanced[:, 1].mean() >= plain[:, 1].mean() - 0.01


def test_the_linear_model_does_not_depend_on_the_unit_of_the_target():
    table, signal = mixed()
    small, large = (
        fit_and_predict("linear", Setting("regression", 0, y[TRAIN]), table, TRAIN, TEST).values
        for y in (signal, signal * 1e6)
    )
    assert large / 1e6 == pytest.approx(small, rel=1e-3)
