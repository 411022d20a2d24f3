"""Tiny tables with words, gaps and rare words, and benchmark folders made of them."""

import numpy as np
import pandas as pd


def mixed(n=80, seed=0):
    """Words and numbers with gaps; the last rows have a word that no other row has."""
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "blue", "green"], size=n).astype(object)
    color[:4], color[-4:] = None, "unseen"
    size = rng.normal(size=n)
    signal = size + (color == "red") + rng.normal(scale=0.3, size=n)
    size[::9] = np.nan
    return pd.DataFrame({"color": color, "size": size, "weight": rng.normal(size=n)}), signal


def arena_folder(path):
    """A folder in TabArena's manner, with a table of each task."""
    features, signal = mixed()
    targets = {
        "two": ("binary", "roc_auc", np.where(signal > 0.3, "yes", "no")),
        "three": ("multiclass", "log_loss", np.digitize(signal, [0, 0.8]).astype(str)),
        "number": ("regression", "rmse", signal),
    }
    index, published = [], []
    for name, (task, metric, target) in targets.items():
        table = features.assign(answer=target)
        table["color"] = table["color"].astype("category")
        table.to_parquet(path / f"{name}.parquet")
        rows = np.arange(len(table))
        np.savez(path / f"{name}.split.npz", train=rows[:60], test=rows[60:])
        index.append((name, task, "answer", metric, len(table), 3))
        for place, method in enumerate(("CAT (default)", "RF (default)", "CAT (tuned)")):
            published.append((name, method, metric, task, 0.5 + 0.1 * place))
        if task != "regression":
            published.append((name, "TABICL (default)", metric, task, 0.05))
    columns = ["name", "task", "target", "metric", "n", "d"]
    pd.DataFrame(index, columns=columns).to_csv(path / "INDEX.tsv", sep="\t", index=False)
    columns = ["dataset", "method", "metric", "problem_type", "metric_error"]
    pd.DataFrame(published, columns=columns).to_csv(path / "published.csv", index=False)
    return path


def data_folder(path):
    """A folder of three groups, with a table of each task."""
    features, signal = mixed()
    index = []
    for name, task, group, target in (
        ("two", "classification", "real", np.where(signal > 0.3, "yes", "no")),
        ("number", "regression", "real", signal),
        ("other", "classification", "pmlb", np.where(signal > 0.5, "yes", "no")),
        ("odd", "anomaly", "found", (signal > 1.2).astype(int)),
    ):
        features.assign(target=target).to_csv(path / f"{name}.csv", index=False)
        index.append((name, task, group, len(features), 3, f"{name}.csv"))
    columns = ["name", "task", "group", "N", "d", "path"]
    pd.DataFrame(index, columns=columns).to_csv(path / "INDEX.tsv", sep="\t", index=False)
    return path
