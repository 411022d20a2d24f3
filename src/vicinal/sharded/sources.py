"""Tables in parts: files of several formats, or dataframes one after the other."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from vicinal.exceptions import TableError
from vicinal.tables.table import Table, read_table

#: Rows that are read at a time.
BLOCK = 1 << 16

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".csv": "csv",
}


def read_parts(source: Any) -> Iterator[Table]:
    """Read a table block by block.

    Parameters
    ----------
    source : path, pattern, list of them, dask dataframe, or iterable of tables
        Files (Parquet, Feather or Arrow, CSV) by name or by a pattern such as ``rows/*.parquet``,
        in the order of their names; or tables one after the other, such as dataframes of pandas
        or polars. They have the same columns.

    Raises
    ------
    TableError
        If there are no rows, or the columns of the parts differ.
    """
    names: tuple[str, ...] | None = None
    for number, part in enumerate(_parts(source)):
        table = read_table(part)
        if names is None:
            names = table.names
        if set(table.names) != set(names):
            odd = sorted(set(table.names) ^ set(names))
            raise TableError(
                f"Part {number} has the columns {', '.join(map(repr, table.names))}; expected the "
                f"same as in the first part, which differs in {odd[0]!r}."
            )
        if len(table):
            yield table


def _parts(source: Any) -> Iterator[Any]:
    if isinstance(source, str | os.PathLike):
        source = [source]
    elif hasattr(source, "partitions") and hasattr(source, "npartitions"):
        # A dask dataframe: one partition at a time is computed, and forgotten.
        yield from (source.partitions[at].compute() for at in range(source.npartitions))
        return
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise TableError(
            f"Got a {type(source).__name__}; expected files, a dask dataframe, or tables one "
            "after the other, such as [table]."
        )
    for part in source:
        if isinstance(part, str | os.PathLike):
            for path in _files(part):
                yield from _blocks_of_file(path)
        else:
            yield part


def _files(pattern: str | os.PathLike[str]) -> list[Path]:
    path = Path(pattern)
    if path.is_dir():
        found = sorted(one for one in path.iterdir() if one.suffix in _FORMATS)
    elif path.exists():
        found = [path]
    else:
        found = sorted(map(Path, glob.glob(str(pattern))))  # noqa: PTH207 (absolute patterns)
    if not found:
        raise TableError(
            f"There is no file {str(pattern)!r}; expected files that end in "
            f"{', '.join(sorted(_FORMATS))}, or a folder of them."
        )
    return found


def _blocks_of_file(path: Path) -> Iterator[Any]:
    """Read a file in blocks, as pyarrow tables."""
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise TableError(
            f"{path} ends in {path.suffix!r}; expected one of {', '.join(sorted(_FORMATS))}."
        )
    try:
        arrow = import_module("pyarrow")
    except ImportError as error:
        raise TableError(f"To read {path}, install pyarrow: pip install pyarrow.") from error
    try:
        for batch in _READERS[kind](path):
            if batch.num_rows:
                yield arrow.Table.from_batches([batch])
    except (arrow.ArrowException, OSError) as error:
        raise TableError(f"{path} cannot be read as {kind}: {error}") from error
    arrow.default_memory_pool().release_unused()


def _parquet(path: Path) -> Iterator[Any]:
    with import_module("pyarrow.parquet").ParquetFile(path) as file:
        yield from file.iter_batches(batch_size=BLOCK, use_threads=False)


def _feather(path: Path) -> Iterator[Any]:
    with import_module("pyarrow.ipc").open_file(path) as file:
        yield from (file.get_batch(number) for number in range(file.num_record_batches))


def _csv(path: Path) -> Iterator[Any]:
    with import_module("pyarrow.csv").open_csv(path) as file:
        yield from file


_READERS: dict[str, Callable[[Path], Iterator[Any]]] = {
    "parquet": _parquet,
    "feather": _feather,
    "csv": _csv,
}
