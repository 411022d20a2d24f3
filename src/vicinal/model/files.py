"""Convert a Model to JSON state and named arrays, and back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.columns import DerivedColumns
from vicinal.exceptions import FileError, VicinalError
from vicinal.fitted import Fitted
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.influence.tuning import Tuning
from vicinal.model import file_checks
from vicinal.model.changelog import ChangeLog
from vicinal.model.packing import Packing, Unpacking
from vicinal.model.settings_json import read_settings, write_settings
from vicinal.model.staleness import Movement
from vicinal.model.updates import History
from vicinal.prediction.conformal import Calibration
from vicinal.prediction.predictor import Predictor
from vicinal.schema.json_values import from_json, to_json
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.storage import parse_json, write_file
from vicinal.tables.case_labels import CaseLabels
from vicinal.typing import Arrays

if TYPE_CHECKING:
    from vicinal.model.model import Model
    from vicinal.storage import StoredFile

#: Longer lists of categories get a separate member, which keeps the header small.
_MANY = 200
_LISTED = ("categories", "classes")
#: Maximum size of such a member in bytes.
_MOST_TEXT = 1 << 28
#: Arrays that can be memory-mapped: those whose size grows with n·d.
_MAPPED = ("values", "codes")


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model to a file; see `Model.save`."""
    state, arrays = model_parts(model)
    write_file(path, "Model", version("vicinal"), state, arrays)


def model_parts(model: Model, cases: Arrays | None = None) -> tuple[dict[str, Any], Arrays]:
    """Return the state of a fitted Model and its arrays; `cases` stands for those of its index."""
    fitted, history = model._ready(), model._history
    order = fitted.schema.table_order
    groups = {
        "cases": fitted.index.gathered().to_arrays() if cases is None else cases,
        "log": history.log.to_arrays(),
        "moved": history.movement.to_arrays(),
    }
    arrays = {
        f"{group}/{name}": one for group, kept in groups.items() for name, one in kept.items()
    }
    arrays["residuals/values"] = fitted.residuals[order]
    arrays["residuals/history"] = np.array([one[order] for one in fitted.residual_history])
    packing = Packing("learned")
    state = {
        "settings": write_settings(vars(fitted.settings)),
        "schema": _write_schema(fitted.schema, arrays),
        "metric": packing.pack(fitted.metric),
        "terms": packing.pack(fitted.terms),
        "residuals_converged": fitted.residuals_converged,
        "residual_sample": list(fitted.residual_sample),
        "targets": [
            {
                "columns": list(key),
                "tuning": packing.pack(predictor.tuning),
                "calibration": packing.pack(predictor.known_calibration),
                "derived": packing.pack(predictor.derived),
            }
            for key, predictor in fitted.learned.items()
        ],
    }
    if fitted.labels.kept:
        state["labels"] = _write_labels(fitted.labels, arrays)
    return state, arrays | packing.arrays


def model_from_file(cls: type[Model], file: StoredFile, state: Any, *, thorough: bool) -> Model:
    """Build a Model from the contents of a file.

    Raises
    ------
    FileError
        If the contents do not match the format of `model_parts`: types, consistency of the
        parts, and an index that is safe for the kernels are checked.
    """
    cases = {
        name: file.array(f"cases/{name}", mapped=name in _MAPPED)
        for name in [*_CASES, *(["weights"] if "cases/weights" in file else [])]
    }
    return model_with_index(
        cls, file, state, lambda: ExactIndex.from_arrays(cases, thorough=thorough)
    )


def model_with_index(
    cls: type[Model], file: StoredFile, state: Any, index: Callable[[], Index]
) -> Model:
    """Build a Model from the contents of a file, with an index that is made when they are checked.

    Raises
    ------
    FileError
        As in `model_from_file`.
    """
    try:
        return _model(cls, file, state, index)
    except FileError:
        raise
    except (VicinalError, *_WRONG) as error:
        raise FileError(f"the file is damaged: {str(error)[:200]}") from error


#: Exceptions that Python raises for values of the wrong type, length or size.
_WRONG = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def _model(
    cls: type[Model], file: StoredFile, state: Any, make_index: Callable[[], Index]
) -> Model:
    if not isinstance(state, dict):
        raise FileError("it does not contain a model")
    settings = read_settings(state["settings"])
    known = {one.name for one in fields(Settings)}
    model = cls(**{name: value for name, value in settings.items() if name in known})
    file_checks.check_settings(model)
    schema = _read_schema(state["schema"], file)
    d = len(schema)
    index = make_index()
    packed = Unpacking(file.array)
    terms: TermSettings = packed.unpack(TermSettings, state["terms"])
    metric: Metric = packed.unpack(Metric, state["metric"])
    file_checks.check_terms(terms, index.kinds, schema)
    file_checks.check_metric(metric, terms)
    values, rounds = file.array("residuals/values"), file.array("residuals/history")
    if values.shape != (d,) or rounds.ndim != 2 or rounds.shape[1] != d:
        raise FileError("the residuals do not match the features")
    queries, reference = packed.unpack(tuple[int, ...], state["residual_sample"])
    place = np.argsort(schema.table_order)
    fitted = Fitted(
        schema,
        metric,
        terms,
        index,
        model._settings(),
        residuals=values[place],
        residual_history=tuple(one[place] for one in rounds),
        residuals_converged=packed.unpack(bool, state["residuals_converged"]),
        residual_sample=(queries, reference),
        labels=_read_labels(state.get("labels"), file, index),
    )
    for one in state["targets"]:
        key = packed.unpack(tuple[int, ...], one["columns"])
        tuning: Tuning = packed.unpack(Tuning, _current_rules(one["tuning"]))
        calibration = packed.unpack(Calibration | None, one["calibration"])
        # Files of earlier versions have no derived columns.
        derived = packed.unpack(DerivedColumns | None, one.get("derived"))
        if derived is not None:
            file_checks.check_derived(derived, d)
            derived = derived.with_shares_of_scores()
        extended = terms if derived is None else derived.terms(terms)
        file_checks.check_target(key, tuning, calibration, extended, index.next_number)
        if derived is not None:
            file_checks.check_context(key, derived, tuning.ensemble)
        context = np.array(key[1:], dtype=np.intp)
        fitted.learned[key] = Predictor(fitted, key[0], context, tuning, calibration, derived)
    model._fitted = fitted
    model._history = History(fitted, ChangeLog.from_arrays(_group(file, "log", _LOG)))
    model._history.movement = Movement.from_arrays(_group(file, "moved", _MOVED), d)
    return model


def _current_rules(packed: Any) -> Any:
    """Replace the old spelling of the influence rule wherever a record has one."""
    if isinstance(packed, list):
        return [_current_rules(one) for one in packed]
    if not isinstance(packed, dict):
        return packed
    renewed = {name: _current_rules(one) for name, one in packed.items()}
    return {**renewed, "rule": "centered"} if packed.get("rule") == "centred" else renewed


_CASES = ("values", "row_of", "codes", "summary", "bins", "edges", "lacking", "kinds", "scales")
_LOG = ("when", "action", "first", "count", "others")
_MOVED = ("edges", "nominal", "counts", "touched", "cells", "masses")


def _group(file: StoredFile, prefix: str, names: tuple[str, ...]) -> Arrays:
    return {name: file.array(f"{prefix}/{name}") for name in names}


def _write_labels(labels: CaseLabels, arrays: Arrays) -> dict[str, Any]:
    numbers, names = labels.by_number()
    arrays["labels/numbers"] = numbers
    arrays["labels/names"] = _text([to_json(name) for name in names])
    return {"column": labels.column}


def _read_labels(saved: Any, file: StoredFile, index: Index) -> CaseLabels:
    if saved is None:
        return CaseLabels()
    numbers = file.array("labels/numbers")
    listed = _parsed(file.array("labels/names"), "labels of the cases")
    if not isinstance(listed, list):
        raise FileError("the labels of the cases are not a list")
    names = [from_json(name) for name in listed]
    file_checks.check_labels(saved["column"], numbers, names, index)
    return CaseLabels(numbers.tolist(), names, saved["column"], kept=True)


def _text(value: Any) -> NDArray[np.uint8]:
    """Return JSON as an array of bytes, for what would make the header long."""
    text = json.dumps(value, allow_nan=False).encode()
    if len(text) > _MOST_TEXT:
        raise FileError(
            f"The names of cases or categories take {len(text)} bytes; expected at most "
            f"{_MOST_TEXT}. Use shorter ones."
        )
    return np.frombuffer(text, dtype=np.uint8)


def _parsed(text: NDArray[Any], what: str) -> Any:
    if text.dtype != np.uint8 or text.size > _MOST_TEXT:
        raise FileError(f"the {what} are not text, or too long")
    return parse_json(text.tobytes())


def _write_schema(schema: Schema, arrays: Arrays) -> dict[str, Any]:
    saved = schema.to_dict()
    for place, feature in enumerate(saved["features"]):
        for listed in _LISTED:
            if len(feature.get(listed, ())) > _MANY:
                name = f"{listed}/{place}"
                arrays[name] = _text(feature[listed])
                feature[listed] = {"member": name}
    return saved


def _read_schema(saved: Any, file: StoredFile) -> Schema:
    for feature in saved["features"]:
        for listed in _LISTED:
            given = feature.get(listed)
            if isinstance(given, Mapping):
                feature[listed] = _parsed(file.array(given["member"]), f"{listed} of a feature")
    return Schema.from_dict(saved)
