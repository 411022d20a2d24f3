"""``vicinal contributions``."""

from __future__ import annotations

from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, named_rows, rows_of


@cli.command("""
vicinal contributions penguins.vicinal new.csv --row 0
vicinal contributions penguins.csv --target species --case 200
vicinal contributions penguins.vicinal new.csv -t body_mass_g -o contributions.csv
vicinal contributions penguins.vicinal new.csv --overall
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.target_option
@cli.places_option
@cli.case_option
@cli.set_option
@click.option("--overall", is_flag=True, help="How much each feature matters, over all rows.")
@cli.model_options
@cli.output_options
def contributions(
    paths: tuple[str, ...],
    target: str | None,
    places: tuple[int, ...],
    case: str | None,
    given: tuple[str, ...],
    overall: bool,
    options: cli.Options,
    output: Output,
) -> None:
    """Show how much each feature contributes to predictions (Shapley values).

    The contributions of a row and the baseline, the prediction without any features, sum to its
    prediction.
    """
    from vicinal.cli.sources import select_rows

    output.check()
    few = None if overall else output.few_rows
    chosen = select_rows(paths, target, places, case, given, options, most=few)
    found = chosen.model.contributions(chosen.rows, chosen.target)
    summary = found.overall() if overall else None

    def columns() -> dict[str, Any]:
        if summary is not None:
            return summary.columns()
        table = found.columns()
        return {**table, "row": named_rows(table["row"], chosen.numbers)}

    output.deliver(
        columns,
        lambda: {"target": chosen.target, "contributions": rows_of(columns())},
        lambda: chosen.text(
            repr(chosen.named(found) if summary is None else summary), output.path
        ),
    )
