"""Whether prediction sets cover each class, and intervals the true values.

Sets: each real table is split at random, two thirds to learn from, several times. A class passes
if its coverage is at least the level less two standard errors, √(q(1 − q)(1/n + 1/m)) with n
predicted and m calibrating cases of the class. Intervals: many small tables, simulated and drawn
from real ones; the coverage over all of them must be at least the level less one standard error.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.trust.real_tables import RealTable, real_tables
from vicinal import Model
from vicinal.typing import Bools, Floats

LEVELS = (0.8, 0.9, 0.95)
#: Fewest predicted cases of a class whose coverage is told.
FEWEST = 20
#: Rows of a real table that one split takes.
ROWS = 1500
SIZES = (30, 60)

Shares = dict[float, list[float]]


def run(options: argparse.Namespace) -> int:
    """Print one table of all coverages."""
    print("| what | cases | " + " | ".join(f"{100 * one:.0f} %" for one in LEVELS) + " | |")
    print("|:--|--:|" + "--:|" * len(LEVELS) + ":--|")
    failures = _classes(options.data, options.tables, 2 if options.quick else 5)
    repetitions = 24 if options.quick else 200
    for size in SIZES:
        found = _over(_simulated(size, repetitions), intervals)
        failures += _line(f"intervals, {size} simulated cases", found)
        found = _over(_drawn(options.data, size, repetitions), intervals)
        failures += _line(f"intervals, {size} cases of real tables", found)
    for size in (60, 300):
        found = _over(_simulated(size, 4 if options.quick else 30), imputed)
        failures += _line(f"imputed numbers, {size} cases", found)
    print(f"\n{failures} coverages are below what is promised.")
    return failures


def _classes(data: Path, count: int, splits: int) -> int:
    failures, sizes = 0, []
    for table in real_tables(data, count, "classification"):
        held: dict[str, Shares] = defaultdict(lambda: defaultdict(list))
        masses: dict[str, list[tuple[int, int]]] = defaultdict(list)
        sizes += [_split(table, seed, held, masses) for seed in range(splits)]
        for name in sorted(held, key=lambda one: -masses[one][0][1]):
            failures += _class_line(f"{table.name}: {name}", held[name], masses[name])
    mean = " | ".join(f"{one:.2f}" for one in np.mean(sizes, axis=0))
    print(f"| classes in a set, on average | {len(sizes)} splits | {mean} | |")
    return failures


def _split(
    table: RealTable,
    seed: int,
    held: dict[str, Shares],
    masses: dict[str, list[tuple[int, int]]],
) -> list[float]:
    """Add the coverage of each class in one split, and return the mean sizes of the sets."""
    rows = table.rows.sample(min(len(table.rows), ROWS), random_state=seed)
    rows = rows.assign(**{table.target: rows[table.target].astype(str)})
    train, test = rows[: 2 * len(rows) // 3], rows[2 * len(rows) // 3 :]
    model = Model().fit(train)
    truth, sizes = test[table.target].to_numpy(), []
    order = [str(one) for one in model.schema_[table.target].class_order]
    known = train[table.target].value_counts()
    for level in LEVELS:
        sets = model.predict_set(test.drop(columns=table.target), table.target, alpha=1 - level)
        sizes.append(float(sets.sum(axis=1).mean()))
        for place, name in enumerate(order):
            some = truth == name
            if some.sum() >= FEWEST:
                held[name][level].append(float(sets[some, place].mean()))
                if level == LEVELS[0]:
                    masses[name].append((int(some.sum()), int(known[name])))
    return sizes


def _class_line(name: str, held: Shares, masses: list[tuple[int, int]]) -> int:
    """Print a class; splits of one table are not independent, so their errors are averaged."""
    error = np.mean([np.sqrt(1 / tested + 1 / known) for tested, known in masses])
    found = {level: float(np.mean(shares)) for level, shares in held.items()}
    low = [
        level
        for level, share in found.items()
        if share < level - 2 * error * np.sqrt(level * (1 - level))
    ]
    texts = " | ".join(f"{100 * found[level]:.1f}" for level in LEVELS)
    tested = int(np.mean([one for one, _ in masses]))
    print(f"| {name} | {tested} | {texts} | {'too low' if low else ''} |", flush=True)
    return len(low)


def _over(tables: Iterator[tuple[pd.DataFrame, pd.DataFrame]], ask: Callable) -> Shares:
    """Return the shares of the true values that are covered in each table."""
    found: Shares = defaultdict(list)
    for seed, (train, test) in enumerate(tables):
        for level, inside in ask(train, test, seed):
            found[level].append(float(inside.mean()))
    return found


def intervals(
    train: pd.DataFrame, test: pd.DataFrame, _seed: int
) -> Iterator[tuple[float, Bools]]:
    """Yield whether the interval of each row contains its target, by level."""
    model = Model().fit(train)
    truth, rows = test["target"].to_numpy(float), test.drop(columns="target")
    for level in LEVELS:
        lower, upper = model.predict_interval(rows, "target", alpha=1 - level)
        yield level, (lower <= truth) & (truth <= upper)


def imputed(train: pd.DataFrame, _test: pd.DataFrame, seed: int) -> Iterator[tuple[float, Bools]]:
    """Yield whether the interval of each cell of a sixth that is hidden contains it, by level."""
    hidden = np.random.default_rng(seed).random(train.shape) < 1 / 6
    model = Model().fit(train.mask(hidden))
    for level in LEVELS:
        found = model.impute(alpha=1 - level)
        cells = zip(found.rows.tolist(), found.features, strict=True)
        truth = np.array([train[name].iloc[row] for row, name in cells])
        yield level, (np.array(found.lower) <= truth) & (truth <= np.array(found.upper))


def _line(name: str, found: Shares) -> int:
    means = {level: float(np.mean(shares)) for level, shares in found.items()}
    errors = {level: float(np.std(one) / np.sqrt(len(one))) for level, one in found.items()}
    low = [level for level in LEVELS if means[level] < level - errors[level]]
    texts = " | ".join(f"{100 * means[one]:.1f} ± {100 * errors[one]:.1f}" for one in LEVELS)
    count = len(found[LEVELS[0]])
    print(f"| {name} | {count} tables | {texts} | {'too low' if low else ''} |", flush=True)
    return len(low)


def _simulated(size: int, count: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Yield tables of various shapes: training and held-out rows."""
    makers: list[Callable[[Floats, Floats], Floats]] = [
        lambda x, e: x[:, 0] - 2 * x[:, 1] + e,
        lambda x, e: np.sin(3 * x[:, 0]) + x[:, 1] ** 2 + 0.3 * e,
        lambda x, e: x[:, 0] + np.exp(x[:, 1] / 2) * e,
        lambda _, e: e,
        lambda x, e: np.exp(x[:, 0] + 0.3 * e),
        lambda x, e: x[:, 0] + e / np.abs(x[:, 3]) ** 0.5,
    ]
    for seed in range(count):
        rng = np.random.default_rng(1000 * size + seed)
        x = rng.normal(size=(size + 200, 4))
        target = makers[seed % len(makers)](x, rng.normal(size=len(x)))
        frame = pd.DataFrame(x, columns=list("abcd")).assign(target=target)
        yield frame[:size], frame[size:]


def _drawn(data: Path, size: int, count: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Yield small random parts of real tables: training and held-out rows."""
    tables = list(real_tables(data, 9, "regression"))
    for seed in range(count):
        rows = tables[seed % len(tables)].rows.dropna(subset="target")
        frame = rows.sample(size + 200, random_state=seed)
        frame = frame.assign(target=frame["target"].astype(float))
        yield frame[:size], frame[size:]
