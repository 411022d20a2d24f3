"""The information matrix asks several numbers of neighbors, which are searched once."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.test_coalitions import all_chains, as_one_column, drawn_tables
from vicinal.index.coalitions import CoalitionTree, predict_coalitions, predict_coalitions_from


@settings(max_examples=15)
@given(table=drawn_tables(), ks=st.permutations([1, 4, 9]))
def test_several_numbers_of_neighbors_at_once_are_as_each_alone(table, ks):
    able = table.predictor.players()
    asked = (
        table.index,
        table.ensemble.spaces[0].metric,
        CoalitionTree.of_chains(all_chains(able)),
        table.rows,
        as_one_column,
        [("linear", 1.0, 0.3, 0.5), ("inverse", 0.5, np.inf, 0.5)],
    )
    how = {"target": 0, "n_classes": table.target.n_classes}
    together = predict_coalitions_from(ks, *asked, **how)
    for at, k in enumerate(ks):
        for every, one in zip(together, predict_coalitions(*asked, **how, k=k), strict=True):
            assert (every is None) == (one is None)
            if every is not None:
                np.testing.assert_array_equal(every[at], one)
