"""Hypothesis tables that love what breaks engines.

Ties, duplicates, missing values, one row, constant columns, columns of nothing, scales from
1e-12 to 1e12, few-valued integers, categories never seen, and a metric to match. Hypothesis
chooses what each column is like, numpy fills it in from a seed that Hypothesis chooses too: so
tables can be large enough to be pruned, and a failing one still shrinks to few columns and rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.naive import distance as naive
from vicinal.index.metric import Metric
from vicinal.index.support import Support

NUMERIC, CYCLIC, NOMINAL = 0, 1, 2
POWERS = [0, 0.1, 0.5, 1, 2, 3.7]
any_power = st.sampled_from(POWERS)

#: Up to two blocks of 64 rows; from some 400 rows on the engine prunes, from 2048 on it sorts.
few_rows = st.integers(1, 20) | st.sampled_from([63, 64, 65, 129])
many_rows = st.sampled_from([400, 1100, 2500])

NUMBERS = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=n),
    "skewed": lambda rng, n: rng.lognormal(sigma=2, size=n),
    "few integers": lambda rng, n: rng.integers(-1, 3, size=n).astype(float),
    "integers": lambda rng, n: rng.integers(0, 100, size=n).astype(float),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n)),
    "constant": lambda rng, n: np.full(n, 7.0),
    "almost ties": lambda rng, n: rng.integers(0, 3, size=n) * (1 + rng.normal(size=n) * 1e-13),
}


class Column(NamedTuple):
    """One feature: what its values are like, and how it is compared."""

    kind: int
    draw: object  # (rng, n) -> n values
    missing: float
    period: float = 0.0
    residual: float = 1.0
    distinct: bool = False

    def values(self, rng, n):
        return np.where(rng.random(n) < self.missing, np.nan, self.draw(rng, n))


class Table(NamedTuple):
    """Cases, queries of which some are cases, and a metric for them."""

    cases: np.ndarray
    queries: np.ndarray
    metric: Metric
    exclude: np.ndarray  # one case number per query, −1 for none


missing_shares = st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.6, 1.0])

#: Most columns have gaps, so that nearly every query and row lacks something.
many_gaps = st.sampled_from([0.0, 0.03, 0.1, 0.3, 0.6, 1.0])


@st.composite
def numeric_columns(draw, gaps=missing_shares):
    style = draw(st.sampled_from(sorted(NUMBERS)))
    scale = draw(st.sampled_from([1.0, 1.0, 1e-12, 1e12, 0.3]))
    shift = draw(st.sampled_from([0.0, 0.0, 1000.0]))
    return Column(
        NUMERIC,
        lambda rng, n: (NUMBERS[style](rng, n) + shift) * scale,
        draw(gaps),
        residual=scale * draw(st.sampled_from([1.0, 0.1, 1e-6, 1e3])),
        distinct=draw(st.booleans()),
    )


@st.composite
def cyclic_columns(draw):
    period = draw(st.sampled_from([24.0, 1.0, 7.3, 1e-9]))
    steps = draw(st.sampled_from([4, 24, 1 << 40]))
    return Column(
        CYCLIC,
        lambda rng, n: rng.integers(0, steps, size=n) / steps * period,
        draw(missing_shares),
        period=period,
        residual=period * draw(st.sampled_from([0.1, 1e-4, 2.0])),
        distinct=draw(st.booleans()),
    )


@st.composite
def nominal_columns(draw, gaps=missing_shares, classes=(1, 2, 3, 17, 50)):
    count = draw(st.sampled_from(classes))
    return Column(
        NOMINAL,
        lambda rng, n: np.floor(count * rng.random(n) ** 2),
        draw(gaps),
        residual=draw(st.sampled_from([0.0, 0.5, 2.0, 30.0])),
        distinct=draw(st.booleans()),
    )


any_column = numeric_columns() | numeric_columns() | cyclic_columns() | nominal_columns()


def make_metric(cases, kinds, residuals, *, p=1.0, periods=0.0, weights=1.0, distinct=False):
    """Metric of these columns (one number stands for all), with the supports of the cases."""
    d = cases.shape[1]
    kinds, residuals, periods, weights, distinct = (
        np.array(np.broadcast_to(np.asarray(values, dtype=kind), d))
        for values, kind in [
            (kinds, np.uint8),
            (residuals, float),
            (periods, float),
            (weights, float),
            (distinct, bool),
        ]
    )
    supports = tuple(
        Support(*naive.support(column, nominal=kind == NOMINAL))
        for column, kind in zip(cases.T, kinds, strict=True)
    )
    return Metric(kinds, residuals, periods, weights, p, supports, distinct)


even = st.sampled_from([0.0, 0.5, 1.0, 3.0])
uneven = st.sampled_from([0.0, 1e-6, 0.5, 1.0, 3.0, 1e6])


def feature_weights(d, some):
    """All ones, or any of some, of which at least one is positive."""
    return st.just([1.0] * d) | st.lists(some, min_size=d, max_size=d).filter(any)


@st.composite
def tables(
    draw, rows=few_rows, powers=any_power, columns=any_column, max_columns=7, weights=uneven
):
    """Draw a `Table`."""
    described = draw(st.lists(columns, min_size=1, max_size=max_columns))
    n = draw(rows)
    unique = draw(st.sampled_from([n, n, max(1, n // 2), 1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cases = _stack(described, rng, unique)[rng.permutation(np.arange(n) % unique)]
    metric = make_metric(
        cases,
        [column.kind for column in described],
        [column.residual for column in described],
        p=draw(powers),
        periods=[column.period for column in described],
        weights=draw(feature_weights(len(described), weights)),
        distinct=[column.distinct for column in described],
    )
    stored = rng.integers(0, n, size=3)
    queries = np.vstack([cases[stored], _stack(described, rng, 2), _odd_rows(described, cases)])
    exclude = np.array([stored[0], stored[1], -1, rng.integers(0, n), -1, -1, -1])
    return Table(cases, queries, metric, exclude)


def _stack(columns, rng, n):
    return np.column_stack([column.values(rng, n) for column in columns])


def _odd_rows(columns, cases):
    """A row of nothing, and one that is far from everything, with categories never seen."""
    beyond = [
        0.99 * column.period
        if column.kind == CYCLIC
        else np.max(values, initial=0.0, where=~np.isnan(values)) + 1 + 40 * column.residual // 1
        for column, values in zip(columns, cases.T, strict=True)
    ]
    return np.array([np.full(len(columns), np.nan), beyond])


@st.composite
def kernels_and_offsets(draw, max_neighbors=30, max_directions=9, shifts=(0.0, 0.5, 2.0)):
    """Logits and offsets of some queries, of a size that an optimiser can settle."""
    m, k = draw(st.integers(1, 5)), draw(st.integers(1, max_neighbors))
    d = draw(st.integers(1, max_directions))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    logits = -rng.exponential(size=(m, k)) * draw(st.sampled_from([0.0, 1.0, 5.0]))
    z = rng.normal(size=(m, k, d)) + draw(st.sampled_from(shifts))
    if draw(st.booleans()):  # mismatch indicators
        z[:, :, 0] = rng.integers(0, 2, size=(m, k))
    absent = rng.random((m, k)) < draw(st.sampled_from([0.0, 0.3]))
    absent[:, 0] = False
    return np.where(absent, -np.inf, logits), z
