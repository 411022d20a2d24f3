"""Accuracy against coverage: a model answers only the rows that it is surest of.

From the file of the part ``noise``: models abstain where their largest probability is low.
"""

from __future__ import annotations

import argparse

import pandas as pd

from benchmarks.quality.markdown import table
from benchmarks.quality.robustness.comparison import by_table, from_best
from benchmarks.quality.robustness.noise import COVERAGES, results
from benchmarks.quality.robustness.samples import DIGITS


def run(given: argparse.Namespace) -> None:
    """Print the curves of undisturbed tables, of disturbed ones, and of digits."""
    lines = results(given)
    images, plain = lines["dataset"] == DIGITS, lines["disturbance"] == "none"
    chosen = {
        "undisturbed": lines[plain & ~images],
        "disturbed": lines[~plain & ~images],
        "digits": lines[images & plain],
    }
    for name, some in chosen.items():
        if len(some):
            print(f"### {name.capitalize()}\n\n{curves(some)}\n")


def curves(lines: pd.DataFrame) -> str:
    """The mean accuracy of each model on the rows it is surest of."""
    names = [f"accuracy_at_{share:g}" for share in COVERAGES]
    means = {name: by_table(lines, name) for name in names}
    whole = sum(means.values()) / len(names)
    below, error = from_best(whole)
    rows = [
        [
            model,
            *(float(means[name][model].mean()) for name in names),
            float(whole[model].mean()),
            f"{below[model]:.3f} ± {error[model]:.3f}",
        ]
        for model in whole.mean().sort_values(ascending=False).index
    ]
    header = [f"{share:.0%}" for share in COVERAGES]
    return table(["model", *header, "mean", "below the best"], rows)
