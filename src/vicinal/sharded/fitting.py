"""Fit a table in parts, in bounded memory, and write a store."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np

from vicinal.exceptions import FeatureError, IgnoredColumnWarning, ParameterError, did_you_mean
from vicinal.index.bins import choose_edges
from vicinal.index.large_sample import sample_large
from vicinal.learning.fit import fit_values, table_schema
from vicinal.learning.reference import MOST_REFERENCE, Reference
from vicinal.model.changelog import ChangeLog
from vicinal.model.model import Model
from vicinal.model.store import moved, save_store
from vicinal.progress import track
from vicinal.schema.encode import encode
from vicinal.schema.limits import check_spans
from vicinal.schema.ranges import check_bounds
from vicinal.schema.roles import HOW_TO_USE, ignored_text
from vicinal.schema.schema import Schema
from vicinal.sharded.sources import read_parts
from vicinal.sharded.spool import spool
from vicinal.stores.build import build_shards, default_rows, pilot_size
from vicinal.stores.manifest import NAME, SUFFIX, belongs
from vicinal.tables.case_labels import CaseLabels
from vicinal.tables.reading_labels import labels_of_fit
from vicinal.tables.table import Table
from vicinal.typing import Floats, Places
from vicinal.validation import check_parameter, check_parameters, checked_weights

#: Rows that are encoded at a time.
_BLOCK = 1 << 16
#: Cases that can have labels, which are kept in memory.
MOST_LABELS = 5_000_000


def fit(
    source: Any,
    *,
    store: str | os.PathLike[str],
    settings: Model | None = None,
    id: str | None = None,  # noqa: A002
    sample_weight: str | None = None,
    shard_rows: int | None = None,
    on: Any = None,
) -> Model:
    """Fit a table of any size, part by part, and keep its cases on disk.

    The result is the same, to the last bit, as that of ``Model.fit`` on the whole table.

    Parameters
    ----------
    source : path, pattern, list of them, dask dataframe, or iterable of tables
        Parquet, Feather (Arrow) or CSV files, such as ``"rows/*.parquet"``; or tables one after
        the other, such as dataframes of pandas or polars. All have the same columns.
    store : path
        The folder to write, by convention ending in ``.vicinal.d``. A store that is there already
        is replaced when the new one is complete.
    settings : Model, optional
        A Model whose parameters are used; by default ``Model()``.
    id : str, optional
        The column that says what each case is called, as in ``Model.fit``. Labels are kept in
        memory, so there can be at most 5,000,000. By default cases go by their numbers.
    sample_weight : str, optional
        The column that has the weight of each case; it is not a feature.
    shard_rows : int, optional
        About how many cases a shard has, at most; by default as many as take 0.5 GB to build.
    on : int, dask.distributed.Client or "ray", optional
        The number of processes that search the shards, a Dask cluster, or the Ray cluster that
        this process is connected to; its workers must see the same files. By default this process.

    Returns
    -------
    Model
        A Model whose cases stay in the store.

    Notes
    -----
    While it runs, the folder holds the table twice more. Memory holds one shard, three bytes per
    case, and the distinct texts of each column; with `sample_weight` or `id`, these columns, too.

    Examples
    --------
    >>> import tempfile, vicinal
    >>> parts = [{"height": [1.0, 1.1, 3.0]}, {"height": [3.2, 1.2]}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = vicinal.sharded.fit(parts, store=f"{folder}/heights.vicinal.d")
    ...     model.neighbors({"height": [3.1]}, k=2).indices
    array([[2, 3]])
    """
    like = Model() if settings is None else settings
    model = type(like)(**vars(like._settings()))
    check_parameters(vars(model._settings()))
    check_parameter("random_state", model.random_state, rule="seed")
    if shard_rows is not None and (not isinstance(shard_rows, int) or shard_rows < 1):
        raise ParameterError(f"shard_rows={shard_rows!r}; expected a whole number, at least 1.")
    folder = Path(store)
    existed = (folder / NAME).exists()
    _check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".fit-", dir=folder) as scratch:
            _fit(model, source, id, sample_weight, folder, Path(scratch), shard_rows, on)
    except BaseException:
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return model


def _check_folder(folder: Path) -> None:
    """Refuse to write a store among other files."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} is a file; expected the name of a folder, *{SUFFIX}.")
    if not folder.is_dir() or (folder / NAME).exists():
        return
    left = list(folder.iterdir())
    if not all(belongs(path.name) for path in left):
        raise ParameterError(
            f"{folder} has other files and no store in it; expected a new folder, or a store."
        )
    shutil.rmtree(folder)  # what a fit has left that was killed


def _fit(
    model: Model,
    source: Any,
    id_column: str | None,
    sample_weight: str | None,
    folder: Path,
    scratch: Path,
    shard_rows: int | None,
    on: Any,
) -> None:
    settings = model._settings()
    table = spool(read_parts(source), scratch)
    table, labels = _labels(table, id_column)
    table, weights = _weights(table, sample_weight)
    schema = table_schema(table, settings, weights)
    values, spans = _encoded(table, schema, scratch / "values")
    check_spans(spans, schema)
    check_bounds(values, schema, settings.bounds)
    reference, pilot = _samples(values, weights, settings.random_state, scratch)
    fitted, learned = fit_values(schema, values, settings, reference, library=table.library)
    index = build_shards(
        folder,
        values,
        fitted.terms.kinds,
        weights,
        scales=learned.metric.residuals,
        edges=_edges(values, spans),
        splitting=np.where(learned.metric.weights > 0, learned.metric.residuals, 0.0),
        shard_rows=shard_rows or default_rows(values.shape[1]),
        pilot=pilot,
    )
    index.shards = moved(index.shards, on)
    fitted = replace(fitted, index=index, labels=labels)
    model._begin(fitted, ChangeLog(), "fit", range(len(values)))
    save_store(model, folder)
    if schema.ignored and isinstance(model.ignore, str):
        text = ignored_text(schema.ignored)
        warn(f"{text} {HOW_TO_USE}", IgnoredColumnWarning, stacklevel=4)


def _samples(
    values: Floats, weights: Floats | None, random_state: int, scratch: Path
) -> tuple[Reference, Places]:
    """Choose the cases to learn residuals from, as `Reference.of_values` does, and a pilot."""
    counts = [MOST_REFERENCE, pilot_size(len(values))]
    chosen, pilot = sample_large(
        values, counts, folder=scratch, weights=weights, random_state=random_state
    )
    mass = None if weights is None else weights[chosen]
    return Reference(np.asarray(values[chosen]), mass, random_state=random_state), pilot


def _labels(table: Table, column: str | None) -> tuple[Table, CaseLabels]:
    if column is not None and len(table) > MOST_LABELS:
        raise ParameterError(
            f"id={column!r} would name {len(table)} cases, and names are kept in memory; expected "
            f"at most {MOST_LABELS}. Leave it out: cases then go by their numbers."
        )
    return labels_of_fit(table, column)


def _weights(table: Table, name: str | None) -> tuple[Table, Floats | None]:
    if name is None:
        return table, None
    if name not in table.names:
        raise FeatureError(
            f"There is no column {name!r} for sample_weight.{did_you_mean(name, table.names)}"
        )
    weights = checked_weights(table.columns[name].numbers(), len(table))
    return table.drop([name]), weights


def _encoded(table: Table, schema: Schema, path: Path) -> tuple[Floats, Floats]:
    """Write the encoded table to a file, and return it mapped, with the range of each column."""
    shape = (len(table), len(schema))
    spans = np.array([np.full(shape[1], np.nan)] * 2)
    starts = range(0, shape[0], _BLOCK)
    with path.open("wb") as file:
        for start in track(starts, total=len(starts), what="encoding"):
            block = encode(table.take(slice(start, start + _BLOCK)), schema)
            file.write(block.tobytes())
            spans[0] = np.fmin(spans[0], np.fmin.reduce(block, axis=0))
            spans[1] = np.fmax(spans[1], np.fmax.reduce(block, axis=0))
    return np.memmap(path, dtype=np.float64, mode="r", shape=shape), spans


def _edges(values: Floats, spans: Floats) -> Floats:
    """Return where bins begin, as an index of all cases would; see `ExactIndex.edges`."""
    low, high = np.where(np.isnan(spans), np.array([[np.inf], [-np.inf]]), spans)
    return np.column_stack([low, choose_edges(values), np.nextafter(high, np.inf)])
