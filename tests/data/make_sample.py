"""How the samples of a protocol in this folder were made; those of older ones are never touched.

python -m tests.data.make_sample
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import vicinal
from vicinal.storage import PROTOCOL

FOLDER = Path(__file__).parent


def main() -> None:
    """Write a small model, a classifier and some answers."""
    rng = np.random.default_rng(0)
    height = rng.normal(size=30).round(2)
    table = {
        "height": [None if i == 4 else float(one) for i, one in enumerate(height)],
        "weight": (2 * height + rng.normal(size=30)).round(2).tolist(),
        "colour": [["red", "blue"][int(one > 0)] for one in height],
    }
    model = vicinal.Model(n_neighbors=5, max_queries=30, max_members=4).fit(table)
    rows = {"height": [1.2, None], "colour": ["red", "blue"]}
    model.predict_interval(rows, "weight")
    model.predict_proba(rows, "colour")
    model.add({"height": [0.5], "weight": [1.0], "colour": ["green"]}, sample_weight=[2.0])
    model.remove([3, 7])
    model.update(5, {"weight": [0.25]})
    model.save(FOLDER / f"protocol-{PROTOCOL}.vicinal")
    found = model.neighbors(rows, k=3)
    answers = {
        "indices": found.indices.tolist(),
        "distances": found.distances.tolist(),
        "weight": model.predict(rows, "weight").tolist(),
        "colour": model.predict_proba(rows, "colour").tolist(),
    }
    (FOLDER / f"protocol-{PROTOCOL}.json").write_text(json.dumps(answers, indent=1) + "\n")
    X = np.linspace(0, 3, 12)[:, None]
    y = np.where(X[:, 0] > 1.5, "high", "low")
    classifier = vicinal.VicinalClassifier(max_members=2).fit(X, y)
    classifier.save(FOLDER / f"protocol-{PROTOCOL}-classifier.vicinal")


if __name__ == "__main__":
    main()
