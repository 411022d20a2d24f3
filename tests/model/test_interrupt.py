"""Ctrl-C ends long work at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

# Work that would take minutes; "ready" says that it begins.
BEGIN = """
import numpy as np
from vicinal.index.metric import TermSettings
from vicinal.learning.residuals import learn_residuals
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support
n, d = 20_000, 40
values = np.random.default_rng(0).normal(size=(n, d))
kinds, none, distinct = np.zeros(d, np.uint8), np.zeros(d), np.zeros(d, bool)
supports = tuple(observed_support(column, nominal=False) for column in values.T)
metric = Metric(kinds, np.full(d, 1e-3), none, np.ones(d), 0.5, supports, distinct)
index = ExactIndex(values[:8000], kinds)
many = np.tile(values, (50, 1))
settings = TermSettings(kinds, none, np.ones(d), 0.5, distinct)
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", len(index.search(values[:3], metric, 2).indices), flush=True)
"""

WORK = {
    "search": "index._searched(many, metric, 10, threads={threads}, pruned=False)",
    "residuals": "learn_residuals(values, settings, k=10, max_queries=20_000, threads={threads})",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("work", sorted(WORK))
def test_ctrl_c_ends_long_work(work, threads):
    code = BEGIN.format(work=WORK[work].format(threads=threads))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as job:
        try:
            assert job.stdout.readline() == "ready\n"
            time.sleep(0.5)
            assert job.poll() is None, "the work is over too soon to be interrupted"
            job.send_signal(signal.SIGINT)
            began = time.monotonic()
            # And the index still answers.
            assert job.stdout.readline() == "interrupted 3\n"
            assert time.monotonic() - began < 10
            assert job.wait(timeout=20) == 0
        finally:
            job.kill()


def test_a_process_ends_while_another_thread_still_works():
    # The interpreter would end the thread in the midst of native code, which aborts the process.
    code = BEGIN.format(work=WORK["search"].format(threads=2)).replace(
        "    index._searched", "    work = lambda: index._searched"
    ) + (
        "import threading, time\n"
        "class Slow:\n"  # so that the interpreter takes its time to end
        "    def __del__(self, sleep=time.sleep):\n"
        "        sleep(0.5)\n"
        "slow = Slow()\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.5)\n"
        "print(len(index.search(values[:3], metric, 2).indices))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "ready\n3\n"
