"""``vicinal drift``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, titled_table
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_count

if TYPE_CHECKING:
    from vicinal.quality.drift import Drift


@cli.command("""
vicinal drift penguins.vicinal new.csv
vicinal drift last_year.csv this_year.csv --json
""")
@click.argument("paths", nargs=-1, metavar="MODEL ROWS")
@click.option(
    "--shuffles",
    default=999,
    show_default=True,
    type=click.IntRange(1),
    help="Number of permutations for the p-values.",
)
@cli.shown_option
@cli.model_options
@cli.output_options
def drift(
    paths: tuple[str, ...], shuffles: int, n_shown: int, options: cli.Options, output: Output
) -> None:
    """Test whether new rows differ from the training data.

    Shows by how much and in which features. The permutation p-values are exact: if nothing has
    changed, one test in twenty has a p-value below 0.05.
    """
    from vicinal.cli.sources import fit_or_load, split_paths

    output.check()
    source, path = split_paths(paths, options, rows=True)
    if path is None:
        raise ParameterError("expected new rows too; name a table after the model.")
    model, _ = fit_or_load(source, options)
    found = model.drift(options.read_rows(path, model), shuffles=shuffles)
    output.deliver(
        lambda: drift_columns(found),
        lambda: {"changed": found.changed(), **found.to_dict()},
        lambda: _text(found, n_shown, output.path),
    )


def drift_columns(found: Drift) -> dict[str, list[Any]]:
    """Return the features as columns, those that changed most first."""
    listed = found.to_dict()["features"]
    return {name: [one[name] for one in listed] for name in listed[0]}


def _text(found: Drift, n_shown: int, path: str | None) -> str:
    verdict = "The data have changed" if found.changed() else "No sign of change"
    title = (
        f"{verdict}: p = {found.p_value:.2g}; the nearest rows tell new rows from cases by "
        f"{found.amount:.2g} on a scale from 0 to 1 "
        f"({format_count(found.n_new, 'new row')}, {format_count(found.n_stored, 'case')})"
    )
    title = ". ".join([title, *(one.removesuffix(".") for one in found.remarks)])
    columns = drift_columns(found)
    shown = {
        "feature": columns["feature"],
        "adjusted p": columns["p_adjusted"],
        "gap": columns["gap"],
        "change": columns["change"],
    }
    return titled_table(title, shown, n_shown, path)
