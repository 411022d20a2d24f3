import numpy as np
import pytest

from tests.report.reading import fit
from vicinal.explain.information import information
from vicinal.report.gather_importance import gather_importance
from vicinal.report.held_out import hold_out


@pytest.fixture(scope="module")
def importance(held_out):
    return {target: gather_importance(held) for target, held in held_out.items()}


def test_losses_are_the_information_of_the_features(penguins, importance):
    found, expected = importance["island"], information(penguins, "island")
    place = [expected.names.index(name) for name in found.names]
    assert found.n_measured == expected.n_cases
    np.testing.assert_allclose(found.loss_if_dropped, expected.lost[place], atol=1e-12)
    np.testing.assert_allclose(found.alone, expected.alone[place], atol=1e-12)


def test_the_most_important_feature_comes_first(importance):
    for found in importance.values():
        assert list(found.sizes) == sorted(found.sizes, reverse=True)
    assert importance["body_mass_g"].directions[0] == "increases"
    assert not any(importance["island"].directions)


def test_partial_dependence_on_all_values_of_a_category_is_drawn_as_marks(importance):
    [species] = [one for one in importance["island"].effects if one.feature == "species"]
    assert not species.ordered
    assert species.texts == ("Adelie", "Gentoo", "Chinstrap")
    totals = np.sum([values for _, values in species.series], axis=0)
    np.testing.assert_allclose(totals, 1.0)


def test_contributions_of_many_features_are_sampled_and_few_are_listed():
    rng = np.random.default_rng(0)
    table = {f"x{at}": rng.normal(size=60) for at in range(30)}
    table["y"] = table["x0"] - table["x1"]
    found = gather_importance(hold_out(fit(table, max_queries=40), "y"))
    assert (found.n_cases, found.estimated_from) == (13, "sets of features")
    assert set(found.names[:2]) == {"x0", "x1"}
    assert np.isfinite(found.alone[:20]).all()
    assert np.isnan(found.alone[20:]).all()
    assert len(found.alone) == len(found.names) == 30
