"""Processes answer as one process does, also if some of them are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.stores import engines
from tests.strategies import make_metric
from vicinal.exceptions import FileError, ParameterError
from vicinal.index.exact import ExactIndex
from vicinal.index.shard import Shard
from vicinal.index.shard_floors import Box
from vicinal.index.sharded import ShardedIndex
from vicinal.stores import worker
from vicinal.stores.held_shards import HeldShards
from vicinal.stores.packets import pack, unpack
from vicinal.stores.processes import Pool, ProcessShards
from vicinal.stores.shard_files import write_shard
from vicinal.stores.stored_shards import StoredShards

VALUES = np.random.default_rng(0).normal(size=(900, 3))
KINDS = np.zeros(3, dtype=np.uint8)
METRIC = make_metric(VALUES, 0, 0.5)
QUERIES = np.random.default_rng(1).normal(size=(20, 3))


@pytest.fixture
def index(tmp_path):
    pool = Pool(2)
    parts = np.arange(len(VALUES)) % 3
    shards = [Shard.of(np.flatnonzero(parts == at), VALUES[parts == at], KINDS) for at in range(3)]
    files = [write_shard(tmp_path / f"{at}.vicinal", one) for at, one in enumerate(shards)]
    boxes = [Box(*one.index.storage.box) for one in shards]
    yield ShardedIndex(ProcessShards(files, engine=pool), KINDS, parts.astype(np.uint16), boxes)
    pool.close()


def check(index, exact):
    found = [one.search(QUERIES, METRIC, 5) for one in (index, exact)]
    np.testing.assert_array_equal(found[0].indices, found[1].indices)
    np.testing.assert_array_equal(found[0].distances, found[1].distances)
    for one, other in zip(index.sample(100), exact.sample(100), strict=True):
        np.testing.assert_array_equal(one, other)


def test_answers_are_those_of_one_process_after_changes_too(index):
    exact = ExactIndex(VALUES, KINDS)
    check(index, exact)
    for one in (index, exact, index.copied()):
        one.remove([3, 4])
        one.update([7], np.zeros((1, 3)))
        one.add(np.ones((2, 3)))
    check(index, exact)
    rebuilt = [one.rebuilt_by(lambda rows: -rows, KINDS) for one in (index, exact)]
    check(*rebuilt)


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_every_job_gives_the_same_in_processes_and_in_this_one(tmp_path, parts):
    files, home, boxes = engines.stored(tmp_path, parts)
    pool = Pool(1)
    engines.check_engine(ProcessShards(files, engine=pool), home, boxes)
    pool.close()
    engines.check_engine(StoredShards(files), home, boxes)
    held = HeldShards(files, engine=worker.Answering(mapped=False, most_bytes=1))
    engines.check_engine(held, home, boxes)


def test_a_killed_process_changes_no_answer(index):
    exact = ExactIndex(VALUES, KINDS)
    check(index, exact)
    running = [one.pid for one in index.shards.engine.workers if one.pid is not None]
    assert running  # one alone may have answered everything
    for pid in running:
        os.kill(pid, signal.SIGKILL)
    check(index, exact)


def test_a_process_killed_while_it_searches_changes_no_answer(index):
    def ask():  # one shard alone is searched by the first process
        ((_, answer),) = index.shards.run("search", [(0, {**search_arguments(), "k": 3})])
        return answer

    expected = ask()
    one = index.shards.engine.workers[0]
    process = one._process
    os.kill(process.pid, signal.SIGSTOP)  # it has the request, and does not answer
    timer = threading.Timer(0.3, os.kill, (process.pid, signal.SIGKILL))
    timer.start()
    actual = ask()
    timer.join()
    for name in ("indices", "distances", "keys"):
        np.testing.assert_array_equal(actual[name], expected[name])
    assert process.poll() is not None
    assert one.pid != process.pid


def test_a_shard_that_kills_its_process_is_named(index, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(FileError, match="did not start"):
        index.rows([0])
    monkeypatch.undo()
    for one in index.shards.engine.workers:
        monkeypatch.setattr(one, "ask", lambda *_: None)
    with pytest.raises(FileError, match=r"ended 3 times while it searched .*\.vicinal"):
        index.rows([0, 1, 2])


def test_errors_of_processes_are_raised_here(index):
    index.shards.files[1].path.unlink()
    with pytest.raises(FileError, match=r"1\.vicinal is missing"):
        index.rows([0, 1, 2])
    assert index.rows([0]).shape == (1, 3)
    with pytest.raises(ParameterError, match="k must be at least 1"):
        list(index.shards.run("search", [(0, {**search_arguments(), "k": 0})]))


def search_arguments():
    return {
        "queries": QUERIES[:1],
        "metric": METRIC,
        "exclude": np.array([-1]),
        "required": -1,
        "ceilings": np.array([np.inf]),
        "threads": 0,
    }


def test_processes_end_with_the_pool(tmp_path):
    pool = Pool(2)
    started = [one._started() for one in pool.workers]
    pool.close()
    assert all(one.returncode is not None for one in started)


def test_a_worker_ends_when_nobody_is_left_to_ask():
    process = subprocess.Popen(
        [sys.executable, "-m", "vicinal.stores.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert unpack(worker.receive(process.stdout)) == {"protocol": worker.PROTOCOL}
    process.stdin.close()
    assert process.wait(timeout=30) == 0
    process.stdout.close()


def test_jobs_are_named_in_a_fixed_table(index):
    answering = worker.Answering()
    file = index.shards.files[0]
    request = {"path": str(file.path), "digest": file.digest, "hidden": np.empty(0)}
    with pytest.raises(KeyError):
        answering.answer({**request, "job": "os.system"}, {})
    answer = unpack(answering.answer({**request, "job": "rows"}, {"numbers": np.array([3])}))
    np.testing.assert_array_equal(answer["values"], VALUES[[3]])
    assert pack(answer)
