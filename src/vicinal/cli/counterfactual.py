"""``vicinal counterfactual``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.options import (
    Options,
    case_option,
    command,
    model_options,
    output_options,
    repeated,
    set_option,
    target_option,
)
from vicinal.cli.output import Output

if TYPE_CHECKING:
    from vicinal.counterfactual.result import Counterfactual, Counterfactuals
    from vicinal.schema.feature import Feature
    from vicinal.schema.schema import Schema


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
    "--want", required=True, metavar="VALUE", help="A category, or a range: 3000..4000, 3000.. "
)
@click.option(
    "--row", "place", type=click.IntRange(0), help="Row of ROWS, counted from 0. [default: 0]"
)
@case_option
@set_option
@repeated("--fix", metavar="NAME", help="Feature to hold fixed.")
@repeated("--up", metavar="NAME", help="Feature that may only increase.")
@repeated("--down", metavar="NAME", help="Feature that may only decrease.")
@repeated("--range", "ranges", metavar="NAME=LOW..HIGH", help="Range allowed for a feature.")
@repeated("--allow", metavar="NAME=A,B,…", help="Values allowed for a feature.")
@click.option("-n", "count", default=1, show_default=True, help="Maximum number of results.")
@model_options
@output_options
def counterfactual(
    paths: tuple[str, ...],
    target: str,
    want: str,
    place: int | None,
    case: int | None,
    given: tuple[str, ...],
    count: int,
    options: Options,
    output: Output,
    **limits: tuple[str, ...],
) -> None:
    """Find the smallest change that changes a prediction.

    Every counterfactual is close to a stored case, satisfies all constraints, and is confirmed
    by a prediction of the model. If there is none, the constraint that prevents it is named.
    """
    from vicinal.cli.sources import select_rows

    output.check()
    places = () if place is None else (place,)
    chosen = select_rows(paths, target, places, case, given, options, most=1)
    schema = chosen.model.schema_
    found = chosen.model.counterfactual(
        chosen.rows,
        target,
        _wanted(want, schema[target]),
        **constraints(schema, **limits),
        n=count,
    )
    output.deliver(
        lambda: changed_rows(found),
        lambda: {"row": chosen.numbers[0], **found.to_dict()},
        lambda: _text(found, output.path),
    )


def constraints(
    schema: Schema,
    *,
    fix: tuple[str, ...] = (),
    up: tuple[str, ...] = (),
    down: tuple[str, ...] = (),
    ranges: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Read options as the constraints of `Model.counterfactual`."""
    from vicinal.cli.sources import pairs

    return {
        "immutable": fix,
        "directions": dict.fromkeys(up, "increase") | dict.fromkeys(down, "decrease"),
        "ranges": {n: _range(text, schema[n]) for n, text in pairs(ranges, schema.names)},
        "allowed": {n: _several(text, schema[n]) for n, text in pairs(allow, schema.names)},
    }


def changed_rows(found: Counterfactuals) -> dict[str, list[Any]]:
    """Return the counterfactual rows as columns, with the prediction of each."""
    names = list(found[0].row) if len(found) else []
    columns: dict[str, list[Any]] = {name: [one.row[name] for one in found] for name in names}
    columns[found.target] = [one.prediction for one in found]
    columns["changed"] = ["; ".join(one.changes) for one in found]
    columns["conviction"] = [one.conviction for one in found]
    columns["case"] = [one.case for one in found]
    return columns


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


def _text(found: Counterfactuals, path: str | None) -> str:
    parts = [found.message, *(part for one in found for part in _change(one, found.target))]
    return "\n\n".join(parts + ([f"Wrote {path}."] if path else []))


def _change(one: Counterfactual, target: str) -> list[str]:
    from vicinal.formatting.text_table import text_table
    from vicinal.formatting.values import format_percent, format_value

    table = {
        "feature": list(one.changes),
        "current": [format_value(before) for before, _ in one.changes.values()],
        "changed": [format_value(after) for _, after in one.changes.values()],
    }
    shares = one.probabilities
    share = "" if shares is None else f" ({format_percent(shares[one.prediction])})"
    outcome = (
        f"The predicted {target} is then {format_value(one.prediction)}{share}, supported by "
        f"case {one.case}; the conviction is {one.conviction:.2f}, where 1 is ordinary."
    )
    return [text_table(table), outcome] if one.changes else [outcome]
