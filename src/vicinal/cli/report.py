"""``vicinal report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vicinal.cli.options import command, model_options, say

__all__ = ["report"]


@command(
    "report",
    """
vicinal report penguins.csv --target species -o penguins.html
vicinal report penguins.vicinal -t body_mass_g -o mass.html --title "How heavy are penguins?"
vicinal report penguins.csv -o table.html             without a target
""",
)
@click.argument("source", required=False, metavar="MODEL")
@click.option("-o", "--output", required=True, metavar="FILE", help="The page to write.")
@click.option("-t", "--target", help="A column to predict.")
@click.option("--title", help="Of the page; by default made of the names of the file and target.")
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def report(
    source: str | None,
    output: str,
    target: str | None,
    title: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Report on a table: one HTML file that opens anywhere and loads nothing.

    What the table holds, unusual cases and likely errors; with a target also how well it is
    predicted beside baselines, what matters, examples explained down to their cases, and cases
    that the reader can change. MODEL is a model file or a table. The page holds values of it.
    """
    from vicinal.cli.io.writing import check_output
    from vicinal.cli.sources import Options, open_source, split_paths
    from vicinal.exceptions import ParameterError

    if output == "-" or (Path(output).exists() and not Path(output).is_file()):
        raise ParameterError(f"a page cannot be written to {output}; name a file.")
    check_output(output)
    options = Options(**given)
    path, _ = split_paths([] if source is None else [source], options, rows=False)
    model = open_source(path, options).model
    model.report(output, target, title=title or page_title(path, target))
    size = Path(output).stat().st_size
    result = {"output": output, "bytes": size, "cases": len(model), "target": target}
    say(as_json, result, lambda: f"Wrote {output} ({size:,} bytes). Open it in a browser.")


def page_title(path: str, target: str | None) -> str | None:
    """Name a page by its file.

    Examples
    --------
    >>> from vicinal.cli.report import page_title
    >>> page_title("data/penguins.csv", "species"), page_title("data/penguins.csv", None)
    ('penguins: species', 'penguins')
    """
    if path == "-":
        return None
    name = Path(path).stem
    return name if target is None else f"{name}: {target}"
