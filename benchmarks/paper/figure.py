"""The paper's figure: two points of a Gaussian, their familiarity and distance contribution."""

from __future__ import annotations

from pathlib import Path

import numpy as np

N_CASES, SEED = 300, 0
POINTS = {"near the center": (0.2, -0.3), "far out": (3.4, 3.1)}


def draw(path: Path) -> dict[str, dict[str, float]]:
    """Draw it, and return the figures of the points.

    Each point is added alone to the cases; contributions are measured as the paper does.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "vicinal"  # the same bytes every time
    import matplotlib.pyplot as plt

    import vicinal

    cases = np.random.default_rng(SEED).normal(size=(N_CASES, 2))
    model = vicinal.Model(n_jobs=1).fit({"x": cases[:, 0], "y": cases[:, 1]})
    measure = vicinal.Measure.of_paper()
    own = model.conviction(measure=measure)
    points = np.array(list(POINTS.values()))
    new = model.conviction({"x": points[:, 0], "y": points[:, 1]}, measure=measure)
    found = {
        name: {
            "familiarity": float(new.familiarity[at]),
            "similarity": float(new.similarity[at]),
            "distance contribution": float(new.contribution[at]),
            "mean distance contribution": float(own.contribution.mean()),
        }
        for at, name in enumerate(POINTS)
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.scatter(*cases.T, s=10, color="0.6", label=f"{N_CASES} cases")
    colors = ("tab:blue", "tab:green")
    for (name, at), color in zip(POINTS.items(), colors, strict=True):
        left.scatter(
            *at, s=60, color=color, label=f"{name}: π_f = {found[name]['familiarity']:.2f}"
        )
    left.legend(loc="lower right", fontsize=8)
    left.set(title="Familiarity conviction", xlabel="x", ylabel="y", aspect="equal")
    right.hist(own.contribution, bins=30, color="0.8")
    right.axvline(own.contribution.mean(), color="black", label="mean of all cases")
    for name, color in zip(POINTS, colors, strict=True):
        right.axvline(found[name]["distance contribution"], color=color, label=name)
    right.legend(fontsize=8)
    right.set(title="Distance contribution", xlabel="φ, in nats", ylabel="cases")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return found
