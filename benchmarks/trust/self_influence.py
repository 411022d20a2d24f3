"""Whether stored cases answer for themselves: their influence on their own answers must be 0."""

from __future__ import annotations

import argparse
import copy

import numpy as np
import pandas as pd

from benchmarks.trust.real_tables import RealTable, real_tables
from vicinal import Model
from vicinal.conviction.measure import Measure

#: Cases asked about in each table.
CASES, QUICK = 40, 8
#: Larger tables are cut: what is measured does not depend on their size.
MOST_ROWS = 1000
#: The paper's measure depends on the neighbors alone; the default one has a grain of all cases.
PAPER = {"measure": Measure.of_paper(), "familiarity": False}

HEAD = ("table", "predict", "explain", "neighbors", "conviction", "passed as a new row")


def run(options: argparse.Namespace) -> int:
    """Print the largest self-influence in each table, and the number of failures."""
    print(f"| {' | '.join(HEAD)} |\n|{':--|' + '--:|' * (len(HEAD) - 1)}")
    failures = 0
    for table in real_tables(options.data, options.tables, most_rows=MOST_ROWS):
        found = measure(table, QUICK if options.quick else CASES)
        failures += sum(share != 0 for share in found[:-1])
        print(f"| {table.name} | " + " | ".join(f"{share:.2g}" for share in found) + " |")
    print("\nLargest influence of a stored case on its own answer; promised: 0 for stored cases.")
    print("Conviction: relative difference from what a model without the case says of the row;")
    print("columns without missing values, since a mean over all cases stands for missing ones.")
    print("The last column is its mean influence if its values are passed as those of a new row.")
    print(f"\nFailures: {failures}")
    return failures


def measure(table: RealTable, count: int) -> list[float]:
    """Return the self-influence in predict, explain, neighbors and conviction; and as new rows."""
    rows = table.rows.head(MOST_ROWS)
    rows = rows.set_axis([f"case {at}" for at in range(len(rows))])
    model = Model(max_queries=200, max_members=4).fit(rows)
    known = rows.index[rows[table.target].notna()]
    asked = list(np.random.default_rng(0).choice(known, min(count, len(known)), replace=False))
    numbers = model.labels_.numbers_of(asked)
    told = model.influences(case=asked, target=table.target)
    found = model.explain(case=asked, target=table.target, features=False)
    near = model.neighbors(case=asked)
    new = rows.loc[asked].reset_index(drop=True)
    return [
        _own(told.indices, told.shares, numbers).max(),
        max(
            _own(one.cases.numbers[None], one.cases.influences[None], numbers[[at]]).max()
            for at, one in enumerate(found)
        ),
        float((near.indices == numbers[:, None]).sum()),
        _conviction(rows, asked[:4]),
        _as_new(model, new, table.target, numbers),
    ]


def _own(indices: np.ndarray, shares: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return np.where(indices == numbers[:, None], shares, 0.0).sum(axis=1)


def _conviction(rows: pd.DataFrame, asked: list[str]) -> float:
    """Return the largest difference from what a model without the case says of the same row."""
    # A gap is filled by a mean over all cases, the case among them, as residuals are.
    rows = rows.dropna(axis=1)
    model = Model().fit(rows)
    judged = model.conviction(case=asked, **PAPER).contribution
    differences = []
    for label, own in zip(asked, judged, strict=True):
        without = copy.copy(model)
        without.remove(label)
        [same] = without.conviction(rows.loc[[label]], **PAPER).contribution
        differences.append(abs(same - own) / own)
    return max(differences)


def _as_new(model: Model, new: pd.DataFrame, target: str, numbers: np.ndarray) -> float:
    told = model.influences(new, target)
    return float(_own(told.indices, told.shares, numbers).mean())
