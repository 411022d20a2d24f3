"""Convert fitted attributes to JSON and named arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.model.settings_json import read_settings, write_settings
from vicinal.storage import StoredFile
from vicinal.tables.values import to_python
from vicinal.typing import Arrays

#: Dtypes of labels that are preserved; strings get the width they need.
_LABELS = {np.dtype(one).str for one in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")}
_LABELS |= {np.dtype(one).str for one in ("f2", "f4", "f8")}


def pack_attributes(attributes: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Turn attributes into JSON values, and add their arrays to `arrays`."""
    packed = {}
    for name, value in attributes.items():
        if isinstance(value, np.ndarray) and value.dtype in (np.int64, np.float64):
            arrays[f"estimator/{name.strip('_')}"] = value
            packed[name] = {"array": f"estimator/{name.strip('_')}"}
        elif isinstance(value, np.ndarray):
            packed[name] = _labels(value, name)
        else:
            packed[name] = write_settings({name: value})[name]
    return packed


def _labels(values: NDArray[Any], name: str) -> dict[str, Any]:
    listed = [to_python(value) for value in values.tolist()]
    kind = values.dtype.str if values.dtype.str in _LABELS else values.dtype.kind
    if values.ndim != 1 or (kind not in _LABELS and kind not in "UO"):
        raise FileError(f"{name} is an array of {values.dtype}, which cannot be saved.")
    return {"labels": write_settings({name: listed})[name], "dtype": kind}


def unpack_attribute(value: Any, file: StoredFile) -> Any:
    """Turn one value from `pack_attributes` back into an attribute."""
    if isinstance(value, dict) and value.keys() == {"array"}:
        return file.array(value["array"])
    if isinstance(value, dict) and value.keys() == {"labels", "dtype"}:
        listed = read_settings({"": value["labels"]})[""]
        if value["dtype"] == "O":
            labels = np.empty(len(listed), dtype=object)
            labels[:] = listed
            return labels
        if value["dtype"] == "U":
            return np.array(listed, dtype=np.str_)
        if value["dtype"] not in _LABELS:
            raise FileError("the labels have an unknown type")
        return np.array(listed, dtype=value["dtype"])
    return read_settings({"": value})[""]
