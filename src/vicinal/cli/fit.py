"""``vicinal fit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.engines import engine
from vicinal.cli.output import check_file, default_path, say
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_count
from vicinal.progress import track
from vicinal.table_files.formats import MODEL_SUFFIX, STORE_SUFFIX, is_model


@cli.command("""
vicinal fit penguins.csv                                 writes penguins.vicinal
vicinal fit penguins.csv -o birds.vicinal --target species
vicinal fit sales.tsv -o sales.vicinal --categorical shop --cyclic hour=24
vicinal fit - --format jsonl -o log.vicinal < log.jsonl
vicinal fit 'rows/*.parquet' --store sales.vicinal.d --target price --workers 4
""")
@click.argument("table", required=False)
@click.option(
    "-o", "--output", metavar="FILE", help="Model file to write; by default named as TABLE."
)
@click.option(
    "--store",
    metavar="FOLDER",
    help="Store to write instead, for a table larger than memory: TABLE is a file, a folder or a "
    "pattern in quotes (Parquet, Feather, CSV), read part by part.",
)
@cli.workers_option
@cli.on_option
@cli.repeated("-t", "--target", "targets", help="Column to tune the model for.")
@cli.model_options
@cli.json_option
def fit(
    table: str | None,
    output: str | None,
    store: str | None,
    workers: int | None,
    address: str | None,
    targets: tuple[str, ...],
    as_json: bool,
    options: cli.Options,
) -> None:
    """Fit a table and save the model to a file.

    The file contains the training cases and everything learned from them; it is data, not code.
    The model can predict any column; naming a target tunes the model for it now rather than at
    the first prediction, and later commands predict it unless told otherwise.
    """
    from vicinal.cli.sources import split_paths

    path, _ = split_paths(table, options)
    if output is not None and store is not None:
        raise ParameterError("got -o and --store; expected one of them to write to.")
    if store is not None:
        with engine(workers, address) as on:
            result = fit_store(path, store, on, targets, options)
    elif workers is not None or address is not None:
        raise ParameterError("--workers and --on apply only to a store; see --store.")
    else:
        output = default_path(path, MODEL_SUFFIX) if output is None else output
        check_file(output, "a model")
        result = fit_table(path, output, targets, options)
    say(as_json, result, lambda: _text(result))


def fit_table(
    path: str, output: str, targets: Sequence[str], options: cli.Options
) -> dict[str, Any]:
    """Fit a table, tune the model for the targets, save it, and describe it."""
    from vicinal.cli.info import describe_model
    from vicinal.cli.sources import fit_or_load

    if is_model(path):
        raise ParameterError(f"{path} is a fitted model already; expected a table.")
    model, _ = fit_or_load(path, options)
    model.schema_.columns(targets)  # an unknown name is an error before anything is learned
    for target in track(targets, total=len(targets), what="tuning"):
        model.tuning(target)
    model.save(output)
    return {"output": output, "bytes": Path(output).stat().st_size, **describe_model(model)}


def fit_store(
    path: str, store: str, on: Any, targets: Sequence[str], options: cli.Options
) -> dict[str, Any]:
    """Fit a table part by part, tune the model for the targets, and describe it."""
    from vicinal import sharded
    from vicinal.cli.info import describe_model
    from vicinal.cli.sources import HOW_TO_USE, new_model, quietly
    from vicinal.schema.roles import ignored_text

    if path == "-":
        raise ParameterError("a store is fitted to files, not to standard input.")
    if not store.rstrip("/").endswith(STORE_SUFFIX):
        raise ParameterError(f"got --store {store}; expected a name that ends in {STORE_SUFFIX}.")
    if options.drop:
        raise ParameterError("--drop does not apply to --store; leave columns out of the files.")
    with quietly():
        model = sharded.fit(
            path, store=store, settings=new_model({}, options), id=options.id, on=on
        )
    if model.schema_.ignored:
        click.echo(f"{ignored_text(model.schema_.ignored)} {HOW_TO_USE}", err=True)
    model.schema_.columns(targets)
    for target in track(targets, total=len(targets), what="tuning"):
        model.tuning(target)
    if targets:
        model.save(store)
    size = sum(one.stat().st_size for one in Path(store).rglob("*") if one.is_file())
    return {"output": store, "bytes": size, **describe_model(model)}


def _text(result: dict[str, Any]) -> str:
    targets = ", ".join(result["targets"])
    return (
        f"Fitted {format_count(result['cases'], 'case')} with "
        f"{format_count(len(result['features']), 'feature')}"
        + (f", tuned to predict {targets}" if targets else "")
        + f"; wrote {result['output']} ({result['bytes']:,} bytes)."
    )
