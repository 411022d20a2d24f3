"""``vicinal certify``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, named_rows, rows_of
from vicinal.validation import CHOICES


@cli.command("""
vicinal certify penguins.vicinal new.csv --row 0
vicinal certify penguins.csv --target species --case 200 --fix year
vicinal certify loans.vicinal new.csv --norm sum --no-training -o certificates.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.target_option
@cli.places_option
@cli.case_option
@cli.set_option
@click.option(
    "--norm",
    type=click.Choice(CHOICES["norm"]),
    default="max",
    show_default=True,
    help="What is limited: the change of every feature, or the sum of all changes.",
)
@cli.repeated("--fix", metavar="NAME", help="Feature that cannot change.")
@click.option("--categories", is_flag=True, help="Let categories change, too.")
@click.option(
    "--steps", is_flag=True, help="Let numbers change by whole steps only, within natural bounds."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    help="For numbers: how far a prediction may move and still count as the same. By default "
    "half the width of its 90 % prediction interval.",
)
@click.option(
    "--max-boxes",
    type=click.IntRange(1),
    help="Into how many boxes changes may be divided; with more, a larger radius is proved. By "
    "default 64, and up to 512 while the smallest known change is far from the radius.",
)
@click.option(
    "--time-budget",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Look at no more boxes after this time, for all rows together.",
)
@click.option("--no-training", is_flag=True, help="Do not count the training cases it depends on.")
@cli.model_options
@cli.output_options
def certify(
    paths: tuple[str, ...],
    target: str | None,
    places: tuple[int, ...],
    case: str | None,
    given: tuple[str, ...],
    norm: str,
    fix: tuple[str, ...],
    categories: bool,
    steps: bool,
    tolerance: float | None,
    max_boxes: int | None,
    time_budget: float | None,
    no_training: bool,
    options: cli.Options,
    output: Output,
) -> None:
    """Prove how far a row can change without changing its prediction.

    The radius, in residuals and as an amount of each feature, is proved: no change within it
    changes the prediction. The smallest change that is known to do so is shown beside it.
    """
    from vicinal.cli.sources import select_rows

    output.check()
    chosen = select_rows(paths, target, places, case, given, options, most=output.few_rows)
    found = chosen.model.certify(
        chosen.rows,
        chosen.target,
        norm=norm,
        immutable=fix,
        categories=categories,
        steps=steps,
        tolerance=tolerance,
        max_boxes=max_boxes,
        time_budget=time_budget,
        training=not no_training,
    )

    def columns() -> dict[str, Any]:
        table = found.columns()
        return {**table, "row": named_rows(table["row"], chosen.numbers)}

    output.deliver(
        columns,
        lambda: {"target": chosen.target, "norm": norm, "certificates": rows_of(columns())},
        lambda: chosen.text(repr(replace(found, rows=tuple(chosen.numbers))), output.path),
    )
