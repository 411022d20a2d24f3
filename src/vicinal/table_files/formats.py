"""The format of a file, and the libraries that some formats need."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from vicinal.exceptions import ParameterError, TableError, did_you_mean
from vicinal.table_files.compression import plain_name

#: The formats of tables, and those of them whose cells have no type.
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
TEXT_FORMATS = ("csv", "tsv")
MODEL_SUFFIX = ".vicinal"
STORE_SUFFIX = ".vicinal.d"

_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of a table: the one that was given, or else by the suffix of its file."""
    if given is not None:
        return given
    if path == "-":
        return "csv"
    suffix = Path(plain_name(path)).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ParameterError(
            f"{path}: unknown file format; use one of the suffixes {', '.join(_SUFFIXES)} (also "
            "before .gz, .bz2 or .xz), or set --format (--output-format for an output)."
            + did_you_mean(suffix, _SUFFIXES)
        )
    return _SUFFIXES[suffix]


def is_model(path: str) -> bool:
    """Tell whether a file or folder is a saved model, by its name or by its first bytes."""
    if path == "-":
        return False
    if path.rstrip("/").endswith(STORE_SUFFIX):
        return True
    if Path(path).suffix.lower() == MODEL_SUFFIX:
        return True
    if Path(plain_name(path)).suffix.lower() in _SUFFIXES or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def columnar_library(kind: str) -> ModuleType:
    """Import the library that reads and writes Parquet and Arrow: pyarrow, else polars."""
    for name in ("pyarrow", "polars"):
        if find_spec(name) is not None:
            return import_module(name)
    raise ParameterError(
        f"{kind} tables need pyarrow or polars, and neither is installed; "
        "install one with: pip install pyarrow"
    )


def complaint(path: str, kind: str, action: Callable[[], Any]) -> Any:
    """Call a columnar library, with its errors as one of ours."""
    try:
        return action()
    except Exception as error:  # each library has its own family of errors
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise TableError(f"{path} is not a valid {kind} file: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return the first line of a message, or what kind of error it is."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
