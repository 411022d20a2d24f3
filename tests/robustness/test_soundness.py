"""No attack succeeds within a certified radius: properties, on tables of all kinds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mixed_table import OPTIONS, mixed_table, take
from tests.robustness.attacking import on_steps, rows_within
from vicinal import Model
from vicinal.prediction.predictor import learn
from vicinal.robustness.perturbation import Perturbation

#: What the model is made of.
SETTINGS = {
    "default": {},
    "probability": {"influence": "probability", "scores": False},
    "robust": {"robust_radius": 0.25, "max_members": 4},
    "centered": {"influence": "centered", "scores": False},
    "linear": {"influence": "linear"},
    "irw": {"weighting": "irw"},
    "geometric": {"weighting": "irw", "p": 0.0},
    "quadratic": {"p": 2.0, "max_members": 2},
    "distinct": {"missing": "distinct", "max_members": 4},
}
TARGETS = ("colour", "weight", "size")


def attacked(model, table, target, seed, **options):
    """Certify some rows and attack each; return the number of rows tried and the radii."""
    rng = np.random.default_rng(seed)
    found = model.certify(table, target, attack=False, training=False, **options)
    fitted = model._ready()
    rows = fitted.rows(table, target)
    predictor = learn(fitted, target, rows.columns)
    answered = predictor.answer(rows)
    cases = np.concatenate([values for _, values in fitted.index.blocks()])
    tried = 0
    for at, radius in enumerate(found.radius):
        if not 0 < radius < np.inf:
            continue
        changes = Perturbation.of(
            fitted,
            rows.values[at],
            rows.columns,
            norm=options.get("norm", "max"),
            categories=options.get("categories", False),
        )
        if options.get("steps"):  # from farther away, some of them come near by rounding
            changed = np.concatenate(
                [rows_within(changes, radius * more, cases, rng) for more in (1.0, 1.5, 3.0)]
            )
            changed = on_steps(changed, changes, fitted)
            changed = changed[changes.costs(changed) <= radius]
        else:
            changed = rows_within(changes, radius, cases, rng)
        again = predictor.predict(changed)
        tried += len(changed)
        if found.tolerance is None:
            np.testing.assert_array_equal(again.values, answered.values[at])
        else:
            moved = np.abs(again.values - answered.values[at])
            assert moved.max(initial=0.0) <= found.tolerance[at] * (1 + 1e-9)
    return tried, found.radius


@pytest.fixture(scope="module")
def models():
    kept = {}

    def fitted(name, seed):
        key = (name, seed)
        if key not in kept:
            kept[key] = Model(n_jobs=1, **SETTINGS[name], **OPTIONS).fit(mixed_table(90, seed))
        return kept[key]

    return fitted


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    target=st.sampled_from(TARGETS),
    norm=st.sampled_from(["max", "sum"]),
    categories=st.booleans(),
    steps=st.booleans(),
    max_boxes=st.sampled_from([1, 4, 12]),
    seed=st.integers(0, 2),
)
@settings(max_examples=8)
def test_no_attack_succeeds_within_a_certified_radius(
    models, name, target, norm, categories, steps, max_boxes, seed
):
    model = models(name, seed)
    new = mixed_table(40, 100 + seed)
    table = take(new, range(2))
    options = {"categories": categories, "steps": steps, "max_boxes": max_boxes}
    attacked(model, table, target, seed, norm=norm, **options)


@pytest.mark.parametrize("target", ["colour", "weight"])
def test_attacks_do_take_place(models, target):
    table = take(mixed_table(40, 100), range(3))
    tried, radius = attacked(models("probability", 0), table, target, 0, max_boxes=4)
    assert tried > 30
    assert np.median(radius) > 0.05
