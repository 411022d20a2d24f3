"""Convert what was learned to plain values and arrays, and back, by the types of the fields.

Frozen dataclasses (metrics, ensembles, tunings, calibrations) become dicts of their fields. When
read back, every field must be present and have the type that its dataclass declares, so the result
is well-typed whatever a file contains. Whether the values make sense is checked elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.index.support import Support

_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class Packing:
    """Collects the arrays of the values it packs; repeated values are stored once.

    Parameters
    ----------
    prefix : str
        Prefix of the names of the arrays.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The arrays by name.
    """

    def __init__(self, prefix: str) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._prefix = prefix
        self._seen: dict[int, tuple[object, Any]] = {}

    def pack(self, value: Any) -> Any:  # noqa: PLR0911
        """Turn a value into one that JSON can represent, and collect its arrays.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.model.packing import Packing
        >>> packing = Packing("learned")
        >>> packing.pack((1, float("inf"), np.array([2.0])))
        [1, 'inf', {'array': 'learned/0'}]
        >>> packing.arrays
        {'learned/0': array([2.])}
        """
        # One type after another; a lookup table would hide the order of the checks.
        if value is None or isinstance(value, bool | str | int):
            return value
        if isinstance(value, float | np.floating):
            return float(value) if math.isfinite(value) else repr(float(value))
        if isinstance(value, np.bool_ | np.integer):
            return value.item()
        if isinstance(value, complex):
            return [self.pack(value.real), self.pack(value.imag)]
        if isinstance(value, np.ndarray):
            return self._once(value, self._pack_array)
        if isinstance(value, tuple | list):
            if value and all(isinstance(one, Support) for one in value):
                return self._once(value, self._pack_supports)
            return [self.pack(one) for one in value]
        if is_dataclass(value) and not isinstance(value, type):
            return {one.name: self.pack(getattr(value, one.name)) for one in fields(value)}
        raise FileError(f"A {type(value).__name__} cannot be saved.")

    def _once(self, value: Any, pack: Callable[[Any], Any]) -> Any:
        # Spaces share their supports. The value is stored, so its id is not reused.
        if id(value) not in self._seen:
            self._seen[id(value)] = (value, pack(value))
        return self._seen[id(value)][1]

    def _pack_array(self, array: NDArray[Any]) -> dict[str, str]:
        name = f"{self._prefix}/{len(self.arrays)}"
        wide: dict[str, Any] = {"b": np.uint8, "i": np.int64, "f": np.float64}
        keep = array.dtype in (np.uint8, np.uint64)
        self.arrays[name] = array if keep else array.astype(wide[array.dtype.kind], copy=False)
        return {"array": name}

    def _pack_supports(self, supports: tuple[Support, ...]) -> dict[str, Any]:
        sizes = np.array([len(one.points) for one in supports], dtype=np.int64)
        return {
            "points": self._pack_array(np.concatenate([one.points for one in supports])),
            "shares": self._pack_array(np.concatenate([one.shares for one in supports])),
            "sizes": self._pack_array(sizes),
        }


class Unpacking:
    """Turns the output of `Packing` back into values; shared arrays stay shared.

    Parameters
    ----------
    load : callable
        Returns an array by name.
    """

    def __init__(self, load: Callable[[str], NDArray[Any]]) -> None:
        self._load = load
        self._arrays: dict[tuple[str, np.dtype[Any]], NDArray[Any]] = {}
        self._supports: dict[tuple[str, ...], tuple[Support, ...]] = {}

    def unpack(self, kind: Any, packed: Any) -> Any:
        """Turn a value from JSON into one of the given type.

        Parameters
        ----------
        kind : type
            The expected type, as in the annotation of a field.
        packed : object
            The value from JSON.

        Raises
        ------
        FileError
            If the value has another type.

        Examples
        --------
        >>> from vicinal.model.packing import Unpacking
        >>> Unpacking({}.__getitem__).unpack(tuple[float, ...], [1.5, "inf"])
        (1.5, inf)
        """
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            [other] = [one for one in inner if one is not NoneType]
            return None if packed is None else self.unpack(other, packed)
        if kind in _PLAIN:
            return _PLAIN[kind](packed)
        if origin is np.ndarray:
            return self._array(packed, np.dtype(get_args(inner[1])[0]))
        if kind == tuple[Support, ...]:
            return self._all_supports(packed)
        if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(self.unpack(inner[0], one) for one in _listed(packed))
        if is_dataclass(kind):
            return self._record(kind, packed)
        raise FileError(f"values of {kind} cannot be read")

    def _record(self, kind: Any, packed: Any) -> Any:
        known = {one.name: one for one in fields(kind)}
        if not isinstance(packed, dict) or not packed.keys() <= known.keys():
            raise FileError(f"a {kind.__name__} has unexpected fields")
        hints = _hints(kind)
        given = {name: self.unpack(hints[name], one) for name, one in packed.items()}
        for name, one in known.items():
            # Fields added in later versions have defaults, which apply to earlier files.
            if name not in given and one.default is MISSING:
                raise FileError(f"a {kind.__name__} has no {name}")
        return kind(**given)

    def _array(self, packed: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        name = _name(packed)
        if (name, dtype) not in self._arrays:
            array = self._load(name)
            if array.dtype == np.uint8 and dtype.kind == "b":
                array = array != 0
            if array.dtype != dtype:
                raise FileError(f"an array has dtype {array.dtype}; expected {dtype}")
            self._arrays[name, dtype] = array
        return self._arrays[name, dtype]

    def _all_supports(self, packed: Any) -> tuple[Support, ...]:
        if not isinstance(packed, dict) or packed.keys() != {"points", "shares", "sizes"}:
            raise FileError("the distributions of the features have unexpected fields")
        key = tuple(_name(packed[part]) for part in ("points", "shares", "sizes"))
        if key not in self._supports:
            points = self._array(packed["points"], np.dtype(np.float64))
            shares = self._array(packed["shares"], np.dtype(np.float64))
            sizes = self._array(packed["sizes"], np.dtype(np.int64))
            fits = points.ndim == shares.ndim == sizes.ndim == 1 and (sizes >= 0).all()
            if not fits or not len(points) == len(shares) == sum(sizes.tolist()):
                raise FileError("the distributions of the features are inconsistent")
            ends = np.cumsum(sizes)[:-1]
            parts = map(Support, np.split(points, ends), np.split(shares, ends))
            self._supports[key] = tuple(parts)
        return self._supports[key]


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind, localns={"Support": Support})


def _name(packed: Any) -> str:
    if not isinstance(packed, dict) or not isinstance(packed.get("array"), str):
        raise FileError("an array has no name")
    return str(packed["array"])


def _listed(packed: Any) -> list[Any]:
    if not isinstance(packed, list):
        raise FileError(f"{str(packed)[:40]!r} is not a list")
    return packed


def _of_type(*types: type) -> Callable[[Any], Any]:
    def check(packed: Any) -> Any:
        if type(packed) not in types:
            raise FileError(f"{str(packed)[:40]!r} is not {types[0].__name__}")
        return packed

    return check


def _whole(packed: Any) -> int:
    number = _of_type(int)(packed)
    if abs(number) > 1 << 62:
        raise FileError(f"{str(number)[:40]} is too large")
    return int(number)


def _float(packed: Any) -> float:
    if isinstance(packed, str) and packed in _FLOATS:
        return _FLOATS[packed]
    return float(_of_type(float, int)(packed))


def _complex(packed: Any) -> complex:
    real, imaginary = _listed(packed)
    return complex(_float(real), _float(imaginary))


_PLAIN: dict[Any, Callable[[Any], Any]] = {
    bool: _of_type(bool),
    str: _of_type(str),
    int: _whole,
    float: _float,
    complex: _complex,
}
