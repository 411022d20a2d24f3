"""The real tables that promises are checked on."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

#: Larger tables are cut to so many rows, chosen at random.
MOST_ROWS = 5000


@dataclass(frozen=True)
class RealTable:
    """A table that people collected, as its file has it, and the name of its target column."""

    name: str
    task: str
    rows: pd.DataFrame
    target: str = "target"


def real_tables(
    data: Path, count: int, task: str | None = None, most_rows: int = MOST_ROWS
) -> Iterator[RealTable]:
    """Yield the largest tables of the group ``real`` that need not be cut, then the others."""
    with (data / "INDEX.tsv").open(newline="") as file:
        index = [row for row in csv.DictReader(file, delimiter="\t") if row["group"] == "real"]
    index = [row for row in index if task in (None, row["task"])]
    index.sort(key=lambda row: (int(row["N"]) > most_rows, -int(row["N"]), row["name"]))
    for row in index[:count]:
        table = pd.read_csv(data / row["path"])
        if len(table) > most_rows:
            table = table.sample(most_rows, random_state=0)
        yield RealTable(row["name"], row["task"], table)
