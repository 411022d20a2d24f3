"""The density is one: it integrates to 1, and follows its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from tests.density.tables import mixed_table
from vicinal import Model
from vicinal.density.mixture import mixture_of


def naive_log_density(row, mixture):
    """Kernel by kernel, as it is defined; no missing values, numbers and categories only."""
    total = 0.0
    for j, case in enumerate(mixture.cases):
        product = mixture.weights[j]
        for i in mixture.active:
            kernel, width = mixture.kernels[i], mixture.widths[i]
            if kernel.kind == "nominal":
                same = row[i] == case[i]
                product *= 1 - width if same else width / (kernel.size - 1)
                product *= 1 - 1e-3  # the rest is for categories that were never seen
            else:
                b = width * mixture.scales[j]
                product *= np.exp(-abs(row[i] - case[i]) / b) / (2 * b)
        total += product
    return np.log(total)


def test_log_density_follows_its_definition():
    table = mixed_table()
    model = Model().fit(table)
    mixture = mixture_of(model._ready())
    rows = {"x": [0.3, 2.0], "y": [0.1, -4.0], "c": ["high", "low"]}
    encoded = model._ready().rows(rows).values
    expected = [naive_log_density(row, mixture) for row in encoded]
    np.testing.assert_allclose(model.density(rows), expected, rtol=1e-9)


def test_a_stored_case_is_left_out_of_its_own_density():
    table = mixed_table(n=20)
    table = {name: [*values, *values[:3]] for name, values in table.items()}  # three repeated
    model = Model().fit(table)
    mixture = mixture_of(model._ready())
    numbers, values = model.index_.sample(len(model))
    for found, row in zip(model.density(), values, strict=True):
        own = np.flatnonzero((mixture.cases == row).all(axis=1))
        masses = mixture.weights * len(numbers)
        masses[own] -= 1
        others = replace(mixture, weights=masses / masses.sum())
        assert found == pytest.approx(naive_log_density(row, others), rel=1e-9)
    assert (model.density(table) >= model.density()).all()
    assert model.density(case=5) == model.density()[5]


def test_the_only_case_is_not_left_out():
    model = Model().fit({"x": [3.0], "y": ["a"]})
    assert model.density() == model.density({"x": [3.0], "y": ["a"]})


def test_it_integrates_to_one_in_one_dimension():
    rng = np.random.default_rng(1)
    model = Model().fit({"x": rng.normal(size=30)})
    grid = np.linspace(-30, 30, 200_001)
    mass = integrate.simpson(np.exp(model.density({"x": grid})), x=grid)
    assert mass == pytest.approx(1, abs=1e-4)


def test_it_integrates_to_one_with_two_numbers_and_a_category():
    model = Model().fit(mixed_table(n=25))
    axis = np.linspace(-25, 25, 601)
    x, y = (part.ravel() for part in np.meshgrid(axis, axis))
    step = axis[1] - axis[0]
    mass = sum(
        np.exp(model.density({"x": x, "y": y, "c": [c] * len(x)})).sum() * step**2
        for c in ("high", "low", "never seen")
    )
    assert mass == pytest.approx(1, abs=5e-3)


def test_it_sums_to_one_over_cyclic_ordinal_and_missing():
    rng = np.random.default_rng(2)
    hours = [float(one) if one < 23 else None for one in rng.integers(0, 24, size=40)]
    levels = rng.choice(["low", "middle", "high"], size=40).tolist()
    model = Model(
        cyclic_features={"hour": 24}, ordinal_features={"level": ["low", "middle", "high"]}
    ).fit({"hour": hours, "level": levels})
    grid = (np.arange(4800) + 0.5) / 200
    mass = sum(
        np.exp(model.density({"hour": grid, "level": [level] * len(grid)})).sum() / 200
        for level in ("low", "middle", "high")
    )
    assert mass == pytest.approx(1, abs=1e-3)


def test_missing_values_are_integrated_out():
    model = Model().fit(mixed_table())
    whole = sum(
        np.exp(model.density({"x": [0.5], "y": [None], "c": [c]}))
        for c in ("high", "low", "never seen")
    )
    part = np.exp(model.density({"x": [0.5]}))
    np.testing.assert_allclose(whole, part, rtol=1e-9)


def test_a_category_that_was_never_seen_has_a_small_share_of_the_probability():
    model = Model().fit({"c": ["a", "b", "c", "a", "b"] * 4})
    known = np.exp(model.density({"c": ["a", "b", "c"]}))
    unseen = np.exp(model.density({"c": ["new"]}))
    np.testing.assert_allclose(unseen, 1e-3)
    assert known.sum() + unseen[0] == pytest.approx(1, abs=1e-12)


def test_degenerate_tables_have_finite_densities():
    for table in (
        {"x": [1.0], "c": ["a"]},
        {"x": [1.0] * 5, "y": [2.0] * 5},
        {"x": [1.0, 2.0, None], "c": ["a", None, "b"]},
        {"x": [1.0] * 9 + [2.0]},
    ):
        model = Model().fit(table)
        assert np.isfinite(model.density()).all()
        assert np.isfinite(model.density({"x": [None]})).all()


def test_a_row_has_the_same_density_alone_and_in_company():
    model = Model().fit(mixed_table())
    rows = {"x": [0.1, 0.2, 0.3], "y": [1.0, 2.0, 3.0]}
    together = model.density(rows)
    alone = [model.density({"x": [x], "y": [y]})[0] for x, y in zip(*rows.values(), strict=True)]
    assert together.tolist() == alone


def repeated(table, counts):
    places = np.repeat(np.arange(len(counts)), counts)
    return {name: [values[place] for place in places] for name, values in table.items()}


@settings(max_examples=15)
@given(seed=st.integers(0, 999), missing=st.booleans())
def test_whole_weights_equal_repeated_rows(seed, missing):
    table = mixed_table(n=30, seed=seed)
    if missing:
        table["y"][:4] = np.nan
        table["c"][-1] = None
    counts = np.random.default_rng(seed).integers(0, 4, size=30)
    counts[:2] = 1
    weighted = Model().fit(table, sample_weight=counts.astype(float))
    longer = Model().fit(repeated(table, counts))
    rows = mixed_table(n=20, seed=seed + 1)
    np.testing.assert_allclose(weighted.density(rows), longer.density(rows), rtol=1e-12)
    assert weighted.synthesize(4).columns == longer.synthesize(4).columns


@pytest.mark.parametrize("times", [2, 5])
def test_duplicated_rows_do_not_collapse_the_density(times):
    table, rows = mixed_table(n=100), mixed_table(n=200, seed=1)
    once = Model().fit(table).density(rows).mean()
    often = Model().fit(repeated(table, [times] * 100)).density(rows).mean()
    assert often == pytest.approx(once, abs=0.1)


def test_rows_in_another_order_have_the_same_density():
    table, rows = mixed_table(), mixed_table(n=5, seed=1)
    back = {name: values[::-1] for name, values in table.items()}
    np.testing.assert_allclose(
        Model().fit(table).density(rows), Model().fit(back).density(rows), rtol=1e-9
    )
