"""A folder in TabArena's manner: tables, their published split and the published errors.

======================  ====================================================================
``INDEX.tsv``           name, task (binary, multiclass, regression), target and metric
``NAME.parquet``        the table, with its dtypes
``NAME.split.npz``      row numbers: ``train`` and ``test``
``published.csv``       dataset, method and metric_error (1 − AUC, log loss or RMSE)
======================  ====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.quality.scores import auc, log_loss


@dataclass(frozen=True)
class ArenaTable:
    """One line of the index; ``metric`` is roc_auc, log_loss or rmse."""

    name: str
    task: str
    target: str
    metric: str
    folder: Path

    @property
    def learning_task(self) -> str:
        return "regression" if self.task == "regression" else "classification"

    def load(self) -> tuple[pd.DataFrame, np.ndarray]:
        """The features as they are stored, and the target as numbers or class codes."""
        table = pd.read_parquet(self.folder / f"{self.name}.parquet")
        target = table.pop(self.target)
        if self.task == "regression":
            return table, target.to_numpy(dtype=np.float64)
        labels = target.astype(str).to_numpy(dtype=object)
        return table, np.unique(labels, return_inverse=True)[1].ravel()

    def split(self) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers for training and for testing."""
        with np.load(self.folder / f"{self.name}.split.npz", allow_pickle=False) as rows:
            return rows["train"], rows["test"]

    def error(self, truth: np.ndarray, values: np.ndarray, classes: np.ndarray) -> float:
        """The error of predictions by the metric of this table; lower is better."""
        if not np.all(np.isfinite(values)):
            raise ValueError("some predictions are not finite")
        if self.metric == "rmse":
            return float(np.sqrt(np.mean((values - truth) ** 2)))
        if self.metric == "log_loss":
            return log_loss(truth, values, classes)
        return 1 - auc(truth, values, classes)


def read_arena(folder: Path, only: list[str]) -> list[ArenaTable]:
    """The tables whose names fit one of the names or globs, the smallest first."""
    index = pd.read_csv(folder / "INDEX.tsv", sep="\t")
    if "n" not in index:
        raise SystemExit(
            f"{folder} has no tables of TabArena: give the folder of these, with --data"
        )
    index["cells"] = index["n"] * index["d"]
    found = [
        ArenaTable(row["name"], row["task"], row["target"], row["metric"], folder)
        for row in index.sort_values("cells").to_dict("records")
    ]
    unused = [o for o in only if not any(fnmatchcase(table.name, o) for table in found)]
    if unused:
        raise SystemExit(f"--only {', '.join(unused)}: fits none of {len(found)} tables")
    return [t for t in found if not only or any(fnmatchcase(t.name, o) for o in only)]


def published_errors(folder: Path) -> pd.DataFrame:
    """Published errors: a row for each table, a column for each method."""
    rows = pd.read_csv(folder / "published.csv")
    return rows.pivot(index="dataset", columns="method", values="metric_error")
