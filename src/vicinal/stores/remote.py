"""What engines that run jobs on other machines have in common: versions, addresses, memory."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from ipaddress import ip_address
from urllib.parse import urlsplit
from warnings import warn

from vicinal.exceptions import FileError
from vicinal.stores.worker import PROTOCOL

#: The share of a worker's memory that shards may take, and that all may take; Dask lets workers
#: pause at 0.8. Without a limit shards take so much.
_SHARE, _MOST = 0.5, 0.7
_DEFAULT_BYTES = 1 << 30


def bytes_for_shards(limit: float | None, held: int = 0) -> int:
    """Return how much memory shards may take in a worker.

    Parameters
    ----------
    limit : float or None
        The memory that the worker may take, if it has a limit.
    held : int
        What it takes already.

    Examples
    --------
    >>> from vicinal.stores.remote import bytes_for_shards
    >>> bytes_for_shards(4 << 30) == 2 << 30, bytes_for_shards(None) == 1 << 30
    (True, True)
    >>> bytes_for_shards(400e6, held=200_000_000)
    80000000
    """
    if not limit:
        return _DEFAULT_BYTES
    return max(0, int(min(limit * _SHARE, limit * _MOST - held)))


def versions() -> tuple[str, int]:
    """Return the versions of the package and of its messages, to be compared."""
    return version("vicinal"), PROTOCOL


def check_versions(found: Mapping[str, tuple[str, int]]) -> None:
    """Refuse workers, given by name, that have another version than this process.

    Raises
    ------
    FileError
        If one has.
    """
    own = versions()
    for name, one in found.items():
        if tuple(one) != own:
            raise FileError(
                f"Worker {name} has vicinal {one[0]}, and this process {own[0]}; expected "
                "the same version everywhere."
            )


def warn_if_open(address: str, engine: str) -> None:
    """Warn about connections that others can read."""
    if not is_private(address):
        warn(
            f"The connection to {address} is not encrypted, and {engine} trusts whoever can reach "
            "it; use TLS unless the network is your own.",
            UserWarning,
            stacklevel=3,
        )


def is_private(address: str) -> bool:
    """Return whether nobody else can read or reach an address: encrypted, or on this machine.

    Examples
    --------
    >>> from vicinal.stores.remote import is_private
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
