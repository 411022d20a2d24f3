"""``vicinal fit`` and ``vicinal info``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.options import command, model_options, say

if TYPE_CHECKING:
    from vicinal.cli.sources import Options
    from vicinal.model.model import Model

__all__ = ["fit", "info"]


@command(
    "fit",
    """
vicinal fit penguins.csv -o penguins.vicinal
vicinal fit penguins.csv -o penguins.vicinal --target species
vicinal fit sales.tsv -o sales.vicinal --categorical shop --cyclic hour=24
vicinal fit - --format jsonl -o log.vicinal < log.jsonl
""",
)
@click.argument("table", required=False)
@click.option("-o", "--output", required=True, metavar="FILE", help="The model file to write.")
@click.option(
    "-t", "--target", "targets", multiple=True, help="A column to learn to predict at once."
)
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def fit(
    table: str | None, output: str, targets: tuple[str, ...], as_json: bool, **given: Any
) -> None:
    """Fit a table and keep the model in a file.

    The file holds the cases themselves and all that was learned of them; it is data, not code.
    Any column can be predicted later; naming it as a target learns now what it takes.
    """
    from vicinal.cli.sources import Options, split_paths
    from vicinal.exceptions import ParameterError

    options = Options(**given)
    path, _ = split_paths([] if table is None else [table], options, rows=False)
    if output == "-" or (Path(output).exists() and not Path(output).is_file()):
        raise ParameterError(f"a model cannot be written to {output}; name a file.")
    result = fit_table(path, output, targets, options)
    say(as_json, result, lambda: _fitted(result))


def fit_table(
    path: str, output: str, targets: tuple[str, ...], options: Options
) -> dict[str, Any]:
    """Fit a table, learn the targets, save, and say what was done."""
    from vicinal.cli.io.formats import is_model
    from vicinal.cli.io.writing import check_output
    from vicinal.cli.sources import open_source
    from vicinal.exceptions import ParameterError
    from vicinal.progress import track

    check_output(output)
    if is_model(path):
        raise ParameterError(f"{path} is a model already; expected a table.")
    model = open_source(path, options).model
    model.schema_.columns(targets)  # an unknown name is an error before anything is learned
    for target in track(targets, total=len(targets), what="learning targets"):
        model.tuning(target)
    model.save(output)
    return {"output": output, "bytes": Path(output).stat().st_size, **describe(model)}


def _fitted(result: dict[str, Any]) -> str:
    from vicinal.cli.terminal import counted

    learned = ", ".join(result["targets"])
    cases, features = result["cases"], len(result["features"])
    return (
        f"Fitted {counted(cases, 'case')} of {counted(features, 'feature')}"
        + (f", learned to predict {learned}" if learned else "")
        + f"; wrote {result['output']} ({result['bytes']:,} bytes)."
    )


@command(
    "info",
    """
vicinal info penguins.vicinal
vicinal info penguins.csv              what each column would be taken for
vicinal info penguins.csv --json
""",
)
@click.argument("source", required=False)
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def info(source: str | None, as_json: bool, **given: Any) -> None:
    """Say what a model file or a table holds.

    Of a model: its features and their residuals (how far off a feature is when predicted from
    the others, in its own unit; of labels the probability not given to the true one), what it has
    learned to predict, and what was done to its cases.
    """
    from vicinal.cli.io.formats import is_model
    from vicinal.cli.sources import Options, load_model, split_paths

    options = Options(**given)
    path, _ = split_paths([] if source is None else [source], options, rows=False)
    if is_model(path):
        result = {"model": path, **describe(load_model(path))}
    else:
        result = {"table": path, **describe_table(path, options)}
    say(as_json, result, lambda: _described(result))


def describe(model: Model) -> dict[str, Any]:
    """Sum up a model."""
    import numpy as np

    schema, index = model.schema_, model.index_
    features = [
        {
            "name": one.name,
            "kind": str(one.kind),
            "type": one.dtype,
            "categories": None if one.categories is None else list(one.categories),
            "missing": int(np.isnan(index.column(schema.column(one.name))[index.numbers]).sum()),
            "residual": model.residuals_[one.name],
        }
        for one in schema
    ]
    learned = {schema.storage[key[0]].name for key in model._learned}
    return {
        "cases": len(model),
        "p": model.p,
        "neighbors": model.n_neighbors,
        "targets": [name for name in schema.names if name in learned],
        "history": [
            {"when": one.when, "action": one.action, "cases": len(one.cases)} for one in model.log_
        ],
        "features": features,
    }


def describe_table(path: str, options: Options) -> dict[str, Any]:
    """Sum up a table, which is not fitted."""
    from vicinal.schema.infer import infer_schema
    from vicinal.tables.table import read_table

    block = options.read(path)
    table = block.table(options.missing, options.drop)
    model = options.model(table)
    schema = infer_schema(
        table,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
        cyclic_features=model.cyclic_features,
        missing_values=model.missing_values,
    )
    read = read_table(table)
    features = [
        {
            "name": one.name,
            "kind": str(one.kind),
            "type": one.dtype,
            "categories": None if one.categories is None else list(one.categories),
            "missing": int(read.columns[one.name].is_missing().sum()),
        }
        for one in schema
    ]
    return {"cases": len(block), "features": features}


def _described(result: dict[str, Any]) -> str:
    from vicinal.cli.terminal import counted, terminal_table

    features = result["features"]
    columns = {
        "feature": [one["name"] for one in features],
        "kind": [one["kind"] for one in features],
        "missing": [one["missing"] for one in features],
        "residual": [one.get("residual") for one in features],
        "values": [_values(one) for one in features],
    }
    if "model" not in result:
        del columns["residual"]
    lines = [
        f"{result.get('model') or result['table']}: {counted(result['cases'], 'case')}, "
        f"{counted(len(features), 'feature')}.",
        "",
        terminal_table(columns),
    ]
    if "model" in result:
        learned = ", ".join(result["targets"]) or "nothing yet (fit --target learns it)"
        lines += ["", f"Learned to predict: {learned}."]
        lines += [
            f"{one['when']:%Y-%m-%d %H:%M} UTC: {one['action']}, {counted(one['cases'], 'case')}."
            for one in result["history"][-5:]
        ]
    return "\n".join(lines)


def _values(feature: dict[str, Any]) -> str:
    from vicinal.formatting.values import format_value

    if feature["categories"] is None:
        return str(feature["type"])
    some = ", ".join(map(format_value, feature["categories"][:5]))
    return f"{len(feature['categories'])}: {some}" + ", …" * (len(feature["categories"]) > 5)
