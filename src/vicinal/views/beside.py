"""A table of a row and the cases beside it, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vicinal.formatting.sheet import Grid, Marked

#: With more features than this, those that differ most come first.
_MANY = 10


def beside_grid(
    compared: Any,
    at: int,
    *,
    name: Callable[[int], str],
    caption: str,
    own: str,
    columns: Mapping[str, Sequence[Any]] | None = None,
    note: str = "",
    detail: bool = False,
) -> Grid:
    """Put a row of `Comparisons` above its cases; values that differ are marked.

    Parameters
    ----------
    compared : Comparisons
        The rows and cases.
    at : int
        The row to show.
    name : callable
        What a case of this number is called.
    caption, note, detail
        As in `Grid`.
    own : str
        What to call the row.
    columns : mapping of str to sequence, optional
        More columns before the features: the cell of the row, then those of the cases.
    """
    given, cases = compared.given(at), compared.beside(at)
    differs, nats = compared.differs(at), compared.surprisals(at)
    numbers = compared.numbers[at][compared.numbers[at] >= 0]
    shown: list[tuple[str, Sequence[Any]]] = [("", [own, *map(name, numbers.tolist())])]
    shown += list((columns or {}).items())
    for i in _order(nats):
        feature = compared.names[i]
        cells = [
            Marked(case[feature], f"surprisal {nats[j, i]:.2f} nats")
            if differs[j, i]
            else case[feature]
            for j, case in enumerate(cases)
        ]
        shown.append((feature, [given[feature], *cells]))
    return Grid(caption, shown, own=frozenset({0}), note=note, detail=detail)


def _order(nats: Any) -> list[int]:
    places = np.arange(nats.shape[1])
    if len(places) <= _MANY or not len(nats):
        return places.tolist()
    return np.argsort(-np.nan_to_num(nats).mean(axis=0), kind="stable").tolist()
