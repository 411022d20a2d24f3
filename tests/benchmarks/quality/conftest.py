"""Jobs of a benchmark run in this process, on one thread.

A second process would import everything again, and threads of OpenMP wait for each other on a
busy machine.
"""

import warnings

import pytest
from threadpoolctl import threadpool_limits

from benchmarks.quality import runner


class InThisProcess:
    def __init__(self, threads):
        self.threads = threads

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, function, *arguments, limit=None, cpu_limit=None):
        with warnings.catch_warnings():
            return function(*arguments)


@pytest.fixture
def jobs_run_here(monkeypatch):
    monkeypatch.setattr(runner, "Worker", InThisProcess)


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield
