"""Colors and axes that all displays share."""

from __future__ import annotations

from typing import Any

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import printable, truncate

# After Okabe and Ito, so that color-blind readers can tell them apart.
UP, DOWN = "#2878b5", "#d0692e"
INK, SOFT, LINE, MARK, OWN = "#22292f", "#77828c", "#d5dae0", "#ffe0a8", "#e6f0f7"
PALETTE = ("#2878b5", "#d0692e", "#2f9e77", "#b15a9b", "#c9a227", "#56b4e9", "#8a8f94", "#7b5ea7")

_SIZE = 9.5


def plotting() -> Any:
    """Import matplotlib.pyplot, or say how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise ParameterError(
            "Plots need matplotlib, which is not installed; install it with: "
            "pip install vicinal[plots]"
        ) from error
    return plt


def axes_of(ax: Any, width: float, height: float) -> Any:
    """Return the axes to draw on: the ones given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    _, ax = plotting().subplots(figsize=(width, height), layout="constrained")
    return ax


def tidy(ax: Any, *, title: str = "", xlabel: str = "") -> None:
    """Remove what carries no information, and set the title."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="y", length=0, labelsize=_SIZE, labelcolor=INK)
    ax.tick_params(axis="x", color=LINE, labelsize=_SIZE - 1, labelcolor=SOFT)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(_literal(title), loc="left", fontsize=_SIZE + 1.5, color=INK, pad=10)
    if xlabel:
        ax.set_xlabel(_literal(xlabel), fontsize=_SIZE, color=SOFT)


def shorten(text: str, most: int = 28) -> str:
    """Return text for matplotlib: in one line, not too long, and never read as mathematics."""
    return _literal(truncate(printable(text), most))


def _literal(text: str) -> str:
    # Between two dollar signs matplotlib would read TeX, and fail on what is none.
    return text.replace("\\", "\\\\").replace("$", r"\$") if "$" in text else text
