"""The tables of the study, split into rows for training and rows for testing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.quality.datasets import folder, read_index, select
from benchmarks.quality.splits import at_most, split

#: Small tables of numbers, of words, with missing values; two to five classes.
TABLES = (
    *("AER_PSID1976", "ISLR_OJ", "Stat2Data_Hawks", "australian", "balance_scale", "cars"),
    *("glass", "heart_statlog", "new_thyroid", "penguins", "prnn_synth", "wdbc"),
)
#: The images of digits that scikit-learn comes with.
DIGITS = "digits"
TASK = "classification"
MOST_TRAINING_ROWS = 300


@dataclass(frozen=True)
class Sample:
    """A table with class codes, and which of its rows are for training and for testing."""

    table: pd.DataFrame
    target: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [name for name in self.table if pd.api.types.is_numeric_dtype(self.table[name])]


def samples(
    given: argparse.Namespace, only: tuple[str, ...] | None = None
) -> Iterator[tuple[str, int, Sample]]:
    """Each table in each split: its name, the seed and the sample."""
    names = [name for name in given.only or only or TABLES if name != DIGITS]
    found = select(read_index(folder(given.data), TASK), names) if names else []
    for dataset in found:
        table, target = dataset.load()
        codes = np.unique(target.to_numpy(), return_inverse=True)[1].ravel()
        for seed in given.seeds:
            yield dataset.name, seed, sample_of(table, codes, seed)
    if DIGITS in (given.only or only or ()):
        for seed in given.seeds:
            yield DIGITS, seed, digits(seed)


def digits(seed: int) -> Sample:
    """The digits, 8 × 8 pixels each."""
    from sklearn.datasets import load_digits

    pixels, target = load_digits(return_X_y=True, as_frame=True)
    made = sample_of(pixels, target.to_numpy(), seed)
    return Sample(made.table, made.target, made.train, made.test[:300])


def sample_of(table: pd.DataFrame, codes: np.ndarray, seed: int) -> Sample:
    """A seeded split, with at most so many training rows as the study can afford."""
    train, test = split(codes, TASK, seed)
    return Sample(table, codes, at_most(MOST_TRAINING_ROWS, train, codes, TASK, seed), test)
