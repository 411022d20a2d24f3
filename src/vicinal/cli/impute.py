"""``vicinal impute``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, rows_of, titled_table
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.values import format_count
from vicinal.table_files.cells import set_text
from vicinal.table_files.formats import format_of

if TYPE_CHECKING:
    from vicinal.quality.imputation import Imputation
    from vicinal.schema.schema import Schema
    from vicinal.table_files.blocks import Block


@cli.command("""
vicinal impute penguins.csv -o imputed.csv
vicinal impute penguins.vicinal new.csv -o imputed.csv --cells cells.csv
vicinal impute penguins.csv --json
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@click.option(
    "--effort",
    type=click.Choice(["low", "medium", "high"]),
    default="medium",
    show_default=True,
    help="Computation to spend on accuracy.",
)
@cli.alpha_option
@click.option("--cells", metavar="FILE", help="Write a table of the imputed values to FILE.")
@cli.shown_option
@cli.model_options
@cli.output_options
def impute(
    paths: tuple[str, ...],
    effort: str,
    alpha: float,
    cells: str | None,
    n_shown: int,
    options: cli.Options,
    output: Output,
) -> None:
    """Impute missing values, with prediction intervals.

    Without ROWS, the table itself or the cases of the model are imputed. Known values are
    written unchanged.
    """
    from vicinal.cli.sources import fit_or_load, split_paths
    from vicinal.table_files.writing import check_output, write_table

    output.check()
    check_output(cells)
    source, path = split_paths(paths, options, rows=True)
    model, block = fit_or_load(source, options)
    block = block if path is None else options.read(path)
    rows = None
    if path is not None and block is not None:
        cli.note_missing(block, model)
        rows = block.rows(model.schema_, options.missing)
    found = model.impute(rows, effort=effort, alpha=alpha)
    filled = cell_columns(found)
    title = f"Imputed {format_count(len(found), 'missing value')}"
    if cells is not None:
        write_table(cells, filled, escape=output.escape)
    if output.path is not None:
        kind = format_of(output.path, output.file_format)
        output.write(imputed_table(found, block, model.schema_, kind))
    output.say(
        lambda: {"alpha": alpha, "filled": rows_of(filled)},
        lambda: titled_table(
            title, _with_content(filled), n_shown, output.path, "the imputed table"
        ),
    )


def _with_content(filled: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out the bounds where only categories were imputed, and the sets where none were."""
    return {
        name: list(map(whole_seconds, values))
        for name, values in filled.items()
        if name not in ("lower", "upper", "set") or any(one is not None for one in values)
    }


def cell_columns(found: Imputation) -> dict[str, list[Any]]:
    """Return the imputed cells as columns."""
    return {
        "row": found.row_names(range(len(found))),
        "feature": list(found.features),
        "value": list(found.values),
        "lower": list(found.lower),
        "upper": list(found.upper),
        "set": [set_text(one) or None for one in found.classes],
        "conviction": found.conviction.tolist(),
    }


def imputed_table(
    found: Imputation, block: Block | None, schema: Schema, kind: str
) -> Mapping[str, Sequence[Any]]:
    """Return the rows as they came, with the imputed values; without rows the stored cases."""
    if block is None:
        return found.table
    columns = block.written(schema, kind)
    whole = {name: list(columns[name]) for name in dict.fromkeys(found.features)}
    for row, name, value in zip(found.rows.tolist(), found.features, found.values, strict=True):
        whole[name][row] = value
    return {**columns, **whole}
