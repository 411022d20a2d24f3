"""The parser: options in, the text of a pure function out."""

import click

from vicinal import __version__
from vicinal.exceptions import VicinalError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vicinal")
def vicinal() -> None:
    """Exact nearest cases in surprisal space.

    \b
    Examples:
      vicinal demo                     a tour on a small table of penguins
      vicinal demo --case 3            the same, around a case with missing values
    """


@vicinal.command()
@click.option("--case", default=200, show_default=True, help="Row of the table to ask about.")
@click.option("-k", "--neighbors", "k", default=3, show_default=True, help="How many cases.")
def demo(case: int, k: int) -> None:
    """Fit a small table and show what makes its cases near.

    Shows the schema inferred from the table, the residuals settling round by round, and the
    nearest cases of one case with the surprisal of every feature.

    \b
    Examples:
      vicinal demo
      vicinal demo --case 3 -k 8
    """
    from vicinal.cli.demo import demo_report
    from vicinal.data import load_penguins

    try:
        click.echo(demo_report(load_penguins(), case=case, k=k, title="Penguins of Antarctica"))
    except VicinalError as error:
        raise click.ClickException(str(error)) from error
