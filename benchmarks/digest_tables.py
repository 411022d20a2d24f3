"""Thirty small and middling tables of all kinds, made from seeds, for `benchmarks.digests`."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.digest_values import Named

Columns = dict[str, list[Any]]

#: A category that comes later.
NEW = "violet"
SIZES = ["S", "M", "L", "XL"]
MIXED = {"ordinal_features": {"size": SIZES}, "cyclic_features": {"hour": 24}}


@dataclass(frozen=True, eq=False)
class Subject:
    """A table, rows to ask about, and what can be asked.

    Parameters
    ----------
    columns, fresh : dict of str to list
        The table and the new rows as plain Python values.
    label, number : str, optional
        A nominal and a continuous target.
    others : tuple of str
        Further targets, of other kinds.
    options : dict
        Settings of the Model.
    form : {"dict", "pandas", "polars", "pyarrow", "numpy", "records"}
        In which form tables are handed over.
    change : callable, optional
        Turns the fitted Model, with the subject, into the one that is asked.
    estimators : bool
        Whether estimators are asked too.
    skipped : dict of str to str
        Questions that are not asked, and why.
    """

    columns: Columns
    fresh: Columns
    label: str | None = None
    number: str | None = None
    others: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    form: str = "dict"
    weights: np.ndarray | None = None
    change: Callable[[Named, Subject], Any] | None = None
    estimators: bool = False
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def names(self) -> set[str]:
        """Features and categories: texts that are no prose."""
        cells = (
            one for table in (self.columns, self.fresh) for col in table.values() for one in col
        )
        return {*self.columns, NEW, *(one for one in cells if isinstance(one, str))}

    @property
    def targets(self) -> list[str]:
        return [name for name in (self.label, self.number, *self.others) if name is not None]

    @property
    def table(self) -> Any:
        return in_form(self.columns, self.form)

    @property
    def rows(self) -> Any:
        return in_form(self.fresh, self.form)

    def some(self, count: int) -> Any:
        """The first of the new rows."""
        return in_form(take(self.fresh, range(count)), self.form)

    def row(self, at: int = 0) -> dict[str, Any]:
        return {name: values[at] for name, values in self.fresh.items()}


def take(table: Columns, rows: Any) -> Columns:
    return {name: [values[row] for row in rows] for name, values in table.items()}


def in_form(table: Columns, form: str) -> Any:
    """A table as some library holds it."""
    if form == "pandas":
        import pandas as pd

        return pd.DataFrame(table)
    if form == "polars":
        import polars as pl

        return pl.DataFrame(table)
    if form == "pyarrow":
        import pyarrow as pa

        return pa.table(table)
    if form == "numpy":
        return np.array(list(table.values()), dtype=float).T
    if form == "records":
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return table


def subject(
    make: Callable[..., Columns], n: int, seed: int, *, new: int = 6, **more: Any
) -> Subject:
    """Make a table and new rows: unseen ones, the first stored one, and one of nothing."""
    made = make(n + new, np.random.default_rng(seed))
    columns, fresh = take(made, range(n)), take(made, [*range(n, n + new), 0])
    for values in fresh.values():
        values.append(None)
    return Subject(columns, fresh, **more)


def holes(table: Columns, rng: np.random.Generator, share: float) -> Columns:
    lost = rng.random((len(table), len(next(iter(table.values()))))) < share
    return {
        name: [None if gone else one for one, gone in zip(values, gaps, strict=True)]
        for (name, values), gaps in zip(table.items(), lost, strict=True)
    }


def pick(values: list[Any], places: np.ndarray) -> list[Any]:
    return [values[place] for place in places.tolist()]


def numeric(n: int, rng: np.random.Generator, d: int = 5) -> Columns:
    hidden = rng.normal(size=(n, 2))
    mixed = hidden @ rng.normal(size=(2, d)) + 0.4 * rng.normal(size=(n, d))
    mixed[:, -1] = np.sin(2 * hidden[:, 0]) + 0.1 * rng.normal(size=n)
    return {f"x{j}": column.tolist() for j, column in enumerate(mixed.T)}


def ties(n: int, rng: np.random.Generator) -> Columns:
    """Few whole numbers, and every row three times."""
    unique = rng.integers(0, 4, size=(n // 3 + 1, 4))
    rows = unique[rng.permutation(np.arange(n) % len(unique))]
    table = {name: column.tolist() for name, column in zip("abcd", rows.T, strict=True)}
    table["kind"] = pick(["low", "high"], (rows[:, 0] + rows[:, 1] > 3).astype(int))
    return table


def integers(n: int, rng: np.random.Generator) -> Columns:
    base = rng.integers(0, 1000, size=n)
    return {
        "code": (base // 100).tolist(),
        "count": rng.poisson(3 + base / 200).tolist(),
        "big": (base * 1_000_003 + rng.integers(0, 50_000_000, size=n)).tolist(),
        "rank": (base + rng.integers(-60, 60, size=n)).tolist(),
        "case": rng.integers(1, 7, size=n).tolist(),
    }


def strings(n: int, rng: np.random.Generator) -> Columns:
    town = rng.integers(0, 4, size=n)
    mood = (town + rng.integers(0, 2, size=n)) % 4
    return {
        "town": pick(["New York", "Rio", "São Paulo", "two words more"], town),
        "mood": pick(["good", "so so", "bad", "?"], mood),
        "food": pick(["fish", "rice", "soup"], np.minimum(mood, rng.integers(0, 3, size=n))),
        "noise": pick(["a", "b"], rng.integers(0, 2, size=n)),
    }


def categories(n: int, rng: np.random.Generator) -> Columns:
    shop = np.floor(60 * rng.random(n) ** 2).astype(int)
    return {
        "shop": [f"shop {one}" for one in shop.tolist()],
        "street": [f"s{one}" for one in (shop // 3 + rng.integers(0, 2, size=n)).tolist()],
        "district": (shop // 10).tolist(),
        "sales": (100 + 5 * shop + 20 * rng.normal(size=n)).tolist(),
    }


def booleans(n: int, rng: np.random.Generator) -> Columns:
    hidden = rng.normal(size=n)
    return {
        name: (hidden + 0.7 * rng.normal(size=n) > cut).tolist()
        for name, cut in zip("pqrst", (-1.0, -0.4, 0.0, 0.5, 1.4), strict=True)
    }


def ordinal(n: int, rng: np.random.Generator) -> Columns:
    hidden = rng.normal(size=n)
    grade = np.digitize(hidden + 0.3 * rng.normal(size=n), [-1.2, -0.3, 0.6, 1.5])
    size = np.digitize(hidden + 0.5 * rng.normal(size=n), [-1, 0, 1])
    return holes(
        {
            "size": pick(SIZES, size),
            "grade": pick(["E", "D", "C", "B", "A"], grade),
            "stars": np.clip(np.round(3 + 1.5 * hidden), 1, 5).astype(int).tolist(),
            "price": np.exp(hidden + 0.2 * rng.normal(size=n)).round(2).tolist(),
            "kind": pick(["plain", "fancy"], (hidden > 0.2).astype(int)),
        },
        rng,
        0.05,
    )


def cyclic(n: int, rng: np.random.Generator) -> Columns:
    day = rng.random(n)
    return holes(
        {
            "hour": ((24 * day + rng.normal(size=n)) % 24).tolist(),
            "month": (1 + (rng.integers(0, 3, size=n) + 12 * day).astype(int) % 12).tolist(),
            "angle": ((360 * day + 20 * rng.normal(size=n) + 180) % 360 - 180).tolist(),
            "light": (np.cos(2 * np.pi * (day - 0.5)) + 0.1 * rng.normal(size=n)).tolist(),
            "shift": pick(["night", "day"], ((day > 0.25) & (day < 0.8)).astype(int)),
        },
        rng,
        0.06,
    )


def times(n: int, rng: np.random.Generator) -> Columns:
    start, east = dt.datetime(2021, 3, 1, 6), dt.timezone(dt.timedelta(hours=2))
    days = np.sort(rng.random(n) * 300)[rng.permutation(n)]
    moments = [start + dt.timedelta(seconds=round(86_400 * day)) for day in days.tolist()]
    clock = ((days * 24 + rng.normal(size=n)) % 24 * 3600).astype(int).tolist()
    return holes(
        {
            "moment": moments,
            "there": [one.replace(tzinfo=dt.UTC).astimezone(east) for one in moments],
            "day": [one.date() for one in moments],
            "clock": [dt.time(s // 3600, s // 60 % 60, s % 60) for s in clock],
            "sum": (days / 10 + rng.normal(size=n)).tolist(),
            "season": pick(["spring", "summer", "fall"], np.digitize(days, [90, 190])),
        },
        rng,
        0.07,
    )


def durations(n: int, rng: np.random.Generator) -> Columns:
    size = rng.lognormal(size=n)
    return holes(
        {
            "taken": [dt.timedelta(seconds=round(600 * one)) for one in size.tolist()],
            "waited": [
                dt.timedelta(milliseconds=round(one))
                for one in (9e4 * size * rng.lognormal(sigma=0.3, size=n)).tolist()
            ],
            "length": (3 * size + 0.3 * rng.normal(size=n)).tolist(),
            "pace": pick(
                ["fast", "slow"], (size * rng.lognormal(sigma=0.2, size=n) > 1).astype(int)
            ),
        },
        rng,
        0.08,
    )


def mixed(n: int, rng: np.random.Generator, missing: float = 0.08) -> Columns:
    """Columns of all kinds that follow from something hidden; some rows twice."""
    hidden = rng.normal(size=n)

    def noisy(scale: float) -> np.ndarray:
        return hidden + scale * rng.normal(size=n)

    table = {
        "weight": np.round(70 + 12 * noisy(0.4), 1).tolist(),
        "income": np.exp(10 + noisy(0.5)).tolist(),
        "visits": np.round(5 + 2 * noisy(0.5)).astype(int).tolist(),
        "size": pick(SIZES, np.digitize(noisy(0.3), [-1, 0, 1])),
        "hour": ((9 + 3 * noisy(0.5)) % 24).tolist(),
        "color": pick(["red", "green", "light blue"], np.digitize(noisy(0.6), [-0.3, 0.8])),
        "member": (rng.random(n) < 0.4).tolist(),
    }
    again = [*range(n - n // 12), *range(n // 12)]
    return take(holes(table, rng, missing), rng.permutation(again).tolist())


def lacking(n: int, rng: np.random.Generator) -> Columns:
    """Half of the cells missing, a column of nothing, a constant one, and a row of nothing."""
    table = mixed(n, rng, 0.5)
    table |= {"nothing": [None] * n, "constant": [7.0] * n, "same": ["one"] * n}
    table["rare"] = [1.5 * at if at % 40 == 3 else None for at in range(n)]
    for values in table.values():
        values[5] = None
    return table


def scales(n: int, rng: np.random.Generator) -> Columns:
    hidden = rng.normal(size=n)
    return {
        "tiny": (1e-12 * (hidden + 0.2 * rng.normal(size=n))).tolist(),
        "huge": (1e12 * (1000 + hidden + 0.2 * rng.normal(size=n))).tolist(),
        "tails": (np.sign(hidden) * np.exp(6 * np.abs(hidden))).tolist(),
        "cauchy": rng.standard_cauchy(size=n).tolist(),
        "near ties": (rng.integers(0, 3, size=n) * (1 + 1e-13 * rng.normal(size=n))).tolist(),
        "sign": pick(["minus", "plus"], (hidden + 0.3 * rng.normal(size=n) > 0).astype(int)),
    }


def wide(n: int, rng: np.random.Generator) -> Columns:
    hidden = rng.normal(size=(n, 4))
    table = numeric(n, rng, 50)
    for at in range(8):
        cuts = np.digitize(hidden[:, at % 4] + 0.6 * rng.normal(size=n), [-0.5, 0.7])
        table[f"word{at}"] = pick(["low", "middle", "high"], cuts)
    table["goal"] = (hidden.sum(axis=1) + 0.3 * rng.normal(size=n)).tolist()
    table["side"] = pick(["left", "right"], (hidden[:, 0] > hidden[:, 1]).astype(int))
    return table


def tall(n: int, rng: np.random.Generator) -> Columns:
    hidden = rng.normal(size=(n, 2))
    return {
        "a": hidden[:, 0].tolist(),
        "b": (hidden[:, 1] + 0.5 * hidden[:, 0]).tolist(),
        "c": np.round(2 * hidden[:, 0] + rng.normal(size=n)).astype(int).tolist(),
        "d": (hidden[:, 0] * hidden[:, 1] + 0.2 * rng.normal(size=n)).tolist(),
        "e": pick(["no", "maybe", "yes"], np.digitize(hidden[:, 1] - hidden[:, 0], [-1.0, 0.8])),
        "f": pick(["u", "v"], rng.integers(0, 2, size=n)),
    }


def add_and_remove(model: Named, told: Subject) -> Any:
    model.predict(told.rows, told.label)
    more = mixed(12, np.random.default_rng(99))
    more["color"][3] = NEW
    model.add(more)
    model.update([4, 9], {"weight": [81.0, None], "color": ["red", NEW]})
    model.remove([2, 30, 55])
    return model.value


def renew(model: Named, told: Subject) -> Any:
    add_and_remove(model, told)
    return model.refresh()


def reduce(model: Named, told: Subject) -> Any:
    model.predict(told.rows, told.label)
    return Named(model.reduce(share=0.4, target=told.label)).model


def save_and_load(model: Named, told: Subject) -> Any:
    import vicinal

    add_and_remove(model, told)
    model.predict_interval(told.rows, told.number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.vicinal"
        model.save(path)
        return Named(vicinal).load(path)


_mixed = partial(subject, mixed, label="color", number="weight")
_quick = {**MIXED, "max_queries": 120}


def _weights(n: int) -> np.ndarray:
    rng = np.random.default_rng(77)
    return rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 7.3], size=n)


#: By name; made when asked for.
TABLES: dict[str, Callable[[], Subject]] = {
    "numeric": partial(subject, numeric, 200, 1, number="x4", form="numpy", estimators=True),
    "ties": partial(
        subject, ties, 450, 2, label="kind", number="a", form="records", estimators=True
    ),
    "integers": partial(
        subject,
        integers,
        150,
        3,
        label="code",
        number="big",
        others=("count",),
        form="pandas",
        options={"categorical_features": ["code"], "kinds": {"case": "ordinal"}},
    ),
    "strings": partial(
        subject, strings, 120, 4, label="mood", options={"missing_values": "?"}, estimators=True
    ),
    "categories": partial(
        subject,
        categories,
        320,
        5,
        label="shop",
        number="sales",
        options={"categorical_features": ["district"], "max_queries": 150},
    ),
    "booleans": partial(subject, booleans, 140, 6, label="r", form="polars"),
    "ordinal": partial(
        subject,
        ordinal,
        130,
        7,
        label="kind",
        number="price",
        others=("size", "stars"),
        options={
            "ordinal_features": {"size": SIZES, "grade": ["E", "D", "C", "B", "A"], "stars": None}
        },
        estimators=True,
    ),
    "cyclic": partial(
        subject,
        cyclic,
        420,
        8,
        label="shift",
        number="light",
        others=("hour", "month"),
        form="pandas",
        options={"cyclic_features": {"hour": 24, "month": 12, "angle": 360}},
        estimators=True,
    ),
    "times": partial(
        subject, times, 110, 9, label="season", number="sum", others=("moment", "day", "clock")
    ),
    "durations": partial(
        subject,
        durations,
        120,
        10,
        label="pace",
        number="length",
        others=("taken",),
        form="polars",
    ),
    "mixed": partial(
        _mixed, 420, 11, others=("size", "hour"), form="pandas", options=MIXED, estimators=True
    ),
    "lacking": partial(
        subject,
        lacking,
        300,
        12,
        label="color",
        number="weight",
        others=("nothing", "constant"),
        options=MIXED,
        estimators=True,
    ),
    "distinct": partial(
        _mixed, 110, 13, options={**_quick, "missing": "distinct"}, form="pyarrow"
    ),
    "scales": partial(
        subject, scales, 150, 14, label="sign", number="tiny", others=("tails",), estimators=True
    ),
    "weights": partial(
        _mixed, 420, 15, options=_quick, weights=_weights(420), form="pandas", estimators=True
    ),
    "one row": partial(_mixed, 1, 16, options=MIXED),
    "two rows": partial(_mixed, 2, 17, options=MIXED, form="pandas"),
    "five rows": partial(_mixed, 5, 18, options=MIXED, form="records", estimators=True),
    "wide": partial(
        subject,
        wide,
        150,
        19,
        new=4,
        label="side",
        number="goal",
        form="pandas",
        options={"max_queries": 60, "max_members": 6},
    ),
    "tall": partial(_mixed, 2500, 20, options={**MIXED, "max_queries": 300}, form="polars"),
    "taller": partial(
        subject,
        tall,
        9000,
        21,
        label="e",
        number="d",
        form="pandas",
        options={"max_queries": 200, "max_members": 5},
    ),
    "p 0": partial(_mixed, 420, 22, options={**_quick, "p": 0}, form="polars"),
    "p half": partial(_mixed, 420, 23, options={**_quick, "p": 0.5}, form="pyarrow"),
    "p 2 irw": partial(
        _mixed, 420, 24, options={**_quick, "p": 2, "weighting": "irw"}, form="records"
    ),
    "mda": partial(_mixed, 100, 25, options={**_quick, "weighting": "mda"}, estimators=True),
    "linear": partial(
        _mixed,
        120,
        26,
        options={
            **_quick,
            "influence": "linear",
            "feature_weights": {"income": 0.2, "member": 0.0, "hour": 3.0},
            "residual_mean": "square",
        },
    ),
    "probability": partial(
        _mixed, 110, 27, options={**_quick, "influence": "probability", "n_neighbors": 4}
    ),
    "changed": partial(_mixed, 120, 28, options=_quick, change=add_and_remove),
    "refreshed": partial(_mixed, 100, 29, options=_quick, change=renew, weights=_weights(100)),
    "reduced": partial(_mixed, 140, 30, options=_quick, change=reduce),
    "loaded": partial(_mixed, 100, 31, options=_quick, change=save_and_load),
}
