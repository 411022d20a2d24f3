"""Rows around cases: from given values, no near copies, and from one case only."""

import numpy as np

from tests.density.tables import mixed_table
from vicinal import Model
from vicinal.density.limits import Limits
from vicinal.density.mixture import mixture_of
from vicinal.density.sampler import Sampler


def draw(table, n=50, given=None, **model):
    fitted = Model(**model).fit(table)._ready()
    limits = Limits(tuple(fitted.domain(i) for i in range(len(fitted.schema))))
    row = np.full(len(fitted.schema), np.nan)
    if given is not None:
        row[fitted.schema.column(given[0])] = given[1]
    mixture = mixture_of(fitted)
    sampler = Sampler(mixture, fitted.metric, fitted.threads)
    return mixture, sampler.draw(row, limits, n, np.random.default_rng(0))


def test_cases_with_the_given_category_are_chosen_alone():
    mixture, drawn = draw(mixed_table(), given=("c", 1.0))
    column = next(i for i, kernel in enumerate(mixture.kernels) if kernel.kind == "nominal")
    assert set(drawn.rows[:, column]) == {1.0}
    assert np.all((drawn.shares > 0) == (mixture.cases[:, column] == 1.0))


def test_rows_are_as_far_from_cases_as_these_from_each_other():
    mixture, drawn = draw(mixed_table(n=200), n=300)
    assert np.median(drawn.excess) >= 0.9 * np.median(mixture.closest)
    assert np.mean(drawn.excess < 0.1 * np.quantile(mixture.closest, 0.1)) < 0.02


def test_categories_alone_are_no_copies_where_others_are_possible():
    rng = np.random.default_rng(1)
    table = {f"c{i}": rng.integers(0, 4, size=60).astype(str).tolist() for i in range(8)}
    _, drawn = draw(table, n=100)
    assert np.mean(drawn.excess == 0) < 0.05


def test_one_case_and_constant_columns_are_all_there_is():
    for table in ({"x": [1.0], "c": ["a"]}, {"x": [2.0] * 3, "y": [None] * 3}):
        mixture, drawn = draw(table, n=3)
        for row in drawn.rows:
            np.testing.assert_array_equal(row, mixture.cases[0])
