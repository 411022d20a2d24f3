"""The table and the model that most of these tests ask."""

import pytest

from tests.mixed_table import OPTIONS, mixed_table
from tests.model.parts import odd_queries
from vicinal import Model


@pytest.fixture(scope="session")
def table():
    return mixed_table(150)


@pytest.fixture(scope="session")
def queries():
    return odd_queries()


@pytest.fixture(scope="session")
def model(table):
    return Model(**OPTIONS).fit(table)
