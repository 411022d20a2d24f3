"""The density is one: it integrates to 1, follows its definition, and can be drawn from."""

import numpy as np
import pytest
from scipy import integrate

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
            else:
                b = width * mixture.scales[j]
                product *= np.exp(-abs(row[i] - case[i]) / b) / (2 * b)
        total += product
    return np.log(total)


def mixed_table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {
        "x": x,
        "y": x + rng.normal(size=n),
        "c": np.where(x + rng.normal(size=n) > 0, "high", "low").tolist(),
    }


def test_log_density_follows_its_definition():
    table = mixed_table()
    model = Model().fit(table)
    mixture = mixture_of(model._ready())
    rows = {"x": [0.3, 2.0], "y": [0.1, -4.0], "c": ["high", "low"]}
    encoded = model._ready().rows(rows).values
    expected = [naive_log_density(row, mixture) for row in encoded]
    np.testing.assert_allclose(model.density(rows), expected, rtol=1e-9)


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
        for c in ("high", "low")
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
        np.exp(model.density({"x": [0.5], "y": [None], "c": [c]})) for c in ("high", "low")
    )
    part = np.exp(model.density({"x": [0.5]}))
    np.testing.assert_allclose(whole, part, rtol=1e-9)


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


def test_drawn_rows_look_like_the_table():
    table = mixed_table(n=400)
    drawn = Model().fit(table).synthesize(2000)
    x, y = np.array(drawn.columns["x"]), np.array(drawn.columns["y"])
    assert abs(x.mean() - table["x"].mean()) < 0.15
    assert np.corrcoef(x, y)[0, 1] > 0.4
    high = np.array(drawn.columns["c"]) == "high"
    assert x[high].mean() > x[~high].mean() + 0.3
    assert (drawn.distances >= 1.5).all()
    assert drawn.nearest.max() < 400


def test_what_is_given_is_kept_and_followed():
    model = Model().fit(mixed_table(n=400))
    low, high = (
        model.synthesize(300, given={"x": x}, random_state=1).columns for x in (-2.0, 2.0)
    )
    assert set(low["x"]) == {-2.0}
    assert np.mean(high["y"]) > np.mean(low["y"]) + 1.0


def test_drawing_repeats_and_another_seed_differs():
    model = Model().fit(mixed_table())
    assert model.synthesize(3).columns == model.synthesize(3).columns
    assert model.synthesize(3).columns != model.synthesize(3, random_state=5).columns
    assert "closest real case" in repr(model.synthesize(3))
    assert len(model.synthesize(0)) == 0


def test_whole_numbers_and_dates_stay_so():
    import datetime as dt

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=3 * i) for i in range(20)]
    drawn = Model().fit({"n": list(range(20)), "day": days}).synthesize(5)
    assert all(isinstance(one, int) for one in drawn.columns["n"])
    assert all(isinstance(one, dt.date) for one in drawn.columns["day"])
