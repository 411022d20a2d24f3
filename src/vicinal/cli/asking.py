"""``vicinal explain`` and ``vicinal counterfactual``: about single rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.options import (
    command,
    model_options,
    output_options,
    row_options,
    say,
    target_option,
)

if TYPE_CHECKING:
    from vicinal.cli.sources import Options
    from vicinal.counterfactual.result import Counterfactuals
    from vicinal.explain.explanation.result import Explanations
    from vicinal.model.model import Model
    from vicinal.schema.schema import Feature

__all__ = ["counterfactual", "explain"]

_FEW = 5
_STEP = 8


@command(
    "explain",
    """
vicinal explain penguins.vicinal new.csv --target species --row 0
vicinal explain penguins.csv --target species --case 200
vicinal explain penguins.vicinal -t species --set island=Dream --set body_mass_g=3700
vicinal explain penguins.vicinal new.csv -t species --part features -o why.csv
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@target_option
@click.option("--row", "places", type=click.IntRange(0), multiple=True, help="A row of ROWS.")
@row_options
@click.option(
    "--interval",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="ALPHA",
    help="How often intervals and sets of labels may fail.",
)
@click.option("--change", is_flag=True, help="Also look for what would change the answer.")
@click.option(
    "--part",
    type=click.Choice(["prediction", "cases", "boundary", "features", "conviction"]),
    default="cases",
    show_default=True,
    help="What -o writes.",
)
@model_options
@output_options
def explain(
    paths: tuple[str, ...],
    target: str,
    places: tuple[int, ...],
    case: int | None,
    given: tuple[str, ...],
    interval: float,
    change: bool,
    part: str,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Explain predictions by the cases and the features behind them.

    Says the answer and how sure it is, the cases it is made of with their influence, what each
    feature contributes, the nearest cases with another outcome, and how usual the row is. On the
    screen the first rows are explained; --row names others.
    """
    from vicinal.cli.io.writing import check_output, write_table
    from vicinal.cli.sources import Options
    from vicinal.cli.terminal import counted
    from vicinal.exceptions import ParameterError

    if as_json and output == "-":
        raise ParameterError("--json and -o - both want the screen; choose one.")
    check_output(output)
    few = output is None and not as_json
    model, rows, numbers, total = asked_rows(
        paths, target, places, case, given, Options(**rest), most=_FEW if few else None
    )
    found = explain_rows(model, rows, target, interval, change, len(numbers))
    if output is not None:
        write_table(output, part_columns(found, part, numbers), output_format)
    if as_json:
        told = [{**one, "row": at} for one, at in zip(found.to_dict(), numbers, strict=True)]
        say(True, {"target": target, "explanations": told, "output": output}, str)
    elif output is None:
        text = [_explained(why, at, case) for why, at in zip(found, numbers, strict=True)]
        if total > len(found):
            text.append(f"The first {len(found)} of {total} rows; --row N explains another.")
        click.echo("\n\n".join(text))
    elif output != "-":
        click.echo(f"Explained {counted(len(found), 'row')}; wrote their {part} to {output}.")


def _explained(why: Any, at: int, case: int | None) -> str:
    return f"{'Row' if case is None else 'Case'} {at}\n{why}"


def asked_rows(
    paths: Sequence[str],
    target: str,
    places: Sequence[int],
    case: int | None,
    given: Sequence[str],
    options: Options,
    *,
    most: int | None,
) -> tuple[Model, Any, list[int], int]:
    """Find the rows that a command is about: in a file, among the cases, or on the spot.

    Returns
    -------
    model, rows, numbers, total
        The model, the rows as it takes them, the number of each, and how many there are.
    """
    from vicinal.cli.sources import named_values, one_case, open_source, split_paths
    from vicinal.exceptions import ParameterError

    source, path = split_paths(paths, options, rows=True)
    if (path is not None) + (case is not None) + bool(given) != 1:
        raise ParameterError(
            "say which row: a table after the model, --case N or --set NAME=VALUE (one of them)."
        )
    model = open_source(source, options).model
    model.schema_.columns([target])
    if case is not None:
        row = one_case(model, case)
        return model, row, [case], 1
    if path is None:
        return model, named_values(given, model.schema_), [0], 1
    block = options.read(path)
    total = len(block)
    numbers = list(places) or list(range(total if most is None else min(most, total)))
    taken = block.taken(numbers)
    try:
        rows = taken.rows(model.schema_, options.missing)
    except ValueError:  # what is asked for need not be readable
        rows = taken.rows(model.schema_, options.missing, [target])
    return model, rows, numbers, total if not places else len(numbers)


def explain_rows(
    model: Model, rows: Any, target: str, alpha: float, change: bool, count: int
) -> Explanations:
    """Explain rows some at a time, with a bar."""
    from vicinal.explain.explanation.result import Explanations
    from vicinal.progress import track
    from vicinal.tables.frames import as_frame

    # The next most probable label is what a change leads to; of numbers there is none such.
    change = change and str(model.schema_[target].kind) == "nominal"
    starts = range(0, count, _STEP)
    found: list[Any] = []
    for start in track(starts, total=len(starts), what="explaining"):
        if isinstance(rows, dict):
            some = {name: values[start : start + _STEP] for name, values in rows.items()}
        else:
            frame = as_frame(rows)
            assert frame is not None
            some = frame[start : start + _STEP].to_native()
        found += model.explain(some, target, alpha=alpha, counterfactuals=change)
    return Explanations(found)


def part_columns(found: Explanations, part: str, numbers: Sequence[int]) -> dict[str, list[Any]]:
    """One part of all explanations as columns, with the row of each."""
    joined: dict[str, list[Any]] = {"row": []}
    for at, one in zip(numbers, found, strict=True):
        columns = one.columns(part)
        for name, values in columns.items():
            joined.setdefault(f"{name}_" if name == "row" else name, []).extend(values)
        joined["row"] += [at] * len(next(iter(columns.values())))
    return joined


@command(
    "counterfactual",
    """
vicinal counterfactual penguins.vicinal new.csv --row 0 -t species --want Gentoo
vicinal counterfactual penguins.csv --case 200 -t species --want Adelie --fix sex --fix year
vicinal counterfactual penguins.vicinal --case 3 -t body_mass_g --want 4000..
vicinal counterfactual loans.csv --case 7 -t granted --want yes --range income=0..50000 --up age
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@target_option
@click.option(
    "--want", required=True, metavar="VALUE", help="A label, or a range: 3000..4000, 3000.. "
)
@click.option("--row", "place", type=click.IntRange(0), help="Which row of ROWS. [0]")
@row_options
@click.option("--fix", multiple=True, metavar="NAME", help="A column that must stay as it is.")
@click.option("--up", multiple=True, metavar="NAME", help="A column that may only increase.")
@click.option("--down", multiple=True, metavar="NAME", help="A column that may only decrease.")
@click.option("--range", "ranges", multiple=True, metavar="NAME=LOW..HIGH", help="Its limits.")
@click.option("--allow", multiple=True, metavar="NAME=A,B,…", help="The values it may have.")
@click.option("-n", "count", default=1, show_default=True, help="How many, at most.")
@model_options
@output_options
def counterfactual(
    paths: tuple[str, ...],
    target: str,
    want: str,
    place: int | None,
    case: int | None,
    given: tuple[str, ...],
    fix: tuple[str, ...],
    up: tuple[str, ...],
    down: tuple[str, ...],
    ranges: tuple[str, ...],
    allow: tuple[str, ...],
    count: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Find the least that has to change in a row for another answer.

    The changed row leans on a real case, the model itself has answered it, and no constraint is
    broken. Where there is none it says which constraint stands in the way.
    """
    from vicinal.cli.io.writing import check_output, write_table
    from vicinal.cli.sources import Options, pairs
    from vicinal.exceptions import ParameterError

    if as_json and output == "-":
        raise ParameterError("--json and -o - both want the screen; choose one.")
    check_output(output)
    places = () if place is None else (place,)
    model, rows, numbers, _ = asked_rows(
        paths, target, places, case, given, Options(**rest), most=1
    )
    schema = model.schema_
    names = schema.names
    found = model.counterfactual(
        rows,
        target,
        _wanted(want, schema[target]),
        immutable=fix,
        directions=dict.fromkeys(up, "increase") | dict.fromkeys(down, "decrease"),
        ranges={n: _range(text, schema[n]) for n, text in pairs(ranges, names)},
        allowed={n: _several(text, schema[n]) for n, text in pairs(allow, names)},
        n=count,
    )
    if output is not None:
        write_table(output, _changed_rows(found), output_format)
    if as_json or output != "-":
        result = {"row": numbers[0], **found.to_dict(), "output": output}
        wrote = f"\n\nWrote {output}." if output else ""
        say(as_json, result, lambda: _changes(found) + wrote)


def _wanted(text: str, feature: Feature) -> Any:
    from vicinal.cli.io.cells import value_as

    return _range(text, feature) if ".." in text else value_as(text, feature)


def _range(text: str, feature: Feature) -> tuple[Any, Any]:
    from vicinal.cli.io.cells import value_as
    from vicinal.exceptions import ParameterError

    low, dots, high = text.partition("..")
    if not dots:
        raise ParameterError(f"got {text!r} for {feature.name!r}; expected LOW..HIGH.")
    return value_as(low, feature), value_as(high, feature)


def _several(text: str, feature: Feature) -> list[Any]:
    from vicinal.cli.io.cells import value_as

    return [value_as(one, feature) for one in text.split(",")]


def _changed_rows(found: Counterfactuals) -> dict[str, list[Any]]:
    names = list(found[0].row) if len(found) else []
    columns: dict[str, list[Any]] = {name: [one.row[name] for one in found] for name in names}
    columns[found.target] = [one.prediction for one in found]
    columns["changed"] = ["; ".join(one.changes) for one in found]
    columns["conviction"] = [one.conviction for one in found]
    columns["case"] = [one.case for one in found]
    return columns


def _changes(found: Counterfactuals) -> str:
    from vicinal.cli.terminal import terminal_table
    from vicinal.formatting.values import format_percent, format_value

    parts = [found.message]
    for one in found:
        if one.changes:
            table = {
                "feature": list(one.changes),
                "is": [format_value(before) for before, _ in one.changes.values()],
                "would be": [format_value(after) for _, after in one.changes.values()],
            }
            parts.append(terminal_table(table))
        share = one.probabilities
        sure = "" if share is None else f" ({format_percent(share[one.prediction])})"
        parts.append(
            f"Then {found.target} would be {format_value(one.prediction)}{sure}, as of the real "
            "case "
            f"{one.case}; conviction {one.conviction:.2f}, where 1 is ordinary."
        )
    return "\n\n".join(parts)
