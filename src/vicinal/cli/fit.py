"""``vicinal fit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import check_file, say
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_count
from vicinal.progress import track
from vicinal.table_files.formats import is_model


@cli.command("""
vicinal fit penguins.csv -o penguins.vicinal
vicinal fit penguins.csv -o penguins.vicinal --target species
vicinal fit sales.tsv -o sales.vicinal --categorical shop --cyclic hour=24
vicinal fit - --format jsonl -o log.vicinal < log.jsonl
""")
@click.argument("table", required=False)
@click.option("-o", "--output", required=True, metavar="FILE", help="Model file to write.")
@cli.repeated("-t", "--target", "targets", help="Column to tune the model for.")
@cli.model_options
@cli.json_option
def fit(
    table: str | None, output: str, targets: tuple[str, ...], as_json: bool, options: cli.Options
) -> None:
    """Fit a table and save the model to a file.

    The file contains the training cases and everything learned from them; it is data, not code.
    The model can predict any column; naming a target tunes the model for it now rather than at
    the first prediction.
    """
    from vicinal.cli.sources import split_paths

    path, _ = split_paths(table, options)
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


def _text(result: dict[str, Any]) -> str:
    targets = ", ".join(result["targets"])
    return (
        f"Fitted {format_count(result['cases'], 'case')} with "
        f"{format_count(len(result['features']), 'feature')}"
        + (f", tuned to predict {targets}" if targets else "")
        + f"; wrote {result['output']} ({result['bytes']:,} bytes)."
    )
