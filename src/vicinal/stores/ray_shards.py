"""Shards asked by actors of a Ray cluster.

The machines must see the files of the store under the same path. Ray pickles its own messages, so
all its machines must trust each other; what we send are bytes of our own, which nobody unpickles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from vicinal.exceptions import FileError, ParameterError
from vicinal.stores.packets import pack, unpack
from vicinal.stores.processes import TRIES
from vicinal.stores.remote import bytes_for_shards, check_versions, versions, warn_if_open
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering, on_one_thread, raise_error, request_for
from vicinal.typing import Arrays


class ShardActor:
    """Runs jobs, and keeps shards in its memory."""

    def __init__(self, most_bytes: int) -> None:
        self._answering = Answering(mapped=False, most_bytes=most_bytes)

    def answer(self, request: bytes, arguments: bytes) -> bytes:
        """Run a job."""
        return self._answering.answer(unpack(request), unpack(arguments))

    def versions(self) -> tuple[str, int]:
        """Return the versions of the package and of its messages."""
        return versions()

    def pid(self) -> int:
        """Return the number of the process."""
        return os.getpid()


class RayPool:
    """Actors on the machines of a cluster, as many as it has processors; they end with the pool.

    Raises
    ------
    ParameterError
        If Ray is not installed, or this process is not connected to a cluster.
    """

    def __init__(self) -> None:
        try:
            ray = import_module("ray")
        except ImportError as error:
            raise ParameterError(
                "on='ray' needs Ray, which is not installed: pip install 'vicinal[ray]'."
            ) from error
        if not ray.is_initialized():
            raise ParameterError("on='ray' needs a cluster; call ray.init(...) first.")
        self.ray = ray
        resources = ray.cluster_resources()
        count = max(1, int(resources.get("CPU", 1)))
        most = bytes_for_shards(resources.get("memory", 0.0) / count)
        # They take no processor from other tasks, because they wait most of the time.
        made = ray.remote(
            num_cpus=0,
            max_restarts=-1,
            max_task_retries=TRIES - 1,
            scheduling_strategy="SPREAD",
        )(ShardActor)
        self.actors = [made.remote(most) for _ in range(count)]
        found = ray.get([actor.versions.remote() for actor in self.actors])
        check_versions({str(at): one for at, one in enumerate(found)})
        if os.environ.get("RAY_USE_TLS", "0") != "1":
            warn_if_open(f"tcp://{ray.get_runtime_context().gcs_address}", "Ray")


class RayShards(StoredShards):
    """Shards in files, asked by the actors of a cluster.

    Every shard is asked of the same actor, so that it stays in its memory. If an actor ends, Ray
    starts it again and its tasks are repeated, at most `TRIES` times in all.
    """

    engine: RayPool

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards; answers come as they are ready."""
        ray, actors = self.engine.ray, self.engine.actors
        waiting = {
            actors[shard % len(actors)].answer.remote(
                request_for(job, self.files[shard], self.hidden.get(shard)),
                pack(on_one_thread(arguments)),
            ): shard
            for shard, arguments in self.last_used_first(tasks)
        }
        while waiting:
            [ready], _ = ray.wait(list(waiting), num_returns=1)
            shard = waiting.pop(ready)
            try:
                answer = unpack(ray.get(ready))
            except ray.exceptions.RayActorError:
                raise FileError(
                    f"An actor ended {TRIES} times while it searched {self.files[shard].path}; "
                    "there may be too little memory for this shard."
                ) from None
            raise_error(answer)
            yield shard, answer
