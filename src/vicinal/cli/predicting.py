"""``vicinal predict``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.options import command, model_options, output_options, say, target_options

if TYPE_CHECKING:
    from vicinal.cli.io.blocks import Block
    from vicinal.cli.sources import Options
    from vicinal.model.model import Model

__all__ = ["predict"]

#: Rows predicted at a time, so that a table of any length needs little memory.
BLOCK = 10_000


@command(
    "predict",
    """
vicinal predict penguins.vicinal new.csv --target species
vicinal predict penguins.vicinal new.csv -t body_mass_g --interval 0.1 -o out.csv
vicinal predict penguins.csv new.csv -t species --proba -o out.parquet
vicinal predict penguins.vicinal -t species --set island=Dream --set body_mass_g=3700
cat new.csv | vicinal predict penguins.vicinal - -t species -o - > out.csv
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@target_options
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Say what the row is.")
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="ALPHA",
    help="Also give intervals, of labels sets, that fail this often.",
)
@click.option("--proba", is_flag=True, help="Also give the probability of each label.")
@click.option("--only", is_flag=True, help="Write the predictions without the rows.")
@click.option("--rows", "most", default=20, show_default=True, help="Rows to show on the screen.")
@model_options
@output_options
def predict(
    paths: tuple[str, ...],
    targets: tuple[str, ...],
    given: tuple[str, ...],
    interval: float | None,
    proba: bool,
    only: bool,
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Predict columns of new rows from the others.

    MODEL is a model file, or a table to fit on the fly. The result has the columns of the rows
    and, for a target y, y_predicted; with --interval y_lower and y_upper, or y_set for labels;
    with --proba y_p_LABEL. Large tables are read, predicted and written in blocks.
    """
    from vicinal.cli.io.blocks import ValueBlock
    from vicinal.cli.io.reading import count_blocks, read_blocks
    from vicinal.cli.io.writing import check_output
    from vicinal.cli.sources import Options, named_values, open_source, split_paths
    from vicinal.exceptions import ParameterError
    from vicinal.progress import track

    options = Options(**rest)
    source, rows = split_paths(paths, options, rows=True)
    if (rows is None) == (not given):
        raise ParameterError("give the rows to predict: a table after the model, or --set.")
    if as_json and output == "-":
        raise ParameterError("--json and -o - both want the screen; choose one.")
    check_output(output)
    model = open_source(source, options).model
    model.schema_.columns(targets)
    question = Question(model, targets, interval, proba, only, options)
    blocks: Iterator[Block]
    if rows is None:
        row = named_values(given, model.schema_)
        blocks = iter([ValueBlock(row, "--set")])
    else:
        shown_only = output is None and not as_json
        size = min(BLOCK, most) if shown_only else BLOCK
        blocks = read_blocks(rows, options.input_format, options.encoding, size=max(size, 1))
        total = None if shown_only else count_blocks(rows, options.input_format, BLOCK)
        if total is not None:
            blocks = track(blocks, total=total, what="predicting")
    _deliver(question, blocks, most, output, output_format, as_json)


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a model."""

    model: Model
    targets: Sequence[str]
    interval: float | None
    proba: bool
    only: bool
    options: Options

    def answer(self, block: Block) -> dict[str, list[Any]]:
        """Predict the rows of a block: new columns, by name."""
        model = self.model
        rows = block.rows(model.schema_, self.options.missing, self.targets)
        answers: dict[str, list[Any]] = {}
        for target in self.targets:
            answers[f"{target}_predicted"] = list(model.predict(rows, target))
            nominal = str(model.schema_[target].kind) == "nominal"
            labels = list(model.schema_[target].categories or ())
            if self.interval is not None and nominal:
                within = model.predict_set(rows, target, alpha=self.interval)
                answers[f"{target}_set"] = [
                    [one for one, there in zip(labels, row, strict=True) if there]
                    for row in within
                ]
            elif self.interval is not None:
                ends = model.predict_interval(rows, target, alpha=self.interval)
                answers[f"{target}_lower"], answers[f"{target}_upper"] = map(list, ends)
            if self.proba:
                shares = model.predict_proba(rows, target)
                for at, label in enumerate(labels):
                    answers[f"{target}_p_{label}"] = shares[:, at].tolist()
        return answers

    def table(self, block: Block, kind: str) -> dict[str, list[Any]]:
        """The rows with their predictions, as a table to write in a format."""
        made = {} if self.only else block.written(self.model.schema_, kind)
        for name, values in self.answer(block).items():
            while name in made:
                name += "_"
            made[name] = [_cell(value) for value in values]
        return made


def _deliver(
    question: Question,
    blocks: Iterator[Block],
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
) -> None:
    from vicinal.cli.io.formats import format_of
    from vicinal.cli.io.writing import table_writer
    from vicinal.cli.terminal import counted

    if output is not None:
        count, kind = 0, format_of(output, output_format)
        with table_writer(output, output_format) as writer:
            for block in blocks:
                writer.write(question.table(block, kind))
                count += len(block)
        if output != "-":
            done = {"targets": list(question.targets), "rows": count, "output": output}
            say(as_json, done, lambda: f"Predicted {counted(count, 'row')}; wrote {output}.")
        return
    if as_json:
        found = [row for block in blocks for row in _rows(question.answer(block))]
        say(True, {"targets": list(question.targets), "predictions": found}, str)
        return
    block = next(blocks)
    click.echo(_shown(question, block, more=next(blocks, None) is not None))


def _shown(question: Question, block: Block, *, more: bool) -> str:
    from vicinal.cli.terminal import terminal_table

    answers = {name: [_cell(v) for v in values] for name, values in question.answer(block).items()}
    columns: dict[str, Any] = {"row": list(range(len(block))), **answers}
    if not question.only:
        rows = block.written(question.model.schema_, "jsonl")  # with types: numbers are aligned
        columns |= {name: values for name, values in rows.items() if name not in columns}
    text = terminal_table(columns)
    if more:
        text += f"\nThe first {len(block)} rows; -o FILE writes all, --rows N shows more."
    return text


def _rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cell(value: Any) -> Any:
    from vicinal.cli.io.cells import cell_text

    return "; ".join(map(cell_text, value)) if isinstance(value, list) else value
