"""What the commands share: options, errors in one line, JSON."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import click

from vicinal.cli.io.formats import FORMATS
from vicinal.exceptions import VicinalError

__all__ = [
    "Command",
    "command",
    "model_options",
    "output_options",
    "row_options",
    "say",
    "target_option",
    "target_options",
]

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Command(click.Command):
    """A command whose expected errors are one line on standard error, and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except VicinalError as error:
            raise click.ClickException(_one_line(str(error))) from error
        except BrokenPipeError:
            raise  # click knows what to do: nobody reads on
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(_one_line(f"{where}{error.strerror or error}")) from error
        except (MemoryError, LookupError) as error:
            if isinstance(error, LookupError) and "unknown encoding" not in str(error):
                raise  # a mistake of ours, which a traceback helps to mend
            raise click.ClickException(str(error) or "not enough memory") from error


def command(name: str, examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a command whose help ends with examples."""
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    return click.command(name, cls=Command, epilog=f"\b\nExamples:\n{lines}")


def say(as_json: bool, result: Any, text: Callable[[], str]) -> None:
    """Print a result: one JSON document, or text."""
    if as_json:
        from vicinal.formatting.values import json_tree

        click.echo(json.dumps(json_tree(result), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        click.echo(text())


def _all(*options: Decorator) -> Decorator:
    return lambda function: functools.reduce(lambda f, add: add(f), reversed(options), function)


_FORMAT = click.Choice(FORMATS)

#: Of every command that reads a model or a table to make one of.
model_options = _all(
    click.option("--data", metavar="TABLE", help="A table to fit, instead of a model file."),
    click.option(
        "--format", "input_format", type=_FORMAT, help="Of the tables; by default by suffix."
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Of text tables."),
    click.option("--missing", multiple=True, metavar="TEXT", help="A cell that means missing."),
    click.option("--drop", multiple=True, metavar="NAME", help="A column to leave out."),
    click.option("--categorical", multiple=True, metavar="NAME", help="A column of labels."),
    click.option(
        "--ordinal", multiple=True, metavar="NAME=LOW,…,HIGH", help="Labels that have an order."
    ),
    click.option(
        "--cyclic", multiple=True, metavar="NAME=PERIOD", help="Numbers that go round: hour=24."
    ),
    click.option("-k", "--neighbors", type=click.IntRange(1), help="Cases per answer. [10]"),
    click.option("--power", type=click.FloatRange(0), help="Of the mean of surprisals. [1]"),
    click.option("--seed", type=click.IntRange(0), help="Of whatever is drawn. [0]"),
    click.option("--jobs", type=click.IntRange(1), help="Threads; by default all there are."),
)

#: Of every command whose result may be kept as a table.
output_options = _all(
    click.option("-o", "--output", metavar="FILE", help="Write a table there; - for the screen."),
    click.option("--output-format", type=_FORMAT, help="Of it; by default by suffix."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
)

#: Of every command that asks about a row.
row_options = _all(
    click.option("--case", type=click.IntRange(0), help="Ask about a stored case, set aside."),
    click.option(
        "--set", "given", multiple=True, metavar="NAME=VALUE", help="Say what the row is."
    ),
)

target_option = click.option("-t", "--target", required=True, help="The column asked for.")
target_options = click.option(
    "-t", "--target", "targets", multiple=True, required=True, help="A column asked for."
)


def _one_line(text: str) -> str:
    return " ".join(text.split())
