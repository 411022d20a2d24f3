"""The workers of a Dask cluster answer as one process does, also if one of them is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import vicinal
from tests.mixed_table import OPTIONS, mixed_table
from tests.stores import engines
from vicinal.exceptions import FileError, ParameterError
from vicinal.stores import dask_shards
from vicinal.stores.dask_shards import DaskShards, check_cluster, is_client
from vicinal.stores.shard_files import ShardFile
from vicinal.stores.worker import Answering

distributed = pytest.importorskip("distributed")

SETTINGS = {**OPTIONS, "max_queries": 60, "max_members": 3, "n_jobs": 1}
TABLE = pd.DataFrame(mixed_table(400, seed=3))
ROWS = pd.DataFrame(mixed_table(12, seed=4))

# Dask leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def both(dask_client, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "mixed.vicinal.d"
    model = vicinal.sharded.fit(
        [TABLE], store=store, settings=vicinal.Model(**SETTINGS), shard_rows=150, on=dask_client
    )
    return model, vicinal.Model(**SETTINGS).fit(TABLE)


def check(both):
    found = [one.neighbors(ROWS, k=5) for one in both]
    np.testing.assert_array_equal(found[0].indices, found[1].indices)
    np.testing.assert_array_equal(found[0].distances, found[1].distances)


def test_answers_are_those_of_one_machine(both):
    check(both)
    np.testing.assert_array_equal(*(one.predict_proba(ROWS, "colour") for one in both))


def test_every_job_gives_the_same(dask_client, tmp_path):
    files, home, boxes = engines.stored(tmp_path)
    engines.check_engine(DaskShards(files, engine=dask_client), home, boxes)


def processes(client):
    """The processes of both workers, once they have started again after an earlier test.

    Dask gives up a worker that is killed while it starts.
    """
    nannies = client.cluster.workers.values()
    while not all(one.process and one.process.status.name == "running" for one in nannies):
        time.sleep(0.05)
    client.wait_for_workers(len(nannies))
    return [one.pid for one in nannies]


def kill(pid):
    """Stop a worker, which may have a request and does not answer, and kill it soon after."""
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()


def test_workers_killed_while_they_learn_change_no_answer(both, dask_client, monkeypatch):
    """One, and right after it the other: for a moment there is no worker at all."""
    model, whole = both
    victims = processes(dask_client)
    run, calls = DaskShards.run, []

    def killing(self, job, tasks):
        calls.append(job)
        if len(calls) in (9, 10):
            kill(victims.pop())
        return run(self, job, tasks)

    monkeypatch.setattr(DaskShards, "run", killing)
    actual, expected = (one.predict(ROWS, "weight") for one in (model, whole))
    np.testing.assert_array_equal(actual, expected)
    assert not victims


def test_tasks_that_wait_for_a_worker_that_is_gone_are_sent_again(both, dask_client):
    """Dask lets them wait for it if no other is there when it ends."""
    for victim in processes(dask_client):
        kill(victim)
    check(both)


def test_a_cluster_that_stays_without_workers_is_an_error(monkeypatch):
    def nothing_yet(*_, **__):
        raise TimeoutError

    client = SimpleNamespace(
        scheduler_info=lambda **_: {"workers": {}},
        submit=lambda *_, **__: Mock(),
    )
    monkeypatch.setattr(distributed, "wait", nothing_yet)
    monkeypatch.setattr(dask_shards, "NO_WORKERS", -1.0)
    file = ShardFile(Path("0.vicinal"))
    with pytest.raises(FileError, match="no workers for"):
        list(DaskShards([file], engine=client).run("box", [(0, {})]))


def test_an_altered_shard_is_named(both):
    model, _ = both
    file = model.index_.shards.files[0].path
    raw = file.read_bytes()
    file.write_bytes(
        raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 1]) + raw[len(raw) // 2 + 1 :]
    )
    try:
        model.index_.shards.engine.run(forget)
        with pytest.raises(FileError, match=f"{file.name}.*checksum"):
            model.neighbors(ROWS, k=5)
    finally:
        file.write_bytes(raw)


def test_a_missing_shard_is_named(both):
    model, _ = both
    file = model.index_.shards.files[0].path
    other = file.with_suffix(".moved")
    file.rename(other)
    try:
        for loaded in list(model.index_.shards.engine.run(forget).values()):
            assert loaded is None
        with pytest.raises(FileError, match=file.name):
            model.neighbors(ROWS, k=5)
    finally:
        other.rename(file)


def forget():
    dask_shards._answering = None


def test_workers_of_another_version_are_refused():
    client = SimpleNamespace(run=lambda _: {"tcp://a:1": ("0.0.1", 1)})
    with pytest.raises(FileError, match=r"tcp://a:1 has vicinal 0\.0\.1"):
        check_cluster(client)


def test_connections_that_others_can_read_are_warned_about():
    client = SimpleNamespace(
        run=lambda ask: {"tcp://a:1": ask()},
        scheduler=SimpleNamespace(address="tcp://10.0.0.7:8786"),
    )
    with pytest.warns(UserWarning, match="not encrypted"):
        check_cluster(client)


def test_anything_else_is_no_cluster(tmp_path):
    assert not is_client(SimpleNamespace())
    with pytest.raises(ParameterError, match="a Dask client"):
        vicinal.sharded.fit([TABLE[:30]], store=tmp_path / "a.vicinal.d", on="tcp://a:1")


def test_a_worker_keeps_as_many_shards_as_fit(both):
    model, _ = both
    files = model.index_.shards.files
    answering = Answering(mapped=False, most_bytes=1)
    for file in files:
        request = {"job": "box", "path": str(file.path), "digest": "", "hidden": np.empty(0)}
        answering.answer(request, {})
    assert len(answering._open) == 1
