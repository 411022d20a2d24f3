"""``vicinal predict``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.engines import engine
from vicinal.cli.output import Output, rows_of, say
from vicinal.exceptions import ParameterError
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.text_table import text_table
from vicinal.formatting.values import format_count
from vicinal.progress import track
from vicinal.table_files.cells import set_text
from vicinal.table_files.formats import format_of
from vicinal.validation import CHOICES

if TYPE_CHECKING:
    from vicinal.model.model import Model
    from vicinal.table_files.blocks import Block

#: Rows predicted at a time, so that a table of any length needs little memory.
BLOCK = 10_000


@cli.command("""
vicinal predict penguins.vicinal new.csv                  the target it was fitted for
vicinal predict penguins.vicinal new.csv --target species
vicinal predict penguins.vicinal new.csv -t body_mass_g --interval 0.1 -o out.csv
vicinal predict penguins.csv new.csv -t species --proba -o out.parquet
vicinal predict sales.vicinal.d new.parquet -t price --workers 4 -o out.parquet
vicinal predict penguins.vicinal -t species --set island=Dream --set body_mass_g=3700
cat new.csv | vicinal predict penguins.vicinal - -t species -o - > out.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.repeated("-t", "--target", "targets", help=f"Column to predict. {cli.FITTED_FOR}")
@cli.set_option
@click.option(
    "--interval",
    "alpha",
    type=cli.SHARE,
    metavar="ALPHA",
    help="Add prediction intervals with error rate ALPHA; for categories, prediction sets, "
    "with this error rate within each category.",
)
@click.option("--proba", is_flag=True, help="Add the probability of each category.")
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Decide on categories as if all were equally frequent; probabilities do not change.",
)
@click.option(
    "--decision",
    type=click.Choice(CHOICES["decision"]),
    help="Decide on categories by what maximizes this, leave-one-out.",
)
@click.option("--only", is_flag=True, help="Leave out the columns of ROWS.")
@cli.workers_option
@cli.on_option
@cli.shown_option
@cli.model_options
@cli.output_options
def predict(
    paths: tuple[str, ...],
    targets: tuple[str, ...],
    given: tuple[str, ...],
    alpha: float | None,
    proba: bool,
    class_weight: str | None,
    decision: str | None,
    only: bool,
    workers: int | None,
    address: str | None,
    n_shown: int,
    options: cli.Options,
    output: Output,
) -> None:
    """Predict columns of new rows.

    MODEL is a model file, or a table to fit first. The result contains the columns of ROWS and,
    for a target y, the column y_predicted; with --interval also y_lower and y_upper, or y_set
    for categories; with --proba also y_p_CATEGORY. Large tables are processed in blocks.
    """
    from vicinal.cli.sources import model_for, named_values, split_paths
    from vicinal.table_files.blocks import ValueBlock

    source, path = split_paths(paths, options, rows=True)
    if (path is None) == (not given):
        raise ParameterError(
            "expected the rows to predict: either a table after the model or --set NAME=VALUE."
        )
    output.check()
    rule = {"class_weight": class_weight, "decision": decision}
    with engine(workers, address) as on:
        model, targets = model_for(source, options, targets, on=on)
        request = Request(model, targets, alpha, proba, only, options.missing, rule)
        if path is None:
            values = ValueBlock(named_values(given, model.schema_), "--set")
            blocks: Iterator[Block] = iter([values])
        else:
            blocks = request.noted(_read(path, options, output, n_shown))
        _deliver(request, blocks, output)


@dataclass(frozen=True, eq=False)
class Request:
    """What to predict, and what to give with the predictions; as the options of the command."""

    model: Model
    targets: Sequence[str]
    alpha: float | None = None
    proba: bool = False
    only: bool = False
    missing: Sequence[str] = ()
    rule: Mapping[str, Any] = field(default_factory=dict)

    def noted(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Pass blocks on, and say once which features they lack."""
        for number, block in enumerate(blocks):
            if number == 0:
                cli.note_missing(block, self.model, self.targets)
            yield block

    def predictions(self, block: Block) -> dict[str, list[Any]]:
        """Predict the rows of a block: new columns by name."""
        own = self.model.labels_.column
        rows = block.rows(self.model.schema_, self.missing, self.targets, own)
        found: dict[str, list[Any]] = {}
        for target in self.targets:
            found[f"{target}_predicted"] = list(self.model.predict(rows, target, **self.rule))
            if self.alpha is not None:
                found |= self._uncertainty(rows, target, self.alpha)
            if self.proba:
                shares = self.model.predict_proba(rows, target)
                labels = self.model.schema_[target].class_order
                found |= {
                    f"{target}_p_{one}": p.tolist()
                    for one, p in zip(labels, shares.T, strict=True)
                }
        return found

    def _uncertainty(self, rows: Any, target: str, alpha: float) -> dict[str, list[Any]]:
        feature = self.model.schema_[target]
        if str(feature.kind) != "nominal":
            lower, upper = self.model.predict_interval(rows, target, alpha=alpha)
            return {f"{target}_lower": list(lower), f"{target}_upper": list(upper)}
        labels = feature.class_order
        sets = self.model.predict_set(rows, target, alpha=alpha)
        members = [[one for one, is_in in zip(labels, row, strict=True) if is_in] for row in sets]
        return {f"{target}_set": members}

    def table(self, block: Block, kind: str) -> dict[str, Sequence[Any]]:
        """Give the rows with their predictions, as a table to write in a format."""
        table = {} if self.only else block.written(self.model.schema_, kind)
        for name, values in self.predictions(block).items():
            while name in table:
                name += "_"
            table[name] = [_cell(value) for value in values]
        return table


def _read(path: str, options: cli.Options, output: Output, n_shown: int) -> Iterator[Block]:
    """Read rows in blocks, with a progress bar; for the screen only as many as are shown."""
    from vicinal.table_files.reading import count_blocks, read_blocks

    size = max(min(BLOCK, n_shown), 1) if output.to_screen else BLOCK
    blocks = read_blocks(path, options.input_format, options.encoding, size=size)
    total = None if output.to_screen else count_blocks(path, options.input_format, BLOCK)
    return blocks if total is None else track(blocks, total=total, what="predicting")


def _deliver(request: Request, blocks: Iterator[Block], output: Output) -> None:
    if output.path is not None:
        _write(request, blocks, output, output.path)
    elif output.as_json:
        found = [row for block in blocks for row in rows_of(request.predictions(block))]
        say(True, {"targets": list(request.targets), "predictions": found}, str)
    else:
        block = next(blocks)
        click.echo(_text(request, block, more=next(blocks, None) is not None))


def _write(request: Request, blocks: Iterator[Block], output: Output, path: str) -> None:
    from vicinal.table_files.writing import table_writer

    count, kind = 0, format_of(path, output.file_format)
    with table_writer(path, output.file_format, escape=output.escape) as writer:
        for block in blocks:
            writer.write(request.table(block, kind))
            count += len(block)
    if path != "-":
        result = {"targets": list(request.targets), "rows": count, "output": path}
        text = f"Predicted {format_count(count, 'row')}; wrote {path}."
        say(output.as_json, result, lambda: text)


def _text(request: Request, block: Block, *, more: bool) -> str:
    columns: dict[str, Any] = {"row": list(range(len(block)))}
    columns |= {name: list(map(_cell, one)) for name, one in request.predictions(block).items()}
    if not request.only:
        rows = block.written(request.model.schema_, "jsonl")  # with types: numbers are aligned
        columns |= {name: values for name, values in rows.items() if name not in columns}
    text = text_table(columns)
    if more:
        text += f"\nThe first {len(block)} rows; --rows N shows more, -o FILE writes all."
    return text


def _cell(value: Any) -> Any:
    return set_text(value) if isinstance(value, list) else whole_seconds(value)
