"""``vicinal density``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, rows_of, titled_table
from vicinal.formatting.values import format_count, json_value


@cli.command("""
vicinal density penguins.vicinal new.csv
vicinal density penguins.csv                     of each stored case, from the others
vicinal density penguins.vicinal new.csv -o densities.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.shown_option
@cli.model_options
@cli.output_options
def density(paths: tuple[str, ...], n_shown: int, options: cli.Options, output: Output) -> None:
    """Compute the log density of rows, in nats.

    Compare rows, or models of the same table: higher is more probable. Missing values are left
    out. Without ROWS, each stored case is judged by the others.
    """
    from vicinal.cli.sources import fit_or_load, split_paths

    output.check()
    source, path = split_paths(paths, options, rows=True)
    model, _ = fit_or_load(source, options)
    found = model.density(options.read_rows(path, model)).tolist()
    names: Sequence[Any] = range(len(found))
    if path is None:
        cases, _ = model.index_.sample(len(model))
        names = [json_value(model.labels_.of(case)) for case in cases.tolist()]
    columns = {"case" if path is None else "row": list(names), "log_density": found}
    mean = sum(found) / max(len(found), 1)
    noun = "case" if path is None else "row"
    title = f"Log density of {format_count(len(found), noun)}: {mean:.4g} nats on average"
    output.deliver(
        lambda: columns,
        lambda: {"mean": mean if found else None, "densities": rows_of(columns)},
        lambda: titled_table(title, columns, n_shown, output.path),
    )
