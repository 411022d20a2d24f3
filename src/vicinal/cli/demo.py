"""The report of ``vicinal demo``: a table in, text out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vicinal.cli.answers import anomaly_section, change_section, renumbered, why_section
from vicinal.cli.layout import columns, section
from vicinal.cli.pictures import draw_demo
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import value_text
from vicinal.model.model import Model
from vicinal.neighbors import Neighbors
from vicinal.schema.schema import Schema

__all__ = ["demo_report"]

Table = Mapping[str, Sequence[Any]]


def demo_report(
    table: Table,
    *,
    case: int,
    k: int,
    title: str = "A table",
    target: str | None = None,
    fixed: Sequence[str] = (),
    plots: str | Path | None = None,
) -> str:
    """Fit a table without one of its cases, and say what is near that case and why.

    Parameters
    ----------
    table : mapping of str to sequence
        The columns by name.
    case : int
        The row to set aside and to ask about.
    k : int
        How many of its nearest cases to show.
    title : str
        What the table is, to begin the report with.
    target : str, optional
        A feature to predict for the case and to explain.
    fixed : sequence of str
        Features that stay as they are when the case is changed to get another answer.
    plots : path, optional
        A folder to write plots of the explanation to.

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
    gaps = sum(value_text(value) == "?" for values in table.values() for value in values)
    parts = [
        f"{title}: {n} cases, {len(table)} features, {gaps} missing values.\n"
        f"Case {case} is set aside; the model sees the other {n - 1}.",
        schema_section(model.schema_),
        residuals_section(model.residual_history_, converged=model.residuals_converged_),
        neighbors_section(table, case, found, origin),
    ]
    if target is not None:
        why = renumbered(model.explain(asked, target)[0], origin)
        parts += [why_section(why, case), anomaly_section(model.anomalies(), table, origin)]
        if why.probabilities is not None and len(why.probabilities) > 1:
            wanted = list(why.probabilities)[1]
            change = model.counterfactual(asked, target, wanted, immutable=fixed)
            parts.append(change_section(change, case, wanted, fixed, origin))
        if plots is not None:
            sample = {name: values[::3] for name, values in rest.items()}
            files = draw_demo(plots, model, why, asked, sample, label=f"case {case}")
            parts.append("\n  ".join(["Plots were written to", *map(str, files)]))
    return "\n\n".join(parts)


def schema_section(schema: Schema) -> str:
    """The schema that was inferred."""
    return section(
        "1. What the columns are",
        "Inferred from the table; you can overrule it. A missing value stands for all that is",
        'expected of its feature (or, if you say "distinct", for a value of its own).',
        "",
        str(schema),
    )


def residuals_section(history: Sequence[Mapping[str, float]], *, converged: bool) -> str:
    """The residuals, one column per round."""
    header = ["feature", "start", *(f"round {i}" for i in range(1, len(history)))]
    rows = [[name, *(f"{found[name]:.4g}" for found in history)] for name in history[-1]]
    return section(
        "2. Residuals: how well each feature follows from the others",
        "The error to expect when a feature is predicted from the nearest other cases: in its own",
        "unit or, for categories, as the probability not given to the true one. It starts as the",
        "spread of the feature by itself; each round measures distance with the residuals before.",
        "",
        columns([header, *rows]),
        "",
        "The last round changed next to nothing, so this is it."
        if converged
        else "They have not settled yet.",
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
        "Beside each value is the surprisal of its difference from the case: 1.5 nats if they are",
        "equal, more the larger the difference is in terms of the residual. The distance is the",
        "mean of these.",
        "",
        columns(rows),
    )
