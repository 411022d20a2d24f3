import numpy as np
import pytest

from tests.explorer.tables import mixed_table, quick_model
from vicinal.explorer import layout
from vicinal.explorer.layout import lay_out
from vicinal.model.questions import ask


def placed(table):
    return ask(quick_model().fit(table), lay_out, lambda progress, message: None)


def two_groups(n):
    rng = np.random.default_rng(1)
    group = np.arange(n) % 2
    return {f"x{at}": rng.normal(size=n) + 30 * group for at in range(3)}


@pytest.mark.parametrize("landmarks", [1500, 30])
def test_similar_cases_are_near_each_other(monkeypatch, landmarks):
    monkeypatch.setattr(layout, "LANDMARKS", landmarks)
    found = placed(two_groups(80))
    places = np.c_[found.x, found.y]
    within = np.linalg.norm(places[::2] - np.median(places[::2], axis=0), axis=1)
    apart = np.linalg.norm(np.median(places[::2], axis=0) - np.median(places[1::2], axis=0))
    assert np.median(within) < 0.6 * apart
    assert found.n_landmarks == min(landmarks, 80)


def test_all_cases_are_on_the_map_and_fill_it():
    found = placed(mixed_table())
    places = np.c_[found.x, found.y]
    assert found.numbers.tolist() == list(range(60))
    assert places.min() >= 0
    assert places.max() <= 1
    assert np.ptp(places, axis=0).max() == pytest.approx(0.96)


def test_the_order_of_rows_does_not_matter():
    table = two_groups(40)
    shuffled = np.random.default_rng(0).permutation(40)
    one, other = placed(table), placed({name: one[shuffled] for name, one in table.items()})
    np.testing.assert_allclose(one.x[shuffled], other.x, atol=1e-6)


@pytest.mark.parametrize(
    "table",
    [
        {"x": [1.0]},
        {"x": [1.0, 2.0]},
        {"x": [1.0] * 30, "c": ["a"] * 30},
        {"x": [None, None, 1.0]},
        {"x": [1.0, 2.0] * 20},
    ],
    ids=str,
)
def test_tables_without_any_shape_have_a_map(table):
    found = placed(table)
    assert np.isfinite(found.x).all()
    assert np.isfinite(found.y).all()


def test_scikit_learn_is_imported_before_there_are_threads():
    """It imports pandas; a question that meets a half-imported pandas fails."""
    assert layout.TSNE.__module__.startswith("sklearn.")
