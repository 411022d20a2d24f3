"""The table and the model that most of these tests ask."""

import pytest

from tests.mixed_table import OPTIONS, mixed_table
from vicinal import Model


@pytest.fixture(scope="session")
def table():
    return mixed_table(150)


@pytest.fixture(scope="session")
def queries():
    rows = mixed_table(12, seed=7)
    rows["colour"][3] = "violet"  # never seen
    for values in rows.values():
        values[5] = None
    return rows


@pytest.fixture(scope="session")
def model(table):
    return Model(**OPTIONS).fit(table)
