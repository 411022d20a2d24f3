"""The widths of kernels: memory and time of wide tables."""

import tracemalloc

import numpy as np

from vicinal import Model
from vicinal.density import widths


def test_memory_does_not_grow_with_the_gaps_of_all_columns():
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.normal(size=80) for i in range(250)}
    model = Model(n_jobs=1, max_queries=20, max_rounds=1).fit(table)
    tracemalloc.start()
    model.density({name: values[:2] for name, values in table.items()})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The gaps of 80 cases to 79 others in 250 columns alone take 12 MB.
    assert peak < 8e6


def test_of_many_columns_fewer_cases_are_held_out_and_explain(monkeypatch):
    rng = np.random.default_rng(1)
    table = {name: rng.normal(size=60) for name in "abcd"}
    rows = {name: values[:3] + 0.1 for name, values in table.items()}
    monkeypatch.setattr(widths, "_QUERIES", 40)
    monkeypatch.setattr(widths, "_NEAREST", 20)
    every = Model(max_rounds=1).fit(table).density(rows)
    monkeypatch.setattr(widths, "_MANY_COLUMNS", 1)
    some = Model(max_rounds=1).fit(table).density(rows)
    monkeypatch.setattr(widths, "_MANY_COLUMNS", 4)
    monkeypatch.setattr(widths, "_QUERIES", 20)
    monkeypatch.setattr(widths, "_NEAREST", 10)
    expected = Model(max_rounds=1).fit(table).density(rows)
    np.testing.assert_array_equal(some, expected)
    assert (some != every).all()
