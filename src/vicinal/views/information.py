"""Information of features: about a target, and about each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import format_seconds
from vicinal.formatting.sheet import Bar, Grid, Sheet, bars, left_out
from vicinal.formatting.values import format_count, format_percent, format_value

_MOST = 20


def information_view(found: Any) -> Sheet:
    """Show `Information`: the most informative features first."""
    target = format_value(found.target)
    error = (format_seconds if found.in_seconds else format_value)(found.mae)
    accuracy = "" if np.isnan(found.accuracy) else f", accuracy {found.accuracy:.3g}"
    notes = (
        f"H({target}) = {found.entropy_before:.3g} nats, given the context {found.entropy:.3g}; "
        f"mean error {error}{accuracy}.",
    )
    change = np.where(np.isnan(found.lost), found.gained, found.lost)
    order = np.argsort(-np.nan_to_num(change, nan=-np.inf), kind="stable")[:_MOST]
    columns: list[tuple[str, Any]] = [
        ("feature", [found.names[i] for i in order]),
        ("alone", bars(found.alone[order])),
    ]
    for name, values in (("dropping loses", found.lost), ("adding gains", found.gained)):
        if not np.isnan(values).all():
            columns.append((name, _known_bars(values[order])))
    note = left_out(len(found) - len(order), "feature")
    title = f"Information about {target}, from {_sampled(found)}"
    return Sheet(title, notes, (Grid("In nats", columns, note=note),) if len(order) else ())


def matrix_view(found: Any) -> Sheet:
    """Show an `InformationMatrix`: the strongest pairs, then all of them for the curious."""
    d = len(found)
    title = f"Information among {format_count(d, 'feature')}, from {_sampled(found)}"
    pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    pairs.sort(key=lambda pair: -np.nan_to_num(found.values[pair], nan=-np.inf))
    shown = pairs[:10]
    columns: list[tuple[str, Any]] = [
        ("feature", [found.names[j] for _, j in shown]),
        ("about", [found.names[i] for i, _ in shown]),
        ("nats", bars(found.values[pair] for pair in shown)),
        *_standard_errors(found, shown),
        ("error removed", [format_percent(float(found.explained[pair])) for pair in shown]),
    ]
    note = left_out(len(pairs) - len(shown), "pair")
    grids = (Grid("", columns, note=note), *_whole(found)) if shown else ()
    return Sheet(title, grids=grids)


def _standard_errors(found: Any, shown: list[tuple[int, int]]) -> list[tuple[str, Any]]:
    if found.standard_errors is None:
        return []
    return [("standard error", [f"{found.standard_errors[pair]:.2g}" for pair in shown])]


def _sampled(found: Any) -> str:
    """How many cases were measured, of how many if a time budget did not suffice for all."""
    every = found.n_held_out
    fewer = every is not None and found.n_cases < every
    cases = format_count(every if fewer else found.n_cases, "held-out case")
    return f"{found.n_cases} of {cases}" if fewer else cases


def _whole(found: Any) -> list[Grid]:
    if len(found) > _MOST:
        return []
    values = np.round(found.values, 3)
    columns: list[tuple[str, Any]] = [("about", list(found.names))]
    columns += [(name, values[:, j].tolist()) for j, name in enumerate(found.names)]
    return [Grid("All pairs: nats that the column has about the row", columns, detail=True)]


def _known_bars(values: Any) -> list[Bar]:
    """Bars of the known values, and empty cells."""
    made = bars(values)
    return [Bar("", 0.0) if np.isnan(v) else bar for v, bar in zip(values, made, strict=True)]
