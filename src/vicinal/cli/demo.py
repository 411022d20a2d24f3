"""The report of ``vicinal demo``: a table in, text out."""

from collections.abc import Mapping, Sequence
from typing import Any

from vicinal.cli.layout import columns, section
from vicinal.exceptions import ParameterError
from vicinal.features import Schema
from vicinal.index import Neighbors
from vicinal.model import Model

__all__ = ["demo_report"]

Table = Mapping[str, Sequence[Any]]


def demo_report(table: Table, *, case: int, k: int) -> str:
    """Fit a table without one of its cases, and say what is near that case and why.

    Parameters
    ----------
    table : mapping of str to sequence
        The columns by name.
    case : int
        The row to set aside and to ask about.
    k : int
        How many of its nearest cases to show.

    Returns
    -------
    str
        The report, in plain text.
    """
    n = len(next(iter(table.values())))
    if not 0 <= case < n:
        raise ParameterError(f"got case {case}, expected one of the table's rows, 0 to {n - 1}")
    # Row numbers that the model gives are numbers in `rest`; `origin` takes them back.
    origin = [row for row in range(n) if row != case]
    rest = {name: [values[row] for row in origin] for name, values in table.items()}
    asked = {name: [values[case]] for name, values in table.items()}

    model = Model().fit(rest)
    found = model.neighbors(asked, k=k, terms=True)
    return "\n\n".join(
        [
            f"{n} cases of {len(table)} features; case {case} is set aside, "
            f"the model sees the other {n - 1}.",
            schema_section(model.schema_),
            residuals_section(model.residual_history_),
            neighbors_section(table, case, found, origin),
        ]
    )


def schema_section(schema: Schema) -> str:
    """The schema that was inferred."""
    return section("1. What the columns are (inferred)", str(schema))


def residuals_section(history: Sequence[Mapping[str, float]]) -> str:
    """The residuals, one column per round."""
    header = ["feature", "start", *(f"round {i}" for i in range(1, len(history)))]
    rows = [[name, *(f"{found[name]:.4g}" for found in history)] for name in history[-1]]
    return section(
        "2. Residuals: how well each feature follows from the others",
        "Expected error of a prediction from the nearest other cases. It starts as the spread of",
        "the feature by itself; each round measures with the residuals of the one before. In the",
        "feature's own unit; if nominal, the probability not given to the true category.",
        "",
        columns([header, *rows]),
    )


def neighbors_section(table: Table, case: int, found: Neighbors, origin: Sequence[int]) -> str:
    """Down the features, across the cases: each neighbour's value beside its surprisal."""
    assert found.terms is not None
    known = [i for i, index in enumerate(found.indices[0]) if index >= 0]
    near = [origin[found.indices[0, i]] for i in known]
    rows = [["feature", f"#{case}"], ["distance", ""]]
    for i, row in zip(known, near, strict=True):
        rows[0] += [f"#{row}", "nats"]
        rows[1] += ["", f"{found.distances[0, i]:.3f}"]
    for j, name in enumerate(found.names):
        rows.append([name, value_text(table[name][case])])
        for i, row in zip(known, near, strict=True):
            rows[-1] += [value_text(table[name][row]), f"{found.terms[0, i, j]:.2f}"]
    return section(
        f"3. The cases nearest to case {case}, and why",
        "Beside each value how surprising its difference from the case is, in nats: 1.5 if equal,",
        "more the larger the difference is beside the residual. The distance is their mean.",
        "",
        columns(rows),
    )


def value_text(value: Any) -> str:
    """One value as text; ``?`` where it is missing.

    Examples
    --------
    >>> value_text(39.10), value_text("Biscoe"), value_text(None), value_text(float("nan"))
    ('39.1', 'Biscoe', '?', '?')
    """
    if value is None or value != value:  # noqa: PLR0124 (NaN alone differs from itself)
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value)
