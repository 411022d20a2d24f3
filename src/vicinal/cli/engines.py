"""Who searches a store: this process, several processes, or a cluster by its address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from vicinal.exceptions import ParameterError


@contextmanager
def engine(workers: int | None, address: str | None) -> Iterator[Any]:
    """Connect to a cluster, if there is an address, and give what ``on=`` of a store takes.

    Parameters
    ----------
    workers : int, optional
        Number of processes.
    address : str, optional
        A Dask scheduler such as ``tls://host:8786``, ``ray`` for the Ray cluster of this machine,
        or ``ray://host:10001``.
    """
    if address is None:
        yield workers
        return
    if workers is not None:
        raise ParameterError("--workers and --on exclude each other; a cluster has its own.")
    if address == "ray" or address.startswith("ray://"):
        ray = _installed("ray", "ray")
        with _connected(address):
            ray.init(address="auto" if address == "ray" else address, log_to_driver=False)
        try:
            yield "ray"
        finally:
            ray.shutdown()
    elif "://" in address:
        distributed = _installed("distributed", "dask")
        with _connected(address):
            client = distributed.Client(address, timeout="10s")
        with client:
            yield client
    else:
        raise ParameterError(
            f"--on {address}; expected the address of a Dask scheduler, such as "
            "tls://host:8786, or ray, or ray://host:10001."
        )


def _installed(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ParameterError(
            f"--on needs {module}, which is not installed: pip install 'vicinal[{extra}]'."
        ) from error


@contextmanager
def _connected(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ConnectionError, ValueError, RuntimeError) as error:
        message = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ParameterError(f"--on {address}: no cluster answers there ({message}).") from error
