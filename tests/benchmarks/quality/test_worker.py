"""A job in a process of its own: its result, its errors, its limits."""

import os
import time
from unittest import mock

import pytest

from benchmarks.quality.worker import JobError, OverTime, Worker


def busy_for(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return "done"


def fails():
    raise ValueError("of a library")


def test_a_job_returns_fails_or_is_ended():
    # A worker tells libraries their threads by variables, which other tests must not see.
    with mock.patch.dict(os.environ), Worker() as worker:
        assert worker.run(busy_for, 0.01, cpu_limit=5) == "done"
        with pytest.raises(JobError, match="ValueError: of a library"):
            worker.run(fails)
        with pytest.raises(OverTime, match="more than 1 processor s"):
            worker.run(busy_for, 60, cpu_limit=1)
        with pytest.raises(OverTime, match=r"more than 0\.1 s"):
            worker.run(time.sleep, 60, limit=0.1)
        assert worker.run(busy_for, 0.01) == "done"
