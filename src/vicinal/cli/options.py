"""The options that commands share, and errors in one line."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.output import Output
from vicinal.exceptions import VicinalError, did_you_mean
from vicinal.table_files.formats import FORMATS

if TYPE_CHECKING:
    from vicinal.model.model import Model
    from vicinal.table_files.blocks import Block

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

#: A number strictly between 0 and 1.
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


class Command(click.Command):
    """A command whose expected errors are one line on standard error, and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except VicinalError as error:
            raise click.ClickException(_one_line(str(error))) from error
        except BrokenPipeError:
            raise  # click ends quietly when nobody reads its output
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(_one_line(f"{where}{error.strerror or error}")) from error
        except (MemoryError, LookupError) as error:
            if isinstance(error, LookupError) and "unknown encoding" not in str(error):
                raise  # a bug, which a traceback helps to find
            raise click.ClickException(str(error) or "not enough memory") from error


@dataclass(frozen=True)
class Options:
    """The values of `model_options`, which says what each means."""

    data: str | None = None
    input_format: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    cyclic: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    id: str | None = None
    neighbors: int | None = None
    power: float | None = None
    seed: int | None = None
    jobs: int | None = None

    def read(self, path: str) -> Block:
        """Read a whole table."""
        from vicinal.table_files.reading import read_whole

        return read_whole(path, self.input_format, self.encoding)

    def without(self, *names: str) -> Options:
        """Return these options but for some that a command reads in its own way."""
        nothing: dict[str, Any] = dict.fromkeys(names)
        return replace(self, **nothing)

    def read_rows(self, path: str | None, model: Model) -> Any:
        """Read the features that a model knows, and what rows are called; None without a file."""
        if path is None:
            return None
        block = self.read(path)
        note_missing(block, model)
        return block.rows(model.schema_, self.missing, own=model.labels_.column)


def note_missing(block: Block, model: Model, targets: Sequence[str] = ()) -> None:
    """Say on standard error which features a table lacks; a name may be misspelled there."""
    expected = [one for one in model.schema_.names if one not in {*targets, *model.targets_}]
    missing = [one for one in expected if one not in block.names]
    if missing and len(missing) < len(expected):
        listed = ", ".join(map(repr, missing[:6])) + ", …" * (len(missing) > 6)
        unknown = [one for one in block.names if one not in model.schema_]
        hint = next(filter(None, (did_you_mean(one, unknown) for one in missing)), "")
        columns = "columns" if len(missing) > 1 else "column"
        text = f"Note: {block.path} has no {columns} {listed}; the answer does without."
        click.echo(f"{text}{hint}", err=True)


def command(examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a command, named as the function, whose help ends with examples."""
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    return click.command(cls=Command, epilog=f"\b\nExamples:\n{lines}")


def as_one(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Pass the values of some options as one object to the parameter `name`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(**given: Any) -> Any:
            one = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            return function(**given, **{name: one})

        decorated: Callable[..., Any] = call
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


_FORMAT = click.Choice(FORMATS)
_BY_NAME = "by default inferred from the file name"


def repeated(*names: str, **settings: Any) -> Decorator:
    """Make an option that may be given several times."""
    settings["help"] += " Repeatable."
    return click.option(*names, multiple=True, **settings)


#: For every command that loads a model, or fits one to a table.
model_options = as_one(
    "options",
    Options,
    click.option("--data", metavar="TABLE", help="Table to fit, in place of the first argument."),
    click.option("--format", "input_format", type=_FORMAT, help=f"Input format; {_BY_NAME}."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    repeated("--missing", metavar="TEXT", help="Additional text that marks a missing value."),
    repeated("--drop", metavar="NAME", help="Column to leave out."),
    repeated("--categorical", metavar="NAME", help="Column to treat as categorical."),
    repeated("--ordinal", metavar="NAME=LOW,…,HIGH", help="Ordered categories of a column."),
    repeated("--cyclic", metavar="NAME=PERIOD", help="Period of a cyclic column: hour=24."),
    repeated(
        "--bounds", metavar="NAME=LOW..HIGH", help="Values that a column can have: age=0..120."
    ),
    click.option("--id", metavar="NAME", help="Column that names the cases; it is no feature."),
    click.option(
        "-k", "--neighbors", type=click.IntRange(1), help="Number of neighbors. [default: 10]"
    ),
    click.option(
        "--power", type=click.FloatRange(0), help="Exponent of the power mean. [default: 1]"
    ),
    click.option("--seed", type=click.IntRange(0), help="Random seed. [default: 0]"),
    click.option("--jobs", type=click.IntRange(1), help="Number of threads; by default all."),
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that search a store (this one).",
)
on_option = click.option(
    "--on",
    "address",
    metavar="ADDRESS",
    help="Cluster that searches a store: a Dask scheduler (tls://HOST:8786), ray, or "
    "ray://HOST:10001. Its machines must see the files, and trust each other.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")

#: For every command whose result can be written as a table.
output_options = as_one(
    "output",
    Output,
    click.option(
        "-o", "--output", "path", metavar="FILE", help="Write a table to FILE; - is the screen."
    ),
    click.option(
        "--output-format", "file_format", type=_FORMAT, help=f"Output format; {_BY_NAME}."
    ),
    json_option,
    click.option(
        "--escape-formulas",
        "escape",
        is_flag=True,
        help="In CSV and TSV, precede text that a spreadsheet would run as a formula (it begins "
        "with =, +, -, @ or a tab) by an apostrophe.",
    ),
)

set_option = repeated("--set", "given", metavar="NAME=VALUE", help="Value of a feature.")
case_option = click.option(
    "--case", metavar="NAME", help="A stored case by id or number, left out of its own answer."
)
#: What a target is if none is named.
FITTED_FOR = "By default the one that the model was fitted for."
target_option = click.option("-t", "--target", help=f"Column to predict. {FITTED_FOR}")
places_option = repeated(
    "--row", "places", type=click.IntRange(0), help="Row of ROWS, counted from 0."
)
ranges_option = repeated(
    "--range", "ranges", metavar="NAME=LOW..HIGH", help="Range allowed for a feature."
)
allow_option = repeated("--allow", metavar="NAME=A,B,…", help="Values allowed for a feature.")
shown_option = click.option(
    "--rows", "n_shown", default=20, show_default=True, help="Number of rows to show."
)
#: Of commands that check all cases of a table, or a sample of them.
max_cases_option = click.option(
    "--max-cases",
    default="auto",
    show_default=True,
    callback=lambda _, __, value: _max_cases(value),
    metavar="N",
    help="Number of cases to check, or all; auto is 10,000 where there are more than 131,072.",
)
#: Of commands that always give prediction intervals and sets.
alpha_option = click.option(
    "--interval",
    "alpha",
    default=0.1,
    show_default=True,
    type=SHARE,
    metavar="ALPHA",
    help="Error rate of prediction intervals and prediction sets.",
)


def _max_cases(value: str) -> int | str | None:
    """Return a number of cases, "auto", or None for all."""
    if value in ("auto", "all"):
        return None if value == "all" else value
    if not (value.isdecimal() and int(value) > 0):
        raise click.BadParameter(f"{value!r}; expected auto, all, or a whole number, at least 1.")
    return int(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
