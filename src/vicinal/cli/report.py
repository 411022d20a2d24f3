"""``vicinal report``."""

from __future__ import annotations

from pathlib import Path

import click

from vicinal.cli import options as cli
from vicinal.cli.output import check_file, default_path, say
from vicinal.table_files.compression import stem_of


@cli.command("""
vicinal report penguins.csv --target species             writes penguins.html
vicinal report penguins.vicinal                          with the target it was fitted for
vicinal report penguins.vicinal -t body_mass_g -o mass.html --title "How heavy are penguins?"
vicinal report penguins.csv -o table.html             without a target
""")
@click.argument("source", required=False, metavar="MODEL")
@click.option(
    "-o", "--output", metavar="FILE", help="HTML file to write; by default named as MODEL."
)
@click.option("-t", "--target", help=f"Column to predict. {cli.FITTED_FOR}")
@click.option("--title", help="Title of the page; by default the file name and the target.")
@cli.max_cases_option
@cli.model_options
@cli.json_option
def report(
    source: str | None,
    output: str | None,
    target: str | None,
    title: str | None,
    max_cases: int | str | None,
    as_json: bool,
    options: cli.Options,
) -> None:
    """Write a report as one self-contained HTML file.

    The report summarizes the columns, unusual cases and likely errors. With a target it also
    compares the model with baselines, ranks the features, explains examples by their cases, and
    lets the reader change a case. MODEL is a model file or a table. The page contains values of
    the table, so share it with the same care.
    """
    from vicinal.cli.sources import fit_or_load, split_paths, target_or_own

    path, _ = split_paths(source, options)
    output = default_path(path, ".html") if output is None else output
    check_file(output, "a page")
    model, _ = fit_or_load(path, options)
    target = target_or_own(model, target)
    model.report(output, target, title=title or page_title(path, target), max_cases=max_cases)
    size = Path(output).stat().st_size
    result = {"output": output, "bytes": size, "cases": len(model), "target": target}
    say(as_json, result, lambda: f"Wrote {output} ({size:,} bytes). Open it in a browser.")


def page_title(path: str, target: str | None) -> str | None:
    """Name a page by its file."""
    if path == "-":
        return None
    name = stem_of(path)
    return name if target is None else f"{name}: {target}"
