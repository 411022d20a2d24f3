"""Shards asked by the workers of a Dask cluster.

Workers must see the files of the store under the same path. Dask pickles its own messages, so all
its machines must trust each other; what we send are bytes of our own, which nobody unpickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, Self
from urllib.parse import urlsplit
from warnings import warn

import numpy as np

from vicinal.exceptions import FileError
from vicinal.stores.packets import pack, unpack
from vicinal.stores.shard_files import ShardFile
from vicinal.stores.split_tree import SplitTree
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import PROTOCOL, Answering, raise_error
from vicinal.typing import Arrays, Ints

#: The share of a worker's memory that shards may take.
_SHARE = 0.5
_DEFAULT_BYTES = 1 << 30
_NONE = np.empty(0, dtype=np.int64)

#: The shards that a worker keeps in memory.
_answering: Answering | None = None


def answer_packed(request: bytes, arguments: bytes) -> bytes:
    """Run a job on a worker.

    Shards are read, not mapped: Dask counts mapped files as memory that a worker takes, and ends
    workers that take too much.
    """
    global _answering  # noqa: PLW0603 (one for all tasks of the process)
    if _answering is None:
        _answering = Answering(mapped=False, most_bytes=_allowed_bytes())
    return _answering.answer(unpack(request), unpack(arguments))


def _allowed_bytes() -> int:
    try:
        limit = import_module("distributed").get_worker().memory_manager.memory_limit
    except (ValueError, AttributeError):
        limit = None
    return int(limit * _SHARE) if limit else _DEFAULT_BYTES


def versions() -> tuple[str, int]:
    """Return the versions of the package and of its messages, to be compared."""
    return version("vicinal"), PROTOCOL


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
            if "threads" in arguments:
                arguments = {**arguments, "threads": 1}  # Dask says how many tasks run at a time
            future = self.client.submit(
                answer_packed,
                self._request(job, shard),
                pack(arguments),
                pure=False,
                workers=[workers[shard % len(workers)]] if workers else None,
                allow_other_workers=True,
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

    def _request(self, job: str, shard: int) -> bytes:
        file = self.files[shard]
        return pack(
            {
                "job": job,
                "path": str(file.path.resolve()),
                "digest": file.digest or "",
                "hidden": self.hidden.get(shard, _NONE),
            }
        )

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
    own = versions()
    for address, found in client.run(versions).items():
        if tuple(found) != own:
            raise FileError(
                f"Worker {address} has vicinal {found[0]}, and this process {own[0]}; expected "
                "the same version everywhere."
            )
    address = str(client.scheduler.address)
    if not is_private(address):
        warn(
            f"The connection to {address} is not encrypted, and Dask trusts whoever can reach it; "
            "use TLS (tls://) unless the network is your own.",
            UserWarning,
            stacklevel=2,
        )


def is_private(address: str) -> bool:
    """Return whether nobody else can read or reach an address: encrypted, or on this machine.

    Examples
    --------
    >>> from vicinal.stores.dask_shards import is_private
    >>> is_private("tls://10.0.0.7:8786"), is_private("tcp://127.0.0.1:1"), is_private("tcp://a:1")
    (True, True, False)
    """
    parts = urlsplit(address)
    if parts.scheme in ("tls", "wss", "inproc"):
        return True
    try:
        return ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname == "localhost"
