"""What the search of an installed package must find, where only numpy can be installed.

scikit-learn has no wheels for musl, so there a wheel is asked for neighbors alone:
``python tests/smoke_search.py``. The reference is that of the tests.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.naive import distance as naive
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.support import Support


def main():
    rng = np.random.default_rng(0)
    cases = np.column_stack([rng.normal(size=(500, 3)), rng.integers(0, 4, 500)])
    cases[rng.random(cases.shape) < 0.05] = np.nan
    kinds = np.array([0, 0, 0, 2], dtype=np.uint8)  # three numbers and a category
    supports = tuple(
        Support(*naive.support(column, nominal=kind == 2))
        for column, kind in zip(cases.T, kinds, strict=True)
    )
    zeros, ones = np.zeros(4), np.ones(4)
    metric = Metric(kinds, 0.3 * ones, zeros, ones, 1.0, supports, np.zeros(4, dtype=bool))
    index = ExactIndex(cases, kinds)
    expected, distances = naive.neighbors(cases[:20], cases, metric, 5)
    for path in paths():
        indices, found = index._searched(cases[:20], metric, 5, path=path)[:2]
        assert (indices == expected).all(), path
        np.testing.assert_allclose(found, distances, rtol=1e-12)
    print(f"the search finds what the reference finds: {', '.join(paths())}")


if __name__ == "__main__":
    main()
