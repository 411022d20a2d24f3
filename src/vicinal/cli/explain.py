"""``vicinal explain``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output
from vicinal.formatting.values import format_count
from vicinal.progress import track

if TYPE_CHECKING:
    from vicinal.cli.sources import Selection
    from vicinal.explain.explanation.result import Explanations

#: Rows explained between two steps of the progress bar.
_STEP = 8


@cli.command("""
vicinal explain penguins.vicinal new.csv --target species --row 0
vicinal explain penguins.csv --target species --case 200
vicinal explain penguins.vicinal -t species --set island=Dream --set body_mass_g=3700
vicinal explain penguins.vicinal new.csv -t species --part features -o why.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@cli.target_option
@cli.places_option
@cli.case_option
@cli.set_option
@cli.alpha_option
@click.option("--change", is_flag=True, help="Also find the smallest change to another category.")
@click.option(
    "--part",
    type=click.Choice(["prediction", "cases", "boundary", "features", "conviction"]),
    default="cases",
    show_default=True,
    help="Part of the explanation that -o writes.",
)
@cli.model_options
@cli.output_options
def explain(
    paths: tuple[str, ...],
    target: str | None,
    places: tuple[int, ...],
    case: str | None,
    given: tuple[str, ...],
    alpha: float,
    change: bool,
    part: str,
    options: cli.Options,
    output: Output,
) -> None:
    """Explain predictions by cases and features.

    Shows the prediction and its uncertainty, the training cases behind it with their influences,
    the contribution of each feature, the nearest cases with another outcome, and how unusual the
    row is. Without --row, the first rows are shown.
    """
    from vicinal.cli.sources import select_rows

    output.check()
    chosen = select_rows(paths, target, places, case, given, options, most=output.few_rows)
    found = explain_rows(chosen, alpha=alpha, change=change)
    output.deliver(
        lambda: part_columns(found, part, chosen.numbers),
        lambda: {"target": chosen.target, "explanations": _records(found, chosen.numbers)},
        lambda: _text(found, chosen, part, output.path),
    )


def explain_rows(chosen: Selection, *, alpha: float, change: bool) -> Explanations:
    """Explain the chosen rows a few at a time, with a progress bar."""
    from vicinal.explain.explanation.result import Explanations
    from vicinal.stored_cases import StoredCases
    from vicinal.tables.frames import as_frame

    model, rows, target = chosen.model, chosen.rows, chosen.target
    # A change leads to the next most probable category; numbers have no such alternative.
    change = change and str(model.schema_[target].kind) == "nominal"
    if isinstance(rows, StoredCases):
        return model.explain(rows, target, alpha=alpha, counterfactuals=change)
    frame = as_frame(rows)
    starts = range(0, len(chosen.numbers), _STEP)
    found: list[Any] = []
    for start in track(starts, total=len(starts), what="explaining"):
        step = slice(start, start + _STEP)
        some = (
            {name: values[step] for name, values in rows.items()}
            if frame is None
            else frame[step].to_native()
        )
        found += model.explain(some, target, alpha=alpha, counterfactuals=change)
    return Explanations(found)


def part_columns(found: Explanations, part: str, numbers: Sequence[Any]) -> dict[str, list[Any]]:
    """Return one part of all explanations as columns, with the row of each."""
    joined: dict[str, list[Any]] = {"row": []}
    for at, one in zip(numbers, found, strict=True):
        columns = one.columns(part)
        for name, values in columns.items():
            joined.setdefault(f"{name}_" if name == "row" else name, []).extend(values)
        joined["row"] += [at] * len(next(iter(columns.values())))
    return joined


def _records(found: Explanations, numbers: Sequence[Any]) -> list[dict[str, Any]]:
    return [{**one, "row": at} for one, at in zip(found.to_dict(), numbers, strict=True)]


def _text(found: Explanations, chosen: Selection, part: str, path: str | None) -> str:
    if path is not None:
        return f"Explained {format_count(len(found), 'row')}; wrote the {part} to {path}."
    word = "Case" if chosen.stored else "Row"
    parts = [f"{word} {at}\n{why}" for why, at in zip(found, chosen.numbers, strict=True)]
    if chosen.total > len(found):
        parts.append(f"The first {len(found)} of {chosen.total} rows; --row N explains another.")
    return "\n\n".join(parts)
