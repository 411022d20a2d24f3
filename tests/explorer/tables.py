"""Tables for the tests of the explorer: small, of every kind, and as hostile as can be."""

import datetime as dt

import numpy as np

import vicinal

SCRIPT = "<script>alert(1)</script>"
#: Names and values that break pages, terminals, files and queries of those who trust them.
HOSTILE = [
    SCRIPT,
    "<svg onload=alert(1)>",
    "\u202egnirts\u202c",
    "nul\x00byte",
    "\x1b[31mred\x1b[0m",
    "'; DROP TABLE cases; --",
    "=HYPERLINK(1)",
    "x" * 10_000,
    "\ud800",
    "{{7*7}} ${7*7} %s",
]


def mixed_table(n=60):
    """Numbers, classes, dates, durations, booleans and gaps; `kind` depends on `size`."""
    rng = np.random.default_rng(3)
    size = np.round(rng.normal(size=n) + 3 * (np.arange(n) % 2), 2)
    return {
        "kind": ["small" if i % 2 == 0 else "large" for i in range(n)],
        "size": [None if i % 13 == 5 else float(size[i]) for i in range(n)],
        "count": [int(i % 7) for i in range(n)],
        "day": [dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in range(n)],
        "wait": [dt.timedelta(minutes=int(5 * (i % 11))) for i in range(n)],
        "shop": [None if i % 17 == 3 else f"shop {i % 3}" for i in range(n)],
        "open": [bool(i % 3) for i in range(n)],
    }


def hostile_table(n=40):
    """Return a table whose names and categories are hostile."""
    rng = np.random.default_rng(0)
    table = {name: [HOSTILE[(i + at) % 10] for i in range(n)] for at, name in enumerate(HOSTILE)}
    return {**table, "y": rng.normal(size=n).round(3).tolist()}


def quick_model(**settings):
    """Return a model that learns in a moment."""
    return vicinal.Model(max_queries=40, max_members=3, scores=False, n_jobs=1, **settings)
