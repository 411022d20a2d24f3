"""Colors and axes that all displays share."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import printable, truncate

# After Okabe and Ito, so that color-blind readers can tell them apart.
UP, DOWN = "#2878b5", "#d0692e"
INK, SOFT, LINE, MARK, OWN = "#22292f", "#77828c", "#d5dae0", "#ffe0a8", "#e6f0f7"
PALETTE = ("#2878b5", "#d0692e", "#2f9e77", "#b15a9b", "#c9a227", "#56b4e9", "#8a8f94", "#7b5ea7")

_SIZE = 9.5
#: Inches that a character takes, on average and at most: in labels of axes, and in titles.
CHARACTER, _OF_TITLE = 0.07, 0.082
#: Share of their part of the figure that axes take before they are laid out.
_USUAL_WIDTH = 0.775


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


def tidy(ax: Any, *, title: str = "", xlabel: str = "", pad: float = 10.0) -> None:
    """Remove what carries no information, and set the title, in lines that fit the figure."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="y", length=0, labelsize=_SIZE, labelcolor=INK)
    ax.tick_params(axis="x", color=LINE, labelsize=_SIZE - 1, labelcolor=SOFT)
    ax.set_axisbelow(True)
    inches = width_between(ax)
    if title:
        text = in_lines(title, int(inches / _OF_TITLE))
        ax.set_title(text, loc="left", fontsize=_SIZE + 1.5, color=INK, pad=pad)
    if xlabel:
        ax.set_xlabel(in_lines(xlabel, int(inches / CHARACTER)), fontsize=_SIZE, color=SOFT)


def width_between(ax: Any) -> float:
    """Return about how many inches are to the right of the labels of axes."""
    longest = max((len(one.get_text()) for one in ax.get_yticklabels()), default=0)
    whole = ax.bbox.width / ax.figure.dpi / _USUAL_WIDTH
    return max(whole - CHARACTER * longest - 0.3, 3.0)


def in_lines(text: str, width: int) -> str:
    r"""Return text for matplotlib in lines of at most so many characters.

    Matplotlib's own wrapping confuses its layout, which measures text while axes have no size yet.

    Examples
    --------
    >>> from vicinal.plots.style import in_lines
    >>> in_lines("from 1496 (baseline) to 543.5", 22)
    'from 1496 (baseline)\nto 543.5'
    """
    return _literal("\n".join(wrap(text, width, break_on_hyphens=False)))


def shorten(text: str, most: int = 28) -> str:
    """Return text for matplotlib: in one line, not too long, and never read as mathematics."""
    return _literal(truncate(printable(text), most))


def _literal(text: str) -> str:
    # Between two dollar signs matplotlib would read TeX, and fail on what is none.
    return text.replace("\\", "\\\\").replace("$", r"\$") if "$" in text else text
