"""Arguments and answers as bytes: names, numbers, arrays and metrics, and nothing else."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.index.metric import Metric
from vicinal.index.support import Support

_LENGTH = struct.Struct("<Q")
_DTYPES = {name: np.dtype(name) for name in ("<f8", "<f4", "<i8", "<u8", "<u2", "|u1", "|b1")}


def pack(values: dict[str, Any]) -> bytes:
    """Write values by name.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.stores.packets import pack, unpack
    >>> unpack(pack({"k": 3, "ceilings": np.array([1.5, np.inf])}))
    {'k': 3, 'ceilings': array([1.5, inf])}
    """
    arrays: list[NDArray[Any]] = []
    described = {name: _described(value, arrays) for name, value in values.items()}
    head = json.dumps(described, allow_nan=False).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *(array.tobytes() for array in arrays)])


def _described(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, Metric):
        return {"metric": {name: _described(one, arrays) for name, one in _parts(value).items()}}
    if isinstance(value, float | np.floating):
        value = np.array(float(value))  # so that no bit is lost
    if isinstance(value, np.ndarray):
        plain = np.ascontiguousarray(value)
        dtype = plain.dtype.newbyteorder("<").str
        if dtype not in _DTYPES:
            raise FileError(f"An array of {value.dtype} cannot be sent.")
        arrays.append(plain.astype(dtype, copy=False))
        return {"dtype": dtype, "shape": list(value.shape)}
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, int | str) or value is None:
        return value
    raise FileError(f"A {type(value).__name__} cannot be sent.")


def _parts(metric: Metric) -> dict[str, Any]:
    parts = {one.name: getattr(metric, one.name) for one in fields(metric)}
    supports = parts.pop("supports")
    parts["sizes"] = np.array([len(one.points) for one in supports], dtype=np.int64)
    for name in ("points", "shares"):
        parts[name] = np.concatenate([np.empty(0), *(getattr(one, name) for one in supports)])
    return parts


def unpack(raw: bytes) -> dict[str, Any]:
    """Read what `pack` wrote.

    Raises
    ------
    FileError
        If the bytes are something else.
    """
    try:
        [length] = _LENGTH.unpack_from(raw)
        described = json.loads(raw[_LENGTH.size : _LENGTH.size + length])
        reader = _Reader(raw, _LENGTH.size + length)
        values = {name: reader.read(one) for name, one in described.items()}
    except (ValueError, TypeError, LookupError, AttributeError, struct.error) as error:
        raise FileError(f"a message is damaged: {str(error)[:80]}") from None
    if reader.at != len(raw):
        raise FileError("a message has extra bytes")
    return values


class _Reader:
    """Reads arrays one after the other."""

    def __init__(self, raw: bytes, at: int) -> None:
        self.raw, self.at = raw, at

    def read(self, described: Any) -> Any:
        if not isinstance(described, dict):
            return described
        if "metric" in described:
            return _metric({name: self.read(one) for name, one in described["metric"].items()})
        dtype, shape = _DTYPES[described["dtype"]], tuple(map(int, described["shape"]))
        count = math.prod(shape)
        if min(shape, default=0) < 0 or self.at + count * dtype.itemsize > len(self.raw):
            raise ValueError("an array is longer than the message")
        array = np.frombuffer(self.raw, dtype, count, self.at).reshape(shape).copy()
        self.at += count * dtype.itemsize
        return array


def _metric(parts: dict[str, Any]) -> Metric:
    ends = np.cumsum(parts.pop("sizes"))[:-1]
    points, shares = np.split(parts.pop("points"), ends), np.split(parts.pop("shares"), ends)
    supports = tuple(map(Support, points, shares))
    return Metric(**{**parts, "p": float(parts["p"])}, supports=supports)
