"""Information of features about a target as bars, and about each other as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.plots.style import DOWN, INK, LINE, SOFT, UP, axes_of, shorten, tidy

_MOST = 20


def draw_information(found: Any, ax: Any = None) -> Any:
    """Draw two bars for each feature of `Information`: alone, and beside the others."""
    if not len(found):
        raise ParameterError("There is nothing to draw: the result is empty.")
    change = np.where(np.isnan(found.lost), found.gained, found.lost)
    order = np.argsort(-np.nan_to_num(change, nan=-np.inf), kind="stable")[:_MOST]
    ax = axes_of(ax, 6.4, 1.5 + 0.42 * len(order))
    places = np.arange(len(order))
    ax.barh(places - 0.2, found.alone[order], height=0.38, color=LINE, label="alone")
    ax.barh(places + 0.2, change[order], height=0.38, color=UP, label="beside the others")
    ax.axvline(0, color=SOFT, linewidth=0.8)
    ax.set_yticks(places, [shorten(found.names[i], 32) for i in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.legend(frameon=False, fontsize=8.5, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    title = f"Information about {shorten(found.target, 40)}"
    tidy(ax, title=title, xlabel="nats", pad=28)  # the legend is below the title
    return ax


def draw_matrix(found: Any, ax: Any = None) -> Any:
    """Draw an `InformationMatrix` as a heat map; return the axes."""
    d = min(len(found), 2 * _MOST)
    if d < 2:
        raise ParameterError("There is nothing to draw: there is only one feature.")
    from matplotlib.colors import LinearSegmentedColormap

    values = found.values[:d, :d]
    side = 2.2 + 0.42 * d
    ax = axes_of(ax, side + 0.6, side)
    most = float(np.nanmax(np.abs(values))) or 1.0
    colors = LinearSegmentedColormap.from_list("information", [DOWN, "white", UP])
    ax.imshow(values, cmap=colors, vmin=-most, vmax=most)
    for i, j in zip(*np.nonzero(~np.isnan(values)), strict=True):
        if d <= _MOST:
            dark = abs(values[i, j]) > 0.65 * most
            text = f"{values[i, j]:.2f}".replace("-0.00", "0.00").replace("0.", ".")
            ax.text(
                j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else INK
            )
    names = [shorten(name, 24) for name in found.names[:d]]
    ax.set_xticks(range(d), names, rotation=40, ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.set_yticks(range(d), names)
    tidy(ax, xlabel="nats that the feature of the column has about that of the row")
    ax.tick_params(axis="x", labelcolor=INK, length=0)
    ax.spines["bottom"].set_visible(False)
    return ax
