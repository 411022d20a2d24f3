"""Estimators in files: their parameters, what they learned, and their Model."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vicinal.exceptions import FileError, VicinalError
from vicinal.model.files import model_from_file, model_parts
from vicinal.model.model import Model
from vicinal.model.settings_json import read_settings, write_settings
from vicinal.storage import StoredFile, write_file
from vicinal.tables.values import to_python

__all__ = ["SavedEstimator"]

#: Dtypes of labels that are kept; strings are as long as they need to be.
_LABELS = {np.dtype(one).str for one in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")}
_LABELS |= {np.dtype(one).str for one in ("f2", "f4", "f8")}


class SavedEstimator:
    """Base of the estimators that can be saved, which is to say all."""

    #: Attributes that are made again when they are needed.
    _unsaved: ClassVar[frozenset[str]] = frozenset({"model_"})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator to a file, which `vicinal.load` reads.

        The file holds the training data; it is data, not code, and can be loaded from anyone.

        Parameters
        ----------
        path : path
            Where to. A file that is there is replaced, at once.
        """
        check_is_fitted(self)
        model: Model = self.model_  # type: ignore[attr-defined]
        state, arrays = model_parts(model)
        parameters: dict[str, Any] = self.get_params(deep=False)  # type: ignore[attr-defined]
        learned = {}
        for name, value in vars(self).items():
            if name in parameters or name in self._unsaved:
                continue
            if isinstance(value, np.ndarray) and value.dtype in (np.int64, np.float64):
                arrays[f"estimator/{name.strip('_')}"] = value
                learned[name] = {"array": f"estimator/{name.strip('_')}"}
            elif isinstance(value, np.ndarray):
                learned[name] = _labels(value, name)
            else:
                learned[name] = write_settings({name: value})[name]
        whole = {"parameters": write_settings(parameters), "learned": learned, "model": state}
        write_file(path, type(self).__name__, version("vicinal"), whole, arrays)

    @classmethod
    def _from_file(cls, file: StoredFile, state: Any, *, thorough: bool) -> Self:
        model = model_from_file(Model, file, state.get("model"), thorough=thorough)
        try:
            made = cls(**read_settings(state["parameters"]))
            made._take(state["learned"], file)
            made.model_ = model  # type: ignore[attr-defined]
            made._check_loaded()
        except FileError:
            raise
        except (VicinalError, TypeError, ValueError, LookupError, AttributeError) as error:
            raise FileError(f"its estimator cannot be: {str(error)[:200]}") from error
        return made

    def _take(self, learned: Any, file: StoredFile) -> None:
        for name, value in learned.items():
            # Only what an estimator keeps; never a method or something of Python's own.
            if not name.isidentifier() or name.startswith("__") or hasattr(type(self), name):
                raise FileError(f"an estimator has no attribute {name[:40]!r}")
            setattr(self, name, _attribute(value, file))

    def _check_loaded(self) -> None:
        """Refuse attributes that do not fit each other; each estimator adds its own."""


def _labels(values: NDArray[Any], name: str) -> dict[str, Any]:
    listed = [to_python(value) for value in values.tolist()]
    kind = values.dtype.str if values.dtype.str in _LABELS else values.dtype.kind
    if values.ndim != 1 or (kind not in _LABELS and kind not in "UO"):
        raise FileError(f"{name} is an array of {values.dtype}, which cannot be saved.")
    return {"labels": write_settings({name: listed})[name], "dtype": kind}


def _attribute(value: Any, file: StoredFile) -> Any:
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
            raise FileError("its labels are of a type that is not known")
        return np.array(listed, dtype=value["dtype"])
    return read_settings({"": value})[""]
