"""Convert constructor arguments to JSON and back: numbers, strings, dates, lists and dicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vicinal.exceptions import FileError, ParameterError
from vicinal.schema.json_values import from_json, to_json
from vicinal.tables.values import to_python
from vicinal.validation import current_parameters

_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def write_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Turn constructor arguments into values that JSON can represent.

    Examples
    --------
    >>> from vicinal.model.settings_json import read_settings, write_settings
    >>> written = write_settings({"p": 1.0, "cyclic_features": {"hour": 24}})
    >>> written
    {'p': 1.0, 'cyclic_features': {'mapping': [['hour', 24]]}}
    >>> read_settings(written)
    {'p': 1.0, 'cyclic_features': {'hour': 24}}
    """
    return {name: _write(value, name) for name, value in settings.items()}


def read_settings(written: Any) -> dict[str, Any]:
    """Turn the output of `write_settings` back into arguments."""
    if not isinstance(written, dict):
        raise FileError("the settings are not a JSON object")
    settings = {name: _read(value) for name, value in written.items()}
    return current_parameters(settings, warned=False)


def _write(value: Any, name: str) -> Any:
    if value is None:
        return None
    if hasattr(value, "get_params"):  # some estimators can be iterated over
        raise FileError(
            f"{name} has a {type(value).__name__}, an estimator that a model file cannot hold, "
            "because such files contain no code. Fit with scores=True to save the model, or write "
            "it with joblib.dump or skops, and load such files only if you trust their source."
        )
    if isinstance(value, Mapping):
        return {"mapping": [[_write(k, name), _write(v, name)] for k, v in value.items()]}
    if isinstance(value, np.generic):
        value = to_python(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, tuple):
        return {"tuple": [_write(one, name) for one in value]}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_write(one, name) for one in value]
    try:
        return to_json(str(value) if isinstance(value, str) else value)
    except ParameterError:
        raise FileError(
            f"{name} is or holds a {type(value).__name__}, which cannot be saved; use plain "
            "numbers, strings, dates, lists and dicts."
        ) from None


def _read(written: Any) -> Any:
    if written is None:
        return None
    if isinstance(written, list):
        return [_read(one) for one in written]
    if isinstance(written, dict) and written.keys() == {"mapping"}:
        return {_read(key): _read(value) for key, value in written["mapping"]}
    if isinstance(written, dict) and written.keys() == {"tuple"}:
        return tuple(_read(one) for one in written["tuple"])
    if isinstance(written, dict) and written.keys() == {"float"}:
        return _FLOATS[written["float"]]
    return from_json(written)
