"""A Model as a state in JSON and named arrays, and a Model made of them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.exceptions import FileError, VicinalError
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.metric import TermSettings
from vicinal.prediction.tuning import Tuning
from vicinal.model import soundness
from vicinal.model.changelog import ChangeLog
from vicinal.model.predicting import Learned
from vicinal.model.records import Packing, Unpacking
from vicinal.model.settings import read_settings, write_settings
from vicinal.model.staleness import Movement
from vicinal.prediction.conformal import Calibration
from vicinal.schema.schema import Schema
from vicinal.storage import parse_json
from vicinal.typing import Arrays, Floats

if TYPE_CHECKING:
    from vicinal.model import Model
    from vicinal.storage import StoredFile

__all__ = ["model_from_file", "model_parts"]

#: More categories than this stand in a member of their own, so that the header stays small.
_MANY = 200
#: Bytes of such a member, at most.
_MOST_TEXT = 1 << 28
#: What may be mapped: all that grows with n·d.
_MAPPED = ("values", "codes")


def model_parts(model: Model) -> tuple[dict[str, Any], Arrays]:
    """Return the state of a fitted Model and its arrays."""
    model._check_fitted()
    arrays = {f"cases/{name}": one for name, one in model.index_.to_arrays().items()}
    arrays |= {f"log/{name}": one for name, one in model.log_.to_arrays().items()}
    arrays |= {f"moved/{name}": one for name, one in model._movement.to_arrays().items()}
    names = model.schema_.names
    history = [[one[name] for name in names] for one in model.residual_history_]
    arrays["residuals/values"] = np.array([model.residuals_[name] for name in names])
    arrays["residuals/history"] = np.array(history)
    packing = Packing("learned")
    state = {
        "settings": write_settings(_settings(model)),
        "schema": _write_schema(model.schema_, arrays),
        "metric": packing.pack(model.metric_),
        "terms": packing.pack(model._settings),
        "residuals_converged": model.residuals_converged_,
        "residual_sample": list(model.residual_sample_),
        "targets": [
            {
                "columns": list(key),
                "tuning": packing.pack(learned.tuning),
                "calibration": packing.pack(learned.calibration),
            }
            for key, learned in model._learned.items()
        ],
    }
    return state, arrays | packing.arrays


def model_from_file(cls: type[Model], file: StoredFile, state: Any, *, thorough: bool) -> Model:
    """Make a Model of what a file holds.

    Raises
    ------
    FileError
        When it is not what `model_parts` gives: each part is of the type it must be, they fit
        each other, and the index is one that the kernels can take.
    """
    try:
        return _model(cls, file, state, thorough=thorough)
    except FileError:
        raise
    except (VicinalError, *_WRONG) as error:
        raise FileError(f"its content cannot be: {str(error)[:200]}") from error


#: What Python raises on values of wrong types, lengths and sizes.
_WRONG = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def _model(cls: type[Model], file: StoredFile, state: Any, *, thorough: bool) -> Model:
    if not isinstance(state, dict):
        raise FileError("it holds no model")
    settings = read_settings(state["settings"])
    model = cls(**{name: value for name, value in settings.items() if name in _names(cls)})
    soundness.check_settings(model)
    schema = _read_schema(state["schema"], file)
    d = len(schema)
    cases = {
        name: file.array(f"cases/{name}", mapped=name in _MAPPED)
        for name in [*_CASES, *(["weights"] if "cases/weights" in file else [])]
    }
    index = ExactIndex.from_arrays(cases, thorough=thorough)
    packed = Unpacking(file.array)
    terms: TermSettings = packed.unpack(TermSettings, state["terms"])
    metric: Metric = packed.unpack(Metric, state["metric"])
    soundness.check_terms(terms, cases["kinds"], schema)
    soundness.check_metric(metric, terms)
    model.schema_, model.metric_, model.index_, model._settings = schema, metric, index, terms
    model._forget()
    values, history = file.array("residuals/values"), file.array("residuals/history")
    if values.shape != (d,) or history.ndim != 2 or history.shape[1] != d:
        raise FileError("its residuals are not those of its features")
    model.residuals_ = _by_name(schema, values)
    model.residual_history_ = [_by_name(schema, one) for one in history]
    model.residuals_converged_ = packed.unpack(bool, state["residuals_converged"])
    queries, reference = packed.unpack(tuple[int, ...], state["residual_sample"])
    model.residual_sample_ = (queries, reference)
    model.log_ = ChangeLog.from_arrays(_group(file, "log", _LOG))
    model._movement = Movement.from_arrays(_group(file, "moved", _MOVED), d)
    for one in state["targets"]:
        key = packed.unpack(tuple[int, ...], one["columns"])
        tuning: Tuning = packed.unpack(Tuning, one["tuning"])
        calibration = packed.unpack(Calibration | None, one["calibration"])
        soundness.check_target(key, tuning, calibration, terms, len(cases["row_of"]))
        # The target itself is summed up when it is asked for.
        model._learned[key] = Learned(soundness.no_target(key[0]), tuning, calibration)
    return model


_CASES = ("values", "row_of", "codes", "summary", "bins", "edges", "lacking", "kinds", "scales")
_LOG = ("when", "action", "first", "count", "others")
_MOVED = ("edges", "nominal", "counts", "touched", "cells", "masses")


def _names(cls: type) -> list[str]:
    return [name for name in signature(cls).parameters if name != "self"]


def _settings(model: Model) -> dict[str, Any]:
    return {name: getattr(model, name) for name in _names(type(model))}


def _group(file: StoredFile, prefix: str, names: tuple[str, ...]) -> Arrays:
    return {name: file.array(f"{prefix}/{name}") for name in names}


def _by_name(schema: Schema, values: Floats) -> dict[str, float]:
    return dict(zip(schema.names, values.tolist(), strict=True))


def _write_schema(schema: Schema, arrays: Arrays) -> dict[str, Any]:
    saved = schema.to_dict()
    for place, feature in enumerate(saved["features"]):
        if len(feature.get("categories", ())) > _MANY:
            name = f"categories/{place}"
            text = json.dumps(feature["categories"], allow_nan=False).encode()
            arrays[name] = np.frombuffer(text, dtype=np.uint8)
            feature["categories"] = {"member": name}
    return saved


def _read_schema(saved: Any, file: StoredFile) -> Schema:
    for feature in saved["features"]:
        given = feature.get("categories")
        if isinstance(given, Mapping):
            text = file.array(given["member"])
            if text.dtype != np.uint8 or text.size > _MOST_TEXT:
                raise FileError("the categories of a feature are no text, or too long")
            feature["categories"] = parse_json(text.tobytes())
    return Schema.from_dict(saved)
