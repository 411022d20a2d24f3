"""Shards asked by the workers of a Dask cluster.

Workers must see the files of the store under the same path. Dask pickles its own messages, so all
its machines must trust each other; what we send are bytes of our own, which nobody unpickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Self

from vicinal.exceptions import FileError
from vicinal.stores.packets import pack, unpack
from vicinal.stores.remote import bytes_for_shards, check_versions, versions, warn_if_open
from vicinal.stores.shard_files import ShardFile
from vicinal.stores.split_tree import SplitTree
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering, on_one_thread, raise_error, request_for
from vicinal.typing import Arrays, Ints

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
            limit = import_module("distributed").get_worker().memory_manager.memory_limit
        except (ValueError, AttributeError):
            limit = None
        _answering = Answering(mapped=False, most_bytes=bytes_for_shards(limit))
    return _answering


class DaskShards(StoredShards):
    """Shards in files, asked by the workers of a cluster.

    A shard is asked of the same worker as far as it goes, so that it stays in its memory, but any
    other may take over. If a worker ends, its tasks are sent again.
    """

    def __init__(
        self,
        files: Sequence[ShardFile],
        hidden: dict[int, Ints] | None = None,
        tree: SplitTree | None = None,
        *,
        client: Any,
        checked: bool = False,
    ) -> None:
        super().__init__(files, hidden, tree)
        self.client = client
        if not checked:
            check_cluster(client)

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards; answers come as they are ready."""
        dask = import_module("distributed")
        workers = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        futures = {}
        for shard, arguments in tasks:
            # Workers may be unknown for a moment, while all of them start again.
            own: dict[str, Any] = {}
            if workers:
                own = {"workers": [workers[shard % len(workers)]], "allow_other_workers": True}
            future = self.client.submit(
                answer_packed,
                request_for(job, self.files[shard], self.hidden.get(shard)),
                pack(on_one_thread(arguments)),  # Dask says how many tasks run at a time
                pure=False,
                **own,
            )
            futures[future] = shard
        try:
            for future in dask.as_completed(list(futures)):
                try:
                    answer = unpack(future.result())
                except dask.KilledWorker:
                    path = self.files[futures[future]].path
                    raise FileError(
                        f"Workers ended again and again while they searched {path}; there may be "
                        "too little memory for this shard."
                    ) from None
                raise_error(answer)
                yield futures[future], answer
        finally:
            for future in futures:
                future.release()

    def _with(self, files: Sequence[ShardFile], hidden: dict[int, Ints]) -> Self:
        return type(self)(files, hidden, self.tree, client=self.client, checked=True)


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
