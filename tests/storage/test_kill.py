"""A process that is killed while it saves leaves the old file or the new one, always whole."""

from __future__ import annotations

import os
import random
import signal
import time

import numpy as np
import pytest

import vicinal
from vicinal import Model


def save_until_killed(models, path, started):
    """In a process of its own: save one model and then the other, for ever."""
    pid = os.fork()
    if pid:
        return pid
    try:
        while True:
            for model in models:
                model.save(path)
                os.write(started, b".")
    finally:
        os._exit(1)


@pytest.mark.parametrize("times", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_a_file_loads_whenever_its_writer_was_killed(tmp_path, times):
    rng = np.random.default_rng(0)
    models = [Model(max_rounds=1, n_jobs=1).fit(rng.normal(size=(n, 6))) for n in (6000, 2000)]
    path = tmp_path / "model.vicinal"
    models[0].save(path)
    chance = random.Random(5)
    seen = set()
    for _ in range(times):
        reader, writer = os.pipe()
        pid = save_until_killed(models, path, writer)
        os.close(writer)
        os.read(reader, 1)  # it is at work
        time.sleep(chance.random() * 0.05)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reader)
        seen.add(len(vicinal.load(path)))
        for left in tmp_path.glob(".*.tmp"):
            left.unlink()
    assert seen <= {6000, 2000}
