"""Tables to report on; what a hostile table would like to do must not happen."""

import datetime as dt

import numpy as np

from vicinal.data import load_penguins

HOSTILE = "</script><img src=x onerror=alert(1)>"
QUOTES = "\"'><svg onload=console.log('in')>"


def hostile(n=40):
    """Names and values that would be code if they were not escaped."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    y = [HOSTILE if value > 0 else QUOTES for value in x + 0.3 * rng.normal(size=n)]
    return {
        HOSTILE: (x + 0.1 * rng.normal(size=n)).tolist(),
        QUOTES: [("<b>&amp;" if value > 0.2 else "</style>\x00\x1b") for value in x],
        "<!-- ": rng.integers(0, 3, n).tolist(),
        "${1+1}`{{x}}": y,
        "name \u202e\u2066 \U0001f427 é": ["]]>" if at % 3 else None for at in range(n)],
    }


def some_penguins():
    """Every second penguin."""
    return {name: values[::2] for name, values in load_penguins().items()}


def mixed(n=60):
    """All kinds of features, with holes."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    return {
        "amount": [None if at % 9 == 0 else float(v) for at, v in enumerate(10 * x)],
        "grade": [["low", "mid", "high"][int(np.clip(v + 1.5, 0, 2))] for v in x],
        "hour": rng.integers(0, 24, n).tolist(),
        "when": [dt.datetime(2024, 1, 1) + dt.timedelta(days=float(7 * v)) for v in x],
        "took": [dt.timedelta(minutes=float(abs(30 * v))) for v in x],
        "shop": rng.choice(["a", "b", "c"], n).tolist(),
        "same": [1.0] * n,
        "empty": [None] * n,
    }


SETTINGS = {
    "ordinal_features": {"grade": ["low", "mid", "high"]},
    "cyclic_features": {"hour": 24},
}
