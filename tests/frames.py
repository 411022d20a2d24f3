"""Hypothesis tables of named columns, as people have them: numbers, words, gaps, repetitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

NUMBERS = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(size=n),
    # Not 0 and 1, which would be labels where missing values make them floats.
    "codes": lambda rng, n: rng.integers(0, 4, size=n) * 2.0,
    "binary": lambda rng, n: rng.integers(0, 2, size=n) * 2.0,
    "constant": lambda rng, n: np.full(n, 3.0),
}
WORDS = {
    "few": lambda rng, n: np.array(["red", "green", "blue"], dtype=object)[
        np.minimum(rng.geometric(0.5, size=n) - 1, 2)
    ],
    "two": lambda rng, n: np.where(rng.random(n) < 0.4, "yes", "no").astype(object),
    "one": lambda rng, n: np.full(n, "same", dtype=object),
}


class Frame(NamedTuple):
    """A table to fit, rows to ask about, and a column that has values."""

    table: dict
    rows: dict
    target: str

    @property
    def n(self):
        return len(next(iter(self.table.values())))

    @property
    def words(self):
        return isinstance(self.table[self.target], np.ndarray) and (
            self.table[self.target].dtype == object
        )


@st.composite
def frames(
    draw,
    sizes=None,
    words=None,
    numbers=None,
    max_columns=4,
    target=None,
    missing=None,
    repeated=True,
    ties=True,
):
    """Draw a `Frame`.

    `words` and `numbers` name the styles allowed; `target` says "number" or "word" if it must be
    one of them. Without `ties` there is a number in the context.
    """
    n = draw(st.integers(1, 12) | st.sampled_from([25, 40]) if sizes is None else sizes)
    d = draw(st.integers(2, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    wanted = target or draw(st.sampled_from(["number", "word"]))
    shares = st.sampled_from(missing or [0.0, 0.0, 0.2])
    numeric = st.sampled_from(sorted(NUMBERS if numbers is None else numbers))
    wordy = st.sampled_from(sorted(WORDS if words is None else words))
    kinds = [wanted] + [draw(st.sampled_from(["number", "number", "word"])) for _ in range(d - 1)]
    if not ties:
        kinds[1] = "number"
    unique = draw(st.sampled_from([n, n, max(1, n // 2) if repeated else n]))
    chosen = rng.permutation(np.arange(n) % unique)
    table, rows = {}, {}
    for name, kind in zip("ybca", kinds, strict=False):
        make = NUMBERS[draw(numeric)] if kind == "number" else WORDS[draw(wordy)]
        values = make(rng, unique + 4)
        gaps = rng.random(unique + 4) < draw(shares)
        gaps[0] = False
        values = np.where(gaps, np.nan if kind == "number" else None, values)
        table[name] = values[:unique][chosen]
        rows[name] = np.concatenate([values[unique:], table[name][: 1 if repeated else 0]])
    return Frame(table, rows, "y")
