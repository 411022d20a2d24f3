"""``vicinal demo``: a tour on a small table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import say
from vicinal.exceptions import ParameterError
from vicinal.formatting.values import value_text

if TYPE_CHECKING:
    from vicinal.cli.demo_sections import Table
    from vicinal.explain.explanation.result import Explanation
    from vicinal.model.model import Model

_NEXT = """To look around in this table yourself, in the browser:
  vicinal explore        (in a checkout: make explore)"""


@cli.command("""
vicinal demo
vicinal demo --case 3 -k 8
vicinal demo --plots pictures
""")
@click.option("--case", default=200, show_default=True, help="Row of the table to hold out.")
@click.option(
    "-k", "--neighbors", "k", default=3, show_default=True, help="Number of neighbors to show."
)
@click.option(
    "--plots", metavar="FOLDER", type=click.Path(file_okay=False), help="Write plots to FOLDER."
)
@cli.json_option
def demo(case: int, k: int, plots: str | None, as_json: bool) -> None:
    """Take a tour on a small table of penguins.

    Fits the table without one case. Shows the inferred schema, the residuals of each round, and
    the nearest neighbors of the case; then predicts its species, explains the prediction and an
    anomaly, and finds the smallest change to another species.
    """
    from vicinal.data import load_penguins

    report = demo_report(
        load_penguins(),
        case=case,
        k=k,
        title="Penguins of Antarctica",
        target="species",
        fixed=("sex", "year"),
        plots=plots,
    )
    result = {"case": case, "neighbors": k, "report": report.splitlines()}
    say(as_json, result, lambda: f"{report}\n\n{_NEXT}")


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
    """Fit a table without one of its cases, and report on that case and its `k` neighbors.

    With a target, its prediction is explained too, and changed while the `fixed` features stay as
    they are; `plots` is a folder for plots of the explanation.
    """
    from vicinal.cli import demo_sections as sections
    from vicinal.model.model import Model

    n = len(next(iter(table.values())))
    if not 0 <= case < n:
        raise ParameterError(f"got case {case}, expected one of the table's rows, 0 to {n - 1}")
    # Row numbers that the model gives are numbers in `rest`; `origin` takes them back.
    origin = [row for row in range(n) if row != case]
    rest = {name: [values[row] for row in origin] for name, values in table.items()}
    held_out = {name: [values[case]] for name, values in table.items()}

    model = Model().fit(rest)
    near = model.neighbors(held_out, k=k, terms=True)
    n_missing = sum(value_text(value) == "?" for values in table.values() for value in values)
    parts = [
        f"{title}: {n} cases, {len(table)} features, {n_missing} missing values.\n"
        f"Case {case} is held out; the model is fitted to the other {n - 1}.",
        sections.schema_section(model.schema_),
        sections.residuals_section(model.residual_history_, converged=model.residuals_converged_),
        sections.neighbors_section(table, case, near, origin),
    ]
    if target is None:
        return "\n\n".join(parts)
    why = sections.renumbered(model.explain(held_out, target)[0], origin)
    parts += [
        sections.explanation_section(why, case),
        sections.anomaly_section(model.anomalies(), table, origin),
    ]
    if why.probabilities is not None and len(why.probabilities) > 1:
        wanted = list(why.probabilities)[1]
        found = model.counterfactual(held_out, target, wanted, immutable=fixed)
        parts.append(sections.counterfactual_section(found, case, wanted, fixed, origin))
    if plots is not None:
        sample = {name: values[::3] for name, values in rest.items()}
        files = write_plots(plots, model, why, held_out, sample, label=f"case {case}")
        parts.append("\n  ".join(["Plots were written to", *map(str, files)]))
    return "\n\n".join(parts)


def write_plots(
    folder: str | Path, model: Model, why: Explanation, row: Any, sample: Any, *, label: str
) -> list[Path]:
    """Plot an explanation, the contributions in a sample of rows, and how unusual the row is."""
    from vicinal.plots import ContributionDisplay, ConvictionDisplay
    from vicinal.plots.style import plotting

    pyplot = plotting()
    pyplot.switch_backend("agg")  # files only: a machine without a screen will do
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    displays = {
        "explanation.png": why.plot(),
        "features.png": ContributionDisplay.from_contributions(
            model.contributions(sample, why.target),
            outcome=None if why.probabilities is None else why.prediction,
        ),
        "conviction.png": ConvictionDisplay.from_model(model, row, labels=[label]),
    }
    for name, display in displays.items():
        display.figure_.savefig(place / name, dpi=130)
        pyplot.close(display.figure_)
    return [place / name for name in displays]
