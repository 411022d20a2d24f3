"""``vicinal audit``."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, and_more
from vicinal.formatting.text_table import terminal_width
from vicinal.formatting.values import format_count

if TYPE_CHECKING:
    from vicinal.quality.audit import Audit


@cli.command("""
vicinal audit penguins.csv --target species
vicinal audit train.csv --target price --test test.csv
vicinal audit penguins.csv -t species -o findings.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL")
@click.option(
    "-t",
    "--target",
    help="Column to check for surprising and likely wrong labels; by default the one that the "
    "model was fitted for.",
)
@click.option(
    "--test", metavar="TABLE", help="Test data, to check for rows that are in the training data."
)
@cli.shown_option
@cli.max_cases_option
@cli.model_options
@cli.output_options
def audit(
    paths: tuple[str, ...],
    target: str | None,
    test: str | None,
    n_shown: int,
    max_cases: int | str | None,
    options: cli.Options,
    output: Output,
) -> None:
    """Find likely errors in a table, with evidence.

    Checks for labels of the target that are likely wrong or surprising, duplicates and
    near-duplicates, test rows that are in the training data, unusual cases, features that give
    the target away, and uninformative features. Of the labels called likely wrong, at most 5 % are
    expected to be right; surprising labels may well be right.
    """
    from vicinal.cli.sources import fit_or_load, split_paths, target_or_own

    output.check()
    source, _ = split_paths(paths, options)
    model, _ = fit_or_load(source, options)
    found = model.audit(
        target_or_own(model, target), test=options.read_rows(test, model), max_cases=max_cases
    )
    names = ("kind", "name", "feature", "score", "evidence")
    columns = ("kind", "case", "feature", "score", "evidence")
    output.deliver(
        lambda: {
            column: [getattr(one, name) for one in found]
            for column, name in zip(columns, names, strict=True)
        },
        found.to_dict,
        lambda: audit_text(found, n_shown, output.path),
    )


def audit_text(found: Audit, n_shown: int, path: str | None) -> str:
    """Return the findings as text, by what was looked for."""
    about = f", target {found.target}" if found.target else ""
    fewer = found.n_stored is not None and found.n_cases < found.n_stored
    sample = f" (a sample of {found.n_stored})" if fewer else ""
    title = f"Audit of {format_count(found.n_cases, 'case')}{sample}{about}"
    if path:
        return f"{title}: {format_count(len(found), 'finding')}; wrote {path}."
    return "\n\n".join([title, *(_section(found, kind, n_shown) for kind in found.looked_for)])


def _section(found: Audit, kind: str, n_shown: int) -> str:
    from vicinal.quality.audit import KINDS

    listed, heading = found.of(kind), KINDS[kind]
    lines = [f"{heading[0].upper()}{heading[1:]}: {len(listed) or 'none'}"]
    lines += [
        fill(repr(one), terminal_width(), initial_indent="  ", subsequent_indent="    ")
        for one in listed[:n_shown]
    ]
    return "\n".join(lines) + and_more(n_shown, len(listed))
