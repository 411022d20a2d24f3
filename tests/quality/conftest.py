"""A table with wrong labels, audited once."""

import numpy as np
import pytest

from tests.quality.tables import labeled_table
from vicinal import Model


@pytest.fixture(scope="session")
def flipped():
    table = labeled_table()
    far = np.flatnonzero((table["x"] + table["y"]).abs() > 1.5)[:5]
    table.loc[far, "kind"] = np.where(table.loc[far, "kind"] == "up", "down", "up")
    return table, set(far.tolist())


@pytest.fixture(scope="session")
def audit(flipped):
    return Model(n_jobs=1, max_queries=200).fit(flipped[0]).audit("kind")
