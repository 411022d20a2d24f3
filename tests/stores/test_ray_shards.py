"""The actors of a Ray cluster answer as one process does, also if they are killed."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import vicinal
from tests.stores import engines
from vicinal.exceptions import FileError, ParameterError
from vicinal.stores.ray_shards import RayPool, RayShards

# Ray listens on all addresses otherwise. It reads this when it is imported.
os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
ray = pytest.importorskip("ray", reason="Ray is not installed: its tests are SKIPPED")

# Ray leaves sockets and processes to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

TABLE = {"x": engines.VALUES[:300, 0], "y": engines.VALUES[:300, 1]}
ROWS = {"x": engines.QUERIES[:, 0], "y": engines.QUERIES[:, 1]}


@pytest.fixture(scope="module")
def cluster():
    """A cluster of one machine, this one."""
    ray.init(
        num_cpus=1,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        object_store_memory=80 << 20,
    )
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def pool(cluster):
    return RayPool()


def test_every_job_gives_the_same(pool, tmp_path):
    files, home, boxes = engines.stored(tmp_path)
    engines.check_engine(RayShards(files, engine=pool), home, boxes)


def kill(pids):
    """Stop actors, which may have a request and do not answer, and kill them soon after."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()


def test_actors_killed_twice_change_no_answer_and_a_missing_shard_is_named(pool, tmp_path):
    files, home, boxes = engines.stored(tmp_path)
    index, _ = engines.sharded(RayShards(files, engine=pool), home, boxes)
    expected = index.search(engines.QUERIES, engines.METRIC, 5)
    for _ in range(2):
        kill(ray.get([actor.pid.remote() for actor in pool.actors]))
        actual = index.search(engines.QUERIES, engines.METRIC, 5)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)
    # What is in memory needs no file, so another number of hidden cases asks for it again.
    index.remove([1])
    files[1].path.unlink()
    with pytest.raises(FileError, match=r"1\.vicinal is missing"):
        index.rows([3])


def test_a_model_is_fitted_and_loaded_on_a_cluster(cluster, tmp_path):
    store = tmp_path / "a.vicinal.d"
    settings = vicinal.Model(max_queries=40, scores=False, n_jobs=1)
    model = vicinal.sharded.fit([TABLE], store=store, settings=settings, shard_rows=100, on="ray")
    assert isinstance(model.index_.shards, RayShards)
    whole = vicinal.Model(max_queries=40, scores=False, n_jobs=1).fit(TABLE)
    rows = {"x": ROWS["x"]}
    expected = whole.predict(rows, "y")
    np.testing.assert_array_equal(model.predict(rows, "y"), expected)
    model.save(store)
    np.testing.assert_array_equal(vicinal.load(store, on=2).predict(rows, "y"), expected)


def test_ray_must_be_connected(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ParameterError, match=r"call ray\.init"):
        RayPool()
