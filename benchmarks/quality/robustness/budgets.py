"""Accuracy under attacks of equal budget: HopSkipJump and a walk to rows of other classes.

A row counts as right if it is predicted right and no attack has found a change within the budget
that alters this. Budgets are in standard deviations of the training columns, all columns at once.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

from benchmarks.quality.fitting import features_of, fitted_model
from benchmarks.quality.markdown import table
from benchmarks.quality.peers import Setting
from benchmarks.quality.records import Records
from benchmarks.quality.robustness.comparison import from_best
from benchmarks.quality.robustness.evasion import Floats, Predict, hop_skip_jump, minimum_norm
from benchmarks.quality.robustness.samples import DIGITS, TASK, Sample, samples

#: Tables of numbers that can change a little.
TABLES = ("bupa", "glass", "new_thyroid", "prnn_synth", "wdbc", DIGITS)
#: Besides the defaults: learned for rows that are attacked, the settings for certificates, and the
#: paper's weights.
SMOOTHER = (
    "vicinal[robust_radius=auto]",
    "vicinal[robust_radius=0.25]",
    "vicinal[robust_radius=0.5]",
    "vicinal[influence=probability,scores=False]",
    "vicinal-irw",
)
BUDGETS = (0.1, 0.25, 0.5)
ROWS = 40
KEY = ("dataset", "split", "model", "attack", "row")
COLUMNS = (*KEY, "right", "cost")


def run(given: argparse.Namespace) -> None:
    """Attack what is missing in the file, and print the tables."""
    records = Records(given.out / "budgets.csv", COLUMNS, KEY)
    given = argparse.Namespace(**{**vars(given), "seeds": given.seeds[:1]})
    models = [*given.models, *SMOOTHER]
    for name, seed, sample in samples(given, TABLES):
        slow = 0 if name == DIGITS else given.slow_rows
        for model in models:
            if (name, seed, model, "done", 0) not in records:
                for found in _attacked(sample, model, seed, slow=slow):
                    records.append({"dataset": name, "split": seed, "model": model} | found)
                done = {"attack": "done", "row": 0, "right": True, "cost": np.inf}
                records.append({"dataset": name, "split": seed, "model": model} | done)
    lines = pd.read_csv(records.path)
    print(summary(lines[(lines["attack"] != "done") & lines["model"].isin(models)]))


def _attacked(sample: Sample, model: str, seed: int, *, slow: int) -> list[dict[str, object]]:
    values = sample.table.to_numpy(dtype=np.float64)
    train, labels = values[sample.train], sample.target[sample.train]
    center, scale = train.mean(axis=0), train.std(axis=0)
    scale[scale == 0] = 1.0
    test = np.random.default_rng(seed).permutation(sample.test)[:ROWS]
    rows, truth = (values[test] - center) / scale, sample.target[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predict = _predictor(sample, model, seed, center, scale)
        right = predict(rows) == truth
        known = (train - center) / scale
        costs = {"minimum norm": minimum_norm(predict, rows, known, labels, seed)[1]}
        if slow:
            few, n_classes = rows[:slow], int(sample.target.max()) + 1
            costs["HopSkipJump"] = hop_skip_jump(predict, few, n_classes, seed)
    return [
        {"attack": attack, "row": row, "right": bool(right[row]), "cost": float(cost)}
        for attack, found in costs.items()
        for row, cost in enumerate(found)
    ]


def _predictor(sample: Sample, model: str, seed: int, center: Floats, scale: Floats) -> Predict:
    made = fitted_model(
        model, Setting(TASK, seed, sample.target[sample.train]), sample.table, sample.train
    )

    def predict(points: Floats) -> np.ndarray:
        rows = pd.DataFrame(points * scale + center, columns=list(sample.table))
        found = made.predict(features_of(model, rows, np.arange(len(rows))))
        return np.asarray(found).ravel().astype(np.int64)

    return predict


def summary(lines: pd.DataFrame) -> str:
    """One table for each attack, and one for the stronger of both on each row."""
    parts = []
    for attack, some in (("Both attacks", lines), *lines.groupby("attack")):
        parts.append(f"### {attack}\n\n{robust_accuracy(some)}")
    return "\n\n".join(parts)


def robust_accuracy(lines: pd.DataFrame) -> str:
    """Accuracy at each budget, the mean over tables, and the median cost of a change."""
    least = lines.groupby(["dataset", "model", "row"]).agg(
        right=("right", "min"), cost=("cost", "min")
    )
    by_budget = {}
    for budget in (0.0, *BUDGETS):
        robust = (least["right"] & (least["cost"] > budget)).astype(float)
        by_budget[budget] = robust.groupby(["dataset", "model"]).mean().unstack("model")
    attacked = sum(by_budget[budget] for budget in BUDGETS) / len(BUDGETS)
    below, error = from_best(attacked)
    cost = least["cost"].groupby("model").median()
    rows = [
        [
            model,
            *(float(found[model].mean()) for found in by_budget.values()),
            float(attacked[model].mean()),
            f"{below[model]:.3f} ± {error[model]:.3f}",
            float(cost[model]),
        ]
        for model in attacked.mean().sort_values(ascending=False).index
    ]
    header = ["model", *(f"at {budget:g}" for budget in by_budget), "mean, attacked"]
    return table([*header, "below the best", "median change"], rows)
