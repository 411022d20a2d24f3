"""Ways to predict, tables to predict, and everything a model says about a target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tests.frames import frames

WAYS = [
    {},
    {"influence": "centered"},
    {"influence": "linear"},
    {"influence": "probability"},
    {"weighting": "irw"},
    {"weighting": "mda"},
]
ways = st.sampled_from([*WAYS, {"robust_radius": 0.3}])


@st.composite
def asked(draw, **options):
    """A frame and a way to predict it in which no list of neighbours is cut within a tie.

    There, case numbers decide, so the order of the rows matters. The paper's way has few
    neighbours, so it gets tables without ties; the lists of the others hold all cases.
    """
    way = draw(ways)
    if "weighting" in way:
        options |= {"numbers": ["gaussian", "skewed"], "missing": [0.0], "repeated": False}
        options |= {"words": ["few"], "ties": False}
    return draw(frames(**options)), way


named_ways = pytest.mark.parametrize(
    "way", WAYS, ids=lambda way: "-".join(way.values()) or "default"
)
few = settings(max_examples=12)
CLOSE = 1e-6


def answers(model, frame, rows=None):
    """Everything the model says about the target, as numbers that can be compared."""
    rows = frame.rows if rows is None else rows
    if frame.words:
        return model.predict_proba(rows, frame.target)
    lower, upper = model.predict_interval(rows, frame.target, alpha=0.5)
    return np.column_stack([model.predict(rows, frame.target), lower, upper])


def assert_close(actual, expected, scale=1.0):
    np.testing.assert_allclose(actual, expected, rtol=CLOSE, atol=CLOSE * scale)


def spread_of(frame):
    if frame.words:
        return 1.0
    return np.nanmax(np.abs(frame.table[frame.target])) or 1.0


def without(table, *names):
    return {name: values for name, values in table.items() if name not in names}


def mixture(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    noise = rng.normal(size=n)
    y = 3 * x + 0.1 * rng.normal(size=n)
    group = np.where(x + z > 0, "up", "down").astype(object)
    return {"x": x, "z": z, "noise": noise, "y": y, "group": group}


ROWS = {"x": [0.0], "z": [0.0]}


def clock(n, seed):
    """An hour that goes round with x, more than once."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, size=n)
    return {"x": x, "hour": np.mod(5 * x + 0.5 * rng.normal(size=n), 24)}


def way_round(a, b):
    return np.mod(np.asarray(b, dtype=float) - np.asarray(a, dtype=float), 24)
