"""Tables of a benchmark folder, as its ``INDEX.tsv`` lists them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

TARGET = "target"
DATA_VARIABLE = "VICINAL_DATA"


@dataclass(frozen=True)
class Dataset:
    """One line of the index; the table itself is read by :meth:`load`."""

    name: str
    task: str
    group: str
    path: Path
    cells: float
    n_categorical: int | None = None

    def load(self) -> tuple[pd.DataFrame, pd.Series]:
        """The features and the target, with the types they have in the file."""
        if not self.path.is_file():
            raise FileNotFoundError(f"the index names {self.path.name}, which is not there")
        if self.path.suffix == ".npz":
            with np.load(self.path, allow_pickle=False) as arrays:
                features = np.asarray(arrays["X"], dtype=np.float64)
                names = [f"x{i}" for i in range(features.shape[1])]
                return pd.DataFrame(features, columns=names), pd.Series(arrays["y"].ravel())
        separator = "," if ".csv" in self.path.suffixes else "\t"
        table = pd.read_csv(self.path, sep=separator)
        if TARGET not in table:
            raise ValueError(
                f"{self.path} has the columns {', '.join(table.columns[:8])}, …; "
                f"expected one called {TARGET!r}"
            )
        table = table[table[TARGET].notna()].reset_index(drop=True)
        return table.drop(columns=TARGET), table[TARGET]


def folder(given: str | None) -> Path:
    """The data folder: the one given, otherwise that of ``VICINAL_DATA``."""
    chosen = given or os.environ.get(DATA_VARIABLE)
    if not chosen:
        raise SystemExit(f"no data folder: pass --data DIR or set {DATA_VARIABLE}")
    if not (Path(chosen) / "INDEX.tsv").is_file():
        raise SystemExit(f"{chosen} has no INDEX.tsv; expected a folder with one")
    return Path(chosen)


def read_index(data: Path, task: str | None = None) -> list[Dataset]:
    """Data sets of a task, the smallest (rows times columns) first."""
    index = pd.read_csv(data / "INDEX.tsv", sep="\t").drop_duplicates(["task", "path"])
    if task is not None:
        index = index[index["task"] == task]
    names = _distinct_names(index)
    found = [_dataset(data, name, row) for name, row in zip(names, _rows(index), strict=True)]
    return sorted(found, key=lambda dataset: (dataset.cells, dataset.name))


def select(found: Sequence[Dataset], only: Sequence[str]) -> list[Dataset]:
    """Data sets whose name, or group and name, fits one of the names or globs."""
    if not only:
        return list(found)
    unused = [o for o in only if not any(_fits(dataset, o) for dataset in found)]
    if unused:
        raise SystemExit(f"--only {', '.join(unused)}: fits none of {len(found)} data sets")
    return [dataset for dataset in found if any(_fits(dataset, o) for o in only)]


def of_groups(found: Sequence[Dataset], groups: Sequence[str]) -> list[Dataset]:
    """Data sets of the groups; all where none is named."""
    known = sorted({dataset.group for dataset in found})
    unknown = [group for group in groups if group not in known]
    if unknown:
        raise SystemExit(f"--group {', '.join(unknown)}: expected some of {', '.join(known)}")
    return [dataset for dataset in found if not groups or dataset.group in groups]


def _fits(dataset: Dataset, pattern: str) -> bool:
    full = f"{dataset.group}/{dataset.name}" if "/" in pattern else dataset.name
    return fnmatchcase(dataset.name, pattern) or fnmatchcase(full, pattern)


def _rows(index: pd.DataFrame) -> Iterator[dict[str, Any]]:
    return iter(index.to_dict("records"))


def _distinct_names(index: pd.DataFrame) -> list[str]:
    """Names; where a task lists one twice, with the group (else the file) before it."""
    counts = Counter(zip(index["task"], index["name"], strict=True))
    names = []
    for row in _rows(index):
        twice = counts[row["task"], row["name"]] > 1
        names.append(f"{row.get('group', '')}/{row['name']}" if twice else str(row["name"]))
    again = Counter(zip(index["task"], names, strict=True))
    return [
        str(row["path"]) if again[row["task"], name] > 1 else name
        for row, name in zip(_rows(index), names, strict=True)
    ]


def _dataset(data: Path, name: str, row: dict[str, Any]) -> Dataset:
    path = data / str(row["path"])
    categorical = row.get("n_categorical")
    return Dataset(
        name=name,
        task=str(row["task"]),
        group=str(row.get("group", "")),
        path=path,
        cells=_cells(row, path),
        n_categorical=None if pd.isna(categorical) else int(categorical),
    )


def _cells(row: dict[str, Any], path: Path) -> float:
    """Rows times columns; without them in the index, the size of the file ranks as well."""
    cells = float(row.get("N") or np.nan) * float(row.get("d") or np.nan)
    if np.isfinite(cells):
        return cells
    return float(path.stat().st_size) if path.is_file() else np.inf
