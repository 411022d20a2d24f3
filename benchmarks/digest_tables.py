"""Thirty small and middling tables of all kinds, made from seeds, for `benchmarks.digests`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.digest_columns import (
    SIZES,
    booleans,
    categories,
    cyclic,
    durations,
    integers,
    lacking,
    mixed,
    numeric,
    ordinal,
    scales,
    strings,
    tall,
    ties,
    times,
    wide,
)
from benchmarks.digest_subject import NEW, Subject, subject
from benchmarks.digest_values import Named

MIXED = {"ordinal_features": {"size": SIZES}, "cyclic_features": {"hour": 24}}


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
