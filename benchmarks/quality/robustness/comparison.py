"""Models beside each other: means over tables, standard errors, and ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.quality.markdown import table

LEVEL = ["dataset", "disturbance", "level"]


def compared(lines: pd.DataFrame) -> str:
    """Mean accuracy, log loss and rank of each model, with its distance from the best one."""
    accuracy, loss = by_table(lines, "accuracy"), by_table(lines, "log_loss")
    difference, error = from_best(accuracy)
    ranks, levels = rank(lines), by_level(lines)
    rows = [
        [
            model,
            *(float(levels.loc[model, level]) for level in levels.columns),
            float(accuracy[model].mean()),
            f"{difference[model]:.3f} ± {error[model]:.3f}",
            float(loss[model].mean()),
            float(ranks[model]),
        ]
        for model in accuracy.mean().sort_values(ascending=False).index
    ]
    header = [f"at {level}" for level in levels.columns]
    kept = header if len(header) > 1 else []
    rows = [[row[0], *row[1 + len(header) - len(kept) :]] for row in rows]
    names = ["model", *kept, "accuracy", "below the best", "log loss", "mean rank"]
    return table(names, rows)


def mean_ranks(lines: pd.DataFrame) -> str:
    """Mean rank of each model, and in how many disturbances it is best or near it."""
    ranks, accuracy = rank(lines), by_table(lines, "accuracy")
    near = dict.fromkeys(accuracy, 0)
    kinds = lines["disturbance"].unique()
    for kind in kinds:
        difference, error = from_best(by_table(lines[lines["disturbance"] == kind], "accuracy"))
        for model in accuracy:
            near[model] += bool(difference[model] <= error[model])
    rows = [
        [
            model,
            float(ranks[model]),
            float(accuracy[model].mean()),
            f"{near[model]} of {len(kinds)}",
        ]
        for model in ranks.sort_values().index
    ]
    return table(["model", "mean rank", "accuracy", "best or within one standard error"], rows)


def by_table(lines: pd.DataFrame, figure: str) -> pd.DataFrame:
    """Means by table (rows) and model (columns), of the levels and splits that all models have."""
    wide = lines.pivot_table(index=[*LEVEL, "split"], columns="model", values=figure)
    return wide.dropna().groupby("dataset").mean()


def by_level(lines: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy by model (rows) and level (columns)."""
    marked = lines.assign(at=lines["level"].map("{:g}".format))
    return marked.pivot_table(index="model", columns="at", values="accuracy")


def from_best(means: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """How far the mean of each model is below that of the best, and its standard error."""
    best = means.mean().idxmax()
    below = means[[best]].to_numpy() - means
    return below.mean(), below.std(ddof=1) / np.sqrt(max(1, len(below)))


def rank(lines: pd.DataFrame) -> pd.Series:
    """Mean rank by accuracy, over tables and levels; ties share their places."""
    wide = lines.pivot_table(index=LEVEL, columns="model", values="accuracy").dropna()
    return wide.rank(axis=1, ascending=False).mean()
