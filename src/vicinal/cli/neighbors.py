"""``vicinal neighbors``."""

from __future__ import annotations

from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, named_rows, rows_of


@cli.command("""
vicinal neighbors penguins.vicinal new.csv --row 0
vicinal neighbors penguins.csv --case 200 -k 5
vicinal neighbors penguins.vicinal --set island=Dream --set body_mass_g=3700
vicinal neighbors penguins.vicinal new.csv -o neighbors.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.places_option
@cli.case_option
@cli.set_option
@cli.model_options
@cli.output_options
def neighbors(
    paths: tuple[str, ...],
    places: tuple[int, ...],
    case: str | None,
    given: tuple[str, ...],
    options: cli.Options,
    output: Output,
) -> None:
    """Find the most similar stored cases of rows.

    Distances are the mean surprisal per feature, in nats: 1.5 for equal rows. The written table
    also has the surprisal of the difference in each feature. -k is the number of neighbors.
    """
    from vicinal.cli.sources import select_rows

    output.check()
    chosen = select_rows(
        paths,
        None,
        places,
        case,
        given,
        options.without("neighbors"),
        most=output.few_rows,
        predicts=False,
    )
    found = chosen.model.neighbors(chosen.rows, options.neighbors, terms=True)

    def columns() -> dict[str, Any]:
        table = found.columns()
        return {"row": named_rows(table.pop("query"), chosen.numbers), **table}

    output.deliver(
        columns,
        lambda: {"neighbors": rows_of(columns())},
        lambda: chosen.text(repr(chosen.named(found)), output.path),
    )
