"""Columns of all kinds, made from seeds, of which `digest_tables` makes its tables."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

from benchmarks.digest_subject import Columns, take

SIZES = ["S", "M", "L", "XL"]


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
