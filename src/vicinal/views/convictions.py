"""Convictions: how many rows are unusual, and the most surprising ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.sheet import Bar, Grid, Sheet, left_out
from vicinal.formatting.values import format_count

_MOST = 10


def convictions_view(found: Any) -> Sheet:
    """Show `Convictions`: the most surprising rows first."""
    m, word = len(found), "case" if found.stored else "row"
    direction = found.direction
    counts = [format_count(int((direction == o).sum()), o) for o in ("outlier", "inlier")]
    title = f"Convictions of {format_count(m, word)}"
    if not m:
        return Sheet(title)
    order = np.argsort(found.similarity, kind="stable")[:_MOST]
    columns: list[tuple[str, Any]] = [
        (word, [row_name(found, int(one)) for one in found.cases[order]]),
        ("similarity", surprise_bars(found.similarity[order])),
    ]
    if found.familiarity is not None:
        columns.append(("familiarity", rounded(found.familiarity[order], 3)))
    columns += [("p", rounded(found.p_value[order])), ("direction", direction[order].tolist())]
    note = left_out(m - len(order), word)
    note += ", less surprising" * bool(note)
    said = [f"{' and '.join(counts)}; a conviction of 1 is ordinary."]
    if found.n_baseline is not None:
        typical = float(np.median(found.similarity_error / found.similarity))
        said.append(
            f"Compared with a sample of {found.n_baseline:,} cases: similarities have standard "
            f"errors of about {100 * typical:.2g} %."
        )
    return Sheet(title, tuple(said), (Grid("", columns, note=note),))


def row_name(found: Any, number: int) -> str:
    """Return what a judged case or row is called."""
    return found.case_labels.text(number) if found.stored else str(number)


def rounded(numbers: Any, digits: int = 2) -> list[float]:
    """Return numbers with this many significant digits.

    Examples
    --------
    >>> from vicinal.views.convictions import rounded
    >>> rounded([0.0028571, 12.3])
    [0.0029, 12.0]
    """
    return [float(f"{one:.{digits}g}") for one in numbers]


def surprise_bars(conviction: Any) -> list[Bar]:
    """Return convictions as bars of their surprise: negative for rows too close to others."""
    surprise = -np.log(np.maximum(conviction, 1e-300))
    most = float(np.abs(surprise[np.isfinite(surprise)]).max(initial=1.0))
    shares = np.clip(np.nan_to_num(surprise) / most, -1.0, 1.0)
    return [Bar(f"{one:.3g}", float(s)) for one, s in zip(conviction, shares, strict=True)]
