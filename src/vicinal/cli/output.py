"""Where a result goes: to the screen as text or JSON, or to a file as a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from vicinal.exceptions import ParameterError
from vicinal.formatting.text_table import text_table
from vicinal.formatting.values import json_tree
from vicinal.table_files.compression import stem_of

Columns = Mapping[str, Sequence[Any]]

#: Rows that a screen has room for, where the answer about each takes many lines.
_FEW = 5


@dataclass(frozen=True)
class Output:
    """The values of `output_options`, which says what each means."""

    path: str | None = None
    file_format: str | None = None
    as_json: bool = False
    escape: bool = False

    @property
    def to_screen(self) -> bool:
        """Whether the result is shown as text."""
        return self.path is None and not self.as_json

    @property
    def few_rows(self) -> int | None:
        """How many rows are answered on the screen unless others are chosen; None for all."""
        return _FEW if self.to_screen else None

    def check(self) -> None:
        """Refuse an output that cannot be written, before any work is done."""
        from vicinal.table_files.writing import check_output

        if self.as_json and self.path == "-":
            raise ParameterError(
                "--json and -o - both write to standard output; use only one of them."
            )
        check_output(self.path)

    def write(self, columns: Columns) -> None:
        """Write a table to the file."""
        from vicinal.table_files.writing import write_table

        assert self.path is not None
        write_table(self.path, columns, self.file_format, escape=self.escape)

    def deliver(
        self,
        columns: Callable[[], Columns],
        result: Callable[[], dict[str, Any]],
        text: Callable[[], str],
    ) -> None:
        """Write the table if there is a file for it, then print JSON or text.

        Each form of the result is given by a function, since most are not needed.
        """
        if self.path is not None:
            self.write(columns())
        self.say(result, text)

    def say(self, result: Callable[[], dict[str, Any]], text: Callable[[], str]) -> None:
        """Print JSON or text, unless the table went to the screen."""
        if self.as_json:
            say(True, {**result(), "output": self.path}, text)
        elif self.path != "-":
            click.echo(text())


def say(as_json: bool, result: Any, text: Callable[[], str]) -> None:
    """Print a result as JSON or as text."""
    if as_json:
        click.echo(json.dumps(json_tree(result), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        click.echo(text())


def check_file(path: str, what: str) -> None:
    """Refuse a path where no file can be written, for what cannot go to standard output."""
    from vicinal.table_files.writing import check_output

    if path == "-" or (Path(path).exists() and not Path(path).is_file()):
        raise ParameterError(f"cannot write {what} to {path}; name a file.")
    check_output(path)


def default_path(source: str, suffix: str) -> str:
    """Name an output after its input, in the current folder; never an existing file."""
    path = Path(stem_of(source)).with_suffix(suffix)
    if source == "-":
        raise ParameterError("the rows come from standard input; name the output: -o FILE.")
    if path.exists():
        raise ParameterError(f"{path} exists already; to replace it, name it: -o {path}.")
    return str(path)


def and_more(n_shown: int, total: int, all_rows: str = "all") -> str:
    """Return a line about the rows that are not shown."""
    return f"\n… and {total - n_shown} more; -o FILE writes {all_rows}." * (total > n_shown)


def titled_table(
    title: str, columns: Columns, n_shown: int, path: str | None, all_rows: str = "all"
) -> str:
    """Return a title, and below it the first rows of a table unless it was written to a file."""
    total = len(next(iter(columns.values())))
    if path or not total:
        return f"{title}; wrote {path}." if path else f"{title}."
    table = text_table({name: values[:n_shown] for name, values in columns.items()}, missing="")
    return f"{title}.\n\n{table}{and_more(n_shown, total, all_rows)}"


def named_rows(places: Sequence[Any], names: Sequence[Any]) -> list[Any]:
    """Return what rows are called, in place of their positions among the chosen ones.

    A single stored case may go by its own number or label.
    """
    return [names[at if len(names) > 1 else 0] for at in places]


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    """Return a table as one dict per row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
