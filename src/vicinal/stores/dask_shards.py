"""Shards asked by the workers of a Dask cluster.

Workers must see the files of the store under the same path. Dask pickles its own messages, so all
its machines must trust each other; what we send are bytes of our own, which nobody unpickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from time import monotonic
from typing import Any

from vicinal.exceptions import FileError
from vicinal.stores.packets import pack, unpack
from vicinal.stores.remote import bytes_for_shards, check_versions, versions, warn_if_open
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering, on_one_thread, raise_error, request_for
from vicinal.typing import Arrays

#: Seconds after which workers are looked after, and without any after which there is an error.
_MOMENT, NO_WORKERS = 2.0, 300.0
#: The shards that a worker keeps in memory.
_answering: Answering | None = None


def answer_packed(request: bytes, arguments: bytes) -> bytes:
    """Run a job on a worker."""
    return worker_answering().answer(unpack(request), unpack(arguments))


def worker_answering() -> Answering:
    """Return what holds the shards of this process, sized by the memory limit of the worker.

    Shards are read, not mapped: Dask counts mapped files as memory that a worker takes, and ends
    workers that take too much.
    """
    global _answering  # noqa: PLW0603 (one for all tasks of the process)
    if _answering is None:
        try:
            worker = import_module("distributed").get_worker()
            limit, held = worker.memory_manager.memory_limit, worker.monitor.get_process_memory()
        except (ValueError, AttributeError):
            limit, held = None, 0
        _answering = Answering(mapped=False, most_bytes=bytes_for_shards(limit, held))
    return _answering


class DaskShards(StoredShards):
    """Shards in files, asked by the workers of a cluster, whose client is the engine.

    A shard is asked of the same worker as far as it goes, so that it stays in its memory, but any
    other may take over. If a worker ends, its tasks are sent again.
    """

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards; answers come as they are ready."""
        sent = _Sent(self, job, dict(self.last_used_first(tasks)))
        try:
            while sent.shards:
                for shard, future in sent.ready():
                    yield shard, self._answer(shard, future)
        finally:
            sent.release()

    def _answer(self, shard: int, future: Any) -> Arrays:
        try:
            answer = unpack(future.result())
        except import_module("distributed").KilledWorker:
            raise FileError(
                f"Workers ended again and again while they searched {self.files[shard].path}; "
                "there may be too little memory for this shard."
            ) from None
        raise_error(answer)
        return answer


class _Sent:
    """Tasks that are under way on a cluster.

    Dask sends the tasks of a worker that ends to others. But if none is left at that moment, a
    task that prefers a worker waits for that very one, although others start later and it may run
    on any. Such tasks are sent again without a preference, which happens once at most.
    """

    def __init__(self, store: DaskShards, job: str, tasks: dict[int, dict[str, Any]]) -> None:
        self.store, self.job, self.tasks = store, job, tasks
        self.every: list[Any] = []
        self.shards: dict[Any, int] = {}  # by future
        self.preferred: dict[Any, str] = {}
        self.alone_since: float | None = None
        workers = self._workers()
        for shard in tasks:
            self._send(shard, workers[shard % len(workers)] if workers else None)

    def _workers(self) -> list[str]:
        return sorted(self.store.engine.scheduler_info(n_workers=-1)["workers"])

    def _send(self, shard: int, worker: str | None) -> None:
        own = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        future = self.store.engine.submit(
            answer_packed,
            request_for(self.job, self.store.files[shard], self.store.hidden.get(shard)),
            pack(on_one_thread(self.tasks[shard])),  # Dask says how many tasks run at a time
            pure=False,
            **own,
        )
        self.every.append(future)
        self.shards[future] = shard
        if worker is not None:
            self.preferred[future] = worker

    def ready(self) -> list[tuple[int, Any]]:
        """Wait for a moment, and return what is done by then: shards and futures."""
        wait = import_module("distributed").wait
        try:
            done = wait(list(self.shards), timeout=_MOMENT, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            self._look_after()
            return []
        self.alone_since = None
        return [(self.shards.pop(future), future) for future in done]

    def _look_after(self) -> None:
        """Send tasks again that wait for a worker which is gone; an error if all stay away."""
        workers = self._workers()
        if not workers:
            self._wait_for_workers()
            return
        self.alone_since = None
        for future in [one for one in self.shards if one in self.preferred]:
            if self.preferred[future] not in workers:
                future.release()
                self._send(self.shards.pop(future), None)

    def _wait_for_workers(self) -> None:
        now = monotonic()
        self.alone_since = self.alone_since or now
        if now - self.alone_since > NO_WORKERS:
            raise FileError(
                f"The Dask cluster has had no workers for {NO_WORKERS:.0f} seconds; start some, "
                "and ask again."
            )

    def release(self) -> None:
        """Let the cluster forget the tasks."""
        for future in self.every:
            future.release()


def is_client(on: Any) -> bool:
    """Return whether this is a Dask client; Dask is not imported to find out."""
    return any(
        one.__module__.partition(".")[0] == "distributed" and one.__name__ == "Client"
        for one in type(on).__mro__
    )


def check_cluster(client: Any) -> None:
    """Refuse workers that have another version, and warn about connections that others can read.

    Raises
    ------
    FileError
        If a worker has another version.
    """
    check_versions(client.run(versions))
    warn_if_open(str(client.scheduler.address), "Dask")
