"""The training cases that a prediction depends on, against all ways to change them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import robustness as twin
from vicinal import Model
from vicinal.robustness.training import fewest_labels, least_mean_without


@given(seed=st.integers(0, 10_000), removed=st.integers(1, 3), k=st.integers(1, 5))
@settings(max_examples=60)
def test_no_removal_leaves_a_smaller_mean_and_one_reaches_it(seed, removed, k):
    rng = np.random.default_rng(seed)
    kernels = np.sort(rng.random(k + removed + 2))[::-1]
    values = rng.choice([-1.0, 0.0, 1.0], len(kernels))
    expected = twin.least_mean_without(kernels, values, k, removed)
    actual = least_mean_without(kernels, values, k, removed)
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_the_fewest_labels_are_found(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(5))
    labels = rng.choice([0, 0, 1, 2], 5)

    def margin(some, given):
        given = np.asarray(given)
        return some[given == 0].sum() - some[given == 1].sum()

    if margin(shares, labels) <= 0:
        return
    values = np.array([1.0, -1.0, 0.0])[labels]
    actual = fewest_labels(shares, values + 1.0, margin(shares, labels))
    assert actual == twin.fewest_labels(shares, margin, labels, [0, 1, 2])


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {"x": x, "y": np.where(x + 0.3 * rng.normal(size=n) > 0, "b", "a").tolist()}


def test_removing_the_cases_that_are_known_to_suffice_changes_the_prediction():
    model = Model(weighting="irw", n_jobs=1).fit(table(60))
    row = {"x": [0.4]}
    found = model.certify(row, "y", attack=False)
    least, known = found.removals[0]
    assert least == known, "one metric and one rule: the number is exact"
    before = model.predict(row, "y")[0]
    influences = model.influences(row, "y")
    hits = influences.labels[0] == before
    order = influences.indices[0][hits & (influences.indices[0] >= 0)]
    # Cases that come in later may have to go, too, so more than those known are removed.
    fewer = Model(weighting="irw", n_jobs=1).fit(table(60))
    fewer.tuning("y")
    fewer.remove(order[: int(least) - 1])
    assert fewer.predict(row, "y")[0] == before


def test_changing_as_many_labels_changes_the_prediction_and_fewer_do_not():
    model = Model(influence="probability", scores=False, n_jobs=1).fit(table(80))
    row = {"x": [0.5]}
    needed = int(model.certify(row, "y", attack=False).labels[0])
    before = model.predict(row, "y")[0]
    other = "a" if before == "b" else "b"
    influences = model.influences(row, "y")
    hits = influences.indices[0][(influences.labels[0] == before) & (influences.indices[0] >= 0)]
    x = table(80)["x"]
    model.update(hits[: needed - 1], {"y": [other] * (needed - 1), "x": x[hits[: needed - 1]]})
    assert model.predict(row, "y")[0] == before
    model.update(hits[: needed + 1], {"y": [other] * (needed + 1), "x": x[hits[: needed + 1]]})
    assert model.predict(row, "y")[0] == other
