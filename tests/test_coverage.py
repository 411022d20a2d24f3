"""The promise of intervals and label sets: they hold the truth as often as they say.

On ten tables: those of the folder VICINAL_DATA (in the format of its ``INDEX.tsv``), if that is
set, else generated ones. A share of n held-out rows, predicted by a calibration on m left-out
cases, varies by √(q(1 − q)(1/n + 1/m)): the first part is the binomial one, the second that of the
quantile. The mean over the tables must be within two standard errors; a single one of thirty
figures would break that by chance, so each has 3.5. Label sets hold the truth that often within
each class.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from vicinal import Model

ALPHAS = (0.2, 0.1, 0.05)
TABLES = 10
MOST_ROWS = 2000


# --- tables ---------------------------------------------------------------------------------


def generated(task):
    """Ten tables: linear, bent, steps, uneven noise, heavy tails, words, gaps, noise features."""
    makers = [
        ("linear", lambda x, e: x[:, 0] - 2 * x[:, 1] + e),
        ("bent", lambda x, e: np.sin(3 * x[:, 0]) + x[:, 1] ** 2 + 0.3 * e),
        ("steps", lambda x, e: np.floor(2 * x[:, 0]) + 0.2 * e),
        ("uneven noise", lambda x, e: x[:, 0] + np.exp(x[:, 1]) * e),
        ("heavy tails", lambda x, e: x[:, 0] + e / np.abs(x[:, 4]) ** 0.5),
        ("words", lambda x, e: np.abs(x[:, 0]) * np.sign(x[:, 1]) + 0.3 * e),
        ("gaps", lambda x, e: 2 * x[:, 0] + x[:, 1] + e),
        ("skewed", lambda x, e: np.exp(x[:, 0] + 0.3 * e)),
        ("product", lambda x, e: x[:, 0] * x[:, 1] + 0.1 * e),
        ("mostly noise", lambda x, e: 0.5 * x[:, 0] + e),
    ]
    for seed, (name, make) in enumerate(makers):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(1200, 5))
        y = make(x, rng.normal(size=1200))
        frame = pd.DataFrame(x, columns=list("abcde"))
        if name == "words":
            frame["b"] = np.where(x[:, 1] > 0, "high", "low")
        if name == "gaps":
            frame = frame.mask(rng.random(frame.shape) < 0.2)
        if task == "classification":
            y = np.digitize(y, np.quantile(y, [0.3, 0.8])).astype(str)
        yield name, frame.assign(target=y)


def stored(task, folder):
    """Tables of a folder, evenly over the list of those that are large enough."""
    with (folder / "INDEX.tsv").open(encoding="utf-8") as file:
        listed = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["task"] == task and int(row["N"]) >= 200 and int(row["d"]) <= 60
        ]
    found = 0
    for row in listed[:: max(1, len(listed) // (2 * TABLES))]:
        frame = pd.read_csv(folder / row["path"], sep="\t")
        frame = frame.sample(frac=1, random_state=0)[:MOST_ROWS].reset_index(drop=True)
        if task == "classification":
            frame["target"] = frame["target"].astype(str)
        elif frame["target"].nunique() < len(frame) / 2:
            continue  # intervals about few distinct values hold more than they say
        yield row["name"], frame
        found += 1
        if found == TABLES:
            return


def tables(task):
    folder = os.environ.get("VICINAL_DATA")
    return stored(task, Path(folder)) if folder else generated(task)


# --- coverage -------------------------------------------------------------------------------


def held(model, frame, alpha):
    """Whether each row's truth is in its interval or set."""
    truth = frame["target"].to_numpy()
    if frame["target"].dtype.kind == "f" or frame["target"].dtype.kind == "i":
        lower, upper = model.predict_interval(frame, "target", alpha=alpha)
        return (lower <= truth) & (truth <= upper)
    sets = model.predict_set(frame, "target", alpha=alpha)
    place = {value: code for code, value in enumerate(model.schema_["target"].categories)}
    return np.array([y in place and sets[i, place[y]] for i, y in enumerate(truth)])


def class_coverages():
    """Coverage of each class less its level, in standard errors, of every table."""
    for name, frame in tables("classification"):
        train, test = frame[: 2 * len(frame) // 3], frame[2 * len(frame) // 3 :]
        model, known = Model().fit(train), train["target"].value_counts()
        for alpha in ALPHAS:
            inside, truth = held(model, test, alpha), test["target"].to_numpy()
            for one in np.unique(truth[np.isin(truth, known.index)]):
                some = truth == one
                error = np.sqrt(alpha * (1 - alpha) * (1 / some.sum() + 1 / known[one]))
                if some.sum() >= 20:
                    off = (inside[some].mean() - (1 - alpha)) / error
                    print(f"{name:24s} {one:12s} {1 - alpha:.2f}: {off:+.1f} se")
                    yield off


@pytest.mark.slow
def test_sets_hold_each_class_as_often_as_they_say():
    print()
    offs = np.array(list(class_coverages()))
    assert len(offs) > 50
    assert offs.min() > -3.5, "a class is not covered"
    assert offs.mean() > -2 / np.sqrt(len(offs)), "classes are covered too rarely"


def coverages(task):
    """Name, coverage at each level, and its standard error, of every table."""
    for name, frame in tables(task):
        train, test = frame[: 2 * len(frame) // 3], frame[2 * len(frame) // 3 :]
        model = Model().fit(train)
        found = np.array([held(model, test, alpha).mean() for alpha in ALPHAS])
        left_out = len(model.tuning("target").queries)
        levels = 1 - np.array(ALPHAS)
        errors = np.sqrt(levels * (1 - levels) * (1 / len(test) + 1 / left_out))
        shown = "  ".join(
            f"{level:.2f}: {share:.3f} ({(share - level) / error:+.1f} se)"
            for level, share, error in zip(levels, found, errors, strict=True)
        )
        print(f"{name:32s} n = {len(frame):5d}  {shown}")
        yield found - levels, errors


@pytest.mark.slow
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_intervals_and_sets_hold_the_truth_as_often_as_they_say(task):
    print()
    offs, errors = map(np.array, zip(*coverages(task), strict=True))
    mean, error = offs.mean(axis=0), np.sqrt((errors**2).sum(axis=0)) / len(errors)
    for alpha, off, se in zip(ALPHAS, mean, error, strict=True):
        print(f"mean coverage at {1 - alpha:.2f}: {1 - alpha + off:.4f} ± {se:.4f}")
    assert len(offs) == TABLES
    assert np.all(mean > -2 * error), "the mean coverage is too low"
    # Sets hold the most probable class, so they may hold more than they say, never less.
    if task == "regression":
        assert np.all(mean < 2 * error), "the mean coverage is too high"
    low = offs / errors
    assert low.min() > -3.5, "one table is not covered"
    if task == "regression":
        assert low.max() < 3.5, "one table is covered too widely"
