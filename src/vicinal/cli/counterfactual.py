"""``vicinal counterfactual``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output
from vicinal.exceptions import ParameterError
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.text_table import text_table
from vicinal.formatting.values import format_percent, format_value, json_value
from vicinal.table_files.cells import value_as

if TYPE_CHECKING:
    from vicinal.counterfactual.result import Counterfactual, Counterfactuals
    from vicinal.schema.feature import Feature
    from vicinal.schema.schema import Schema


@cli.command("""
vicinal counterfactual penguins.vicinal new.csv --row 0 -t species --want Gentoo
vicinal counterfactual penguins.csv --case 200 -t species --want Adelie --fix sex --fix year
vicinal counterfactual penguins.vicinal --case 3 -t body_mass_g --want 4000..
vicinal counterfactual loans.csv --case 7 -t granted --want yes --range income=0..50000 --up age
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.target_option
@click.option("--want", metavar="VALUE", help="A category, or a range: 3000..4000 or 3000..")
@click.option(
    "--row", "place", type=click.IntRange(0), help="Row of ROWS, counted from 0. [default: 0]"
)
@cli.case_option
@cli.set_option
@cli.repeated("--fix", metavar="NAME", help="Feature to hold fixed.")
@cli.repeated("--up", metavar="NAME", help="Feature that may only increase.")
@cli.repeated("--down", metavar="NAME", help="Feature that may only decrease.")
@cli.ranges_option
@cli.allow_option
@click.option("-n", "count", default=1, show_default=True, help="Maximum number of results.")
@cli.model_options
@cli.output_options
def counterfactual(
    paths: tuple[str, ...],
    target: str | None,
    want: str | None,
    place: int | None,
    case: str | None,
    given: tuple[str, ...],
    count: int,
    options: cli.Options,
    output: Output,
    **limits: tuple[str, ...],
) -> None:
    """Find the smallest change that changes a prediction.

    Every counterfactual is close to a stored case, satisfies all constraints, and is confirmed
    by a prediction of the model. If there is none, the constraint that prevents it is named.
    """
    from vicinal.cli.sources import select_rows

    if want is None:
        raise click.UsageError(
            "Missing option '--want': a category, such as --want yes, or a range, such as "
            "--want 3000..4000."
        )
    output.check()
    places = () if place is None else (place,)
    chosen = select_rows(paths, target, places, case, given, options, most=1)
    schema = chosen.model.schema_
    wanted = (_range if ".." in want else value_as)(want, schema[chosen.target])
    found = chosen.model.counterfactual(
        chosen.rows, chosen.target, wanted, **constraints(schema, **limits), n=count
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
    return {
        "immutable": fix,
        "directions": dict.fromkeys(up, "increase") | dict.fromkeys(down, "decrease"),
        "ranges": read_ranges(schema, ranges),
        "allowed": read_allowed(schema, allow),
    }


def read_ranges(schema: Schema, ranges: tuple[str, ...]) -> dict[str, tuple[Any, Any]]:
    """Read ``NAME=LOW..HIGH``, by name; either end may be open."""
    from vicinal.cli.sources import pairs

    return {name: _range(text, schema[name]) for name, text in pairs(ranges, schema.names)}


def read_allowed(schema: Schema, allow: tuple[str, ...]) -> dict[str, list[Any]]:
    """Read ``NAME=A,B,…``, by name."""
    from vicinal.cli.sources import pairs

    return {
        name: [value_as(one, schema[name]) for one in text.split(",")]
        for name, text in pairs(allow, schema.names)
    }


def changed_rows(found: Counterfactuals) -> dict[str, list[Any]]:
    """Return the counterfactual rows as columns, with the prediction of each."""
    names = list(found[0].row) if len(found) else []
    columns: dict[str, list[Any]] = {name: [one.row[name] for one in found] for name in names}
    columns[found.target] = [one.prediction for one in found]
    columns["changed"] = ["; ".join(one.changes) for one in found]
    columns["conviction"] = [one.conviction for one in found]
    columns["case"] = [json_value(one.case_name) for one in found]
    return columns


def _range(text: str, feature: Feature) -> tuple[Any, Any]:
    low, dots, high = text.partition("..")
    if not dots:
        raise ParameterError(f"got {text!r} for {feature.name!r}; expected LOW..HIGH.")
    return value_as(low, feature), value_as(high, feature)


def _text(found: Counterfactuals, path: str | None) -> str:
    parts = [found.message, *(part for one in found for part in _change(one, found.target))]
    return "\n\n".join(parts + ([f"Wrote {path}."] if path else []))


def _change(one: Counterfactual, target: str) -> list[str]:
    table = {
        "feature": list(one.changes),
        "current": [format_value(before) for before, _ in one.changes.values()],
        "changed": [format_value(after) for _, after in one.changes.values()],
    }
    shares = one.probabilities
    share = "" if shares is None else f" ({format_percent(shares[one.prediction])})"
    outcome = (
        f"The predicted {target} is then {format_value(whole_seconds(one.prediction))}{share}, "
        f"supported by case {one.case_text}; the conviction is {one.conviction:.2f}, where 1 is "
        "ordinary."
    )
    return [text_table(table), outcome] if one.changes else [outcome]
