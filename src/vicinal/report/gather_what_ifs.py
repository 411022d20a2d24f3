"""Predictions for cases whose most important features are changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.values import format_value
from vicinal.report.grids import grid_of, is_ordered, places_of, with_margin
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import WhatIf
from vicinal.report.scales import SHARES
from vicinal.report.value_texts import value_texts
from vicinal.typing import Floats

#: Features that can be changed, values of each, and classes distinguished, at most.
_CHANGED, _GRID, _CLASSES = 3, 7, 6


def gather_what_ifs(
    held: HeldOut, cases: Sequence[int], names: Sequence[str]
) -> tuple[WhatIf, ...]:
    """Predict cases, each without itself, for all combinations of some values of features.

    These are the first of `names`, which have the most important features first.
    """
    varied = [name for name in names if len(grid_of(held.fitted, name, 2)) > 1][:_CHANGED]
    return tuple(_what_if(held, case, varied) for case in cases) if varied else ()


def _what_if(held: HeldOut, case: int, names: list[str]) -> WhatIf:
    fitted = held.fitted
    row = fitted.index.rows([case])[0]
    columns = [fitted.schema.column(name) for name in names]
    grids = [
        _with_own(grid_of(fitted, name, _GRID), row[column])
        for name, column in zip(names, columns, strict=True)
    ]
    rows = np.repeat(row[None, :], int(np.prod([len(grid) for grid in grids])), axis=0)
    rows[:, columns] = list(product(*(grid.tolist() for grid in grids)))
    classes, answers = held.predict(rows, np.full(len(rows), case), _CLASSES)
    numbers = () if classes else fitted.predicted(answers[:, 0], held.column)
    ordered = [is_ordered(fitted, name) for name in names]
    return WhatIf(
        case=case,
        features=tuple(names),
        ordered=tuple(ordered),
        texts=tuple(
            tuple(value_texts(fitted, grid, column))
            for grid, column in zip(grids, columns, strict=True)
        ),
        places=tuple(places_of(grid, line) for grid, line in zip(grids, ordered, strict=True)),
        own=tuple(_place(grid, row[one]) for grid, one in zip(grids, columns, strict=True)),
        classes=classes,
        answers=tuple(tuple(one) for one in answers.tolist()),
        answer_texts=tuple(format_value(whole_seconds(one)) for one in numbers),
        axis=SHARES if classes else held.axis(with_margin(answers[:, 0])),
        name=fitted.labels.text(case),
    )


def _with_own(grid: Floats, own: float) -> Floats:
    """The grid with the value that the case has; a missing one comes first."""
    if np.isnan(own):
        return np.concatenate([[np.nan], grid])
    return np.unique(np.append(grid, own))


def _place(grid: Floats, own: float) -> int:
    return 0 if np.isnan(own) else int(np.flatnonzero(grid == own)[0])
