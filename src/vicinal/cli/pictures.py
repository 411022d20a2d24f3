"""The plots of ``vicinal demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vicinal.explain.explanation.result import Explanation
from vicinal.model.model import Model
from vicinal.plots import ContributionDisplay, ConvictionDisplay
from vicinal.plots.style import plotting

__all__ = ["draw_demo"]


def draw_demo(
    folder: str | Path, model: Model, why: Explanation, row: Any, sample: Any, *, label: str
) -> list[Path]:
    """Draw an explanation, the features over many rows, and how unusual a row is.

    Parameters
    ----------
    folder : path
        Where to write; it is made if it is not there.
    model : Model
        The cases.
    why : Explanation
        The explanation to draw.
    row : table
        The row that is explained.
    sample : table
        Rows to sum up the features of.
    label : str
        What to call the row.

    Returns
    -------
    list of Path
        The files.
    """
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
