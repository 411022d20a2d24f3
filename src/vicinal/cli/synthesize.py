"""``vicinal synthesize``."""

from __future__ import annotations

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, rows_of, titled_table
from vicinal.formatting.values import format_count
from vicinal.table_files.formats import is_model


@cli.command("""
vicinal synthesize penguins.csv -n 1000 -o synthetic.csv
vicinal synthesize penguins.vicinal -n 20 --set species=Gentoo --range body_mass_g=5000..5500
vicinal synthesize penguins.vicinal -n 5 --allow island=Dream,Biscoe --seed 1
""")
@click.argument("source", required=False, metavar="MODEL")
@click.option("-n", "count", default=10, show_default=True, type=click.IntRange(1), help="Rows.")
@cli.set_option
@cli.ranges_option
@cli.allow_option
@cli.shown_option
@cli.model_options
@cli.output_options
def synthesize(
    source: str | None,
    count: int,
    given: tuple[str, ...],
    ranges: tuple[str, ...],
    allow: tuple[str, ...],
    n_shown: int,
    options: cli.Options,
    output: Output,
) -> None:
    """Sample synthetic rows that are like the table, but no copies of its rows.

    The privacy ratio compares how far they are from their closest real row with how far a real
    row is that was held out: 1 means equally far. --seed is also the seed of the sample.
    """
    from vicinal.cli.counterfactual import read_allowed, read_ranges
    from vicinal.cli.sources import fit_or_load, named_values, split_paths

    output.check()
    path, _ = split_paths(source, options)
    model, _ = fit_or_load(path, options.without("seed") if is_model(path) else options)
    schema = model.schema_
    found = model.synthesize(
        count,
        given={name: values[0] for name, values in named_values(given, schema).items()},
        constraints={**read_ranges(schema, ranges), **read_allowed(schema, allow)},
        random_state=options.seed,
    )
    ratio = found.privacy_ratio
    title = (
        f"Sampled {format_count(len(found), 'row')}, privacy ratio {ratio:.2f} (a held-out row: 1)"
    )
    output.deliver(
        lambda: found.columns,
        lambda: {"privacy_ratio": ratio, "rows": rows_of(found.columns)},
        lambda: titled_table(title, found.columns, n_shown, output.path),
    )
