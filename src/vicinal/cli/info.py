"""``vicinal info``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import say
from vicinal.formatting.text_table import text_table
from vicinal.formatting.values import format_count, short_text
from vicinal.table_files.formats import is_model

if TYPE_CHECKING:
    from vicinal.model.model import Model
    from vicinal.schema.feature import Feature
    from vicinal.schema.schema import Schema

_N_UPDATES = 5


@cli.command("""
vicinal info penguins.vicinal
vicinal info penguins.csv              the kind of each column, as inferred
vicinal info penguins.csv --json
""")
@click.argument("source", required=False, metavar="MODEL")
@cli.model_options
@cli.json_option
def info(source: str | None, as_json: bool, options: cli.Options) -> None:
    """Describe a model file or a table.

    For a table: the inferred kind of each column, its number of missing values, and which columns
    are constant, copies, or numbers written as text. For a model
    also the residual of each feature (its expected error when predicted from the other features,
    in its own unit; for categories, the probability not assigned to the true one), the targets
    the model is tuned for, and the latest changes to its cases.
    """
    from vicinal.cli.sources import load_model, split_paths

    path, _ = split_paths(source, options)
    if is_model(path):
        result = {"model": path, **describe_model(load_model(path))}
    else:
        result = {"table": path, **describe_table(path, options)}
    say(as_json, result, lambda: _text(result))


def describe_model(model: Model) -> dict[str, Any]:
    """Summarize a model."""
    schema, index = model.schema_, model.index_
    notes = dict(schema.notes)
    features = [
        {
            **_described(one, notes),
            "missing": int(
                index.reduce("distribution", column=schema.column(one.name))["missing"]
            ),
            "residual": model.residuals_[one.name],
        }
        for one in schema
    ]
    return {
        "cases": len(model),
        "p": model.p,
        "neighbors": model.n_neighbors,
        "targets": list(model.targets_),
        "history": [
            {"when": one.when, "action": one.action, "cases": len(one.cases)} for one in model.log_
        ],
        "features": features,
        "ignored": _ignored(schema),
    }


def describe_table(path: str, options: cli.Options) -> dict[str, Any]:
    """Summarize a table, without fitting it."""
    import numpy as np

    from vicinal.cli.sources import new_model
    from vicinal.schema.copies import with_notes
    from vicinal.schema.encode import encode
    from vicinal.schema.infer import infer_schema
    from vicinal.tables.table import read_table

    table = options.read(path).table(options.missing, options.drop)
    model, read = new_model(table, options), read_table(table)
    schema = infer_schema(
        read,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
        cyclic_features=model.cyclic_features,
        missing_values=model.missing_values,
    )
    values = encode(read, schema)
    notes, missing = dict(with_notes(schema, values).notes), np.isnan(values).sum(axis=0)
    features = [
        {**_described(one, notes), "missing": int(missing[schema.column(one.name)])}
        for one in schema
    ]
    return {"cases": len(read), "features": features, "ignored": _ignored(schema)}


def _ignored(schema: Schema) -> list[dict[str, str]]:
    return [{"name": one.name, "role": one.role} for one in schema.ignored]


def _described(feature: Feature, notes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": feature.name,
        "kind": str(feature.kind),
        "type": feature.dtype,
        "categories": None if feature.categories is None else list(feature.categories),
        "missing_values": list(feature.missing_values),
        "note": notes.get(feature.name),
    }


def _text(result: dict[str, Any]) -> str:
    from vicinal.schema.roles import ROLE_NAMES

    features, path = result["features"], result.get("model") or result["table"]
    counts = f"{format_count(result['cases'], 'case')}, {format_count(len(features), 'feature')}"
    columns = {"feature": [one["name"] for one in features]}
    for name in ("kind", "missing", *(["residual"] if "model" in result else [])):
        columns[name] = [one[name] for one in features]
    columns["values"] = [_values(one) for one in features]
    for one in result["ignored"]:
        rest = {"feature": one["name"], "kind": "ignored", "values": ROLE_NAMES[one["role"]]}
        for name, cells in columns.items():
            cells.append(rest.get(name, ""))
    lines = [f"{path}: {counts}.", "", text_table(columns)]
    notes = [f"{short_text(one['name'])}: {one['note']}." for one in features if one["note"]]
    lines += ["", *notes] if notes else []
    return "\n".join(lines + (["", *_state(result)] if "model" in result else []))


def _state(result: dict[str, Any]) -> list[str]:
    tuned = ", ".join(result["targets"]) or "no target yet (see fit --target)"
    updates = [
        f"{one['when']:%Y-%m-%d %H:%M} UTC: {one['action']}, {format_count(one['cases'], 'case')}."
        for one in result["history"][-_N_UPDATES:]
    ]
    return [f"Tuned to predict: {tuned}.", *updates]


def _values(feature: dict[str, Any]) -> str:
    from vicinal.schema.display import categories_text
    from vicinal.schema.kinds import Kind

    markers = "".join(f"; {value} is missing" for value in feature["missing_values"])
    if feature["categories"] is None:
        return str(feature["type"]) + markers
    return categories_text(feature["categories"], Kind(feature["kind"])) + markers
