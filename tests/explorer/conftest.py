"""A served model, and a service on a port of its own, for all tests of the explorer."""

import httpx
import pytest

from tests.explorer.tables import mixed_table, quick_model
from vicinal.explorer.http.server import Server
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.served import ServedModel


@pytest.fixture(scope="session")
def served():
    """A model of which everything is computed; tests do not change it."""
    model = quick_model().fit(mixed_table())
    made = ServedModel(model, "mixed", title="mixed.csv", target="kind")
    made.start()
    assert made.state.tasks.wait(120)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def client(served):
    """A client of a service that has this model alone."""
    server = Server([served], ServiceSettings(port=0))
    server.start()
    with httpx.Client(base_url=server.address, timeout=60) as made:
        yield made
    server.stop()
