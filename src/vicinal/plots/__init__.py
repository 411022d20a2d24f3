"""Plots in scikit-learn's manner (extra ``plots``: they need matplotlib).

A Display holds the data of a plot. ``from_estimator``, ``from_model`` and ``from_explanation``
create one and draw it, ``plot`` draws it again, on other axes if you like, and ``ax_`` and
``figure_`` hold the result.

==============  =================================================================================
influence       `InfluenceDisplay`: the training cases behind a prediction
contribution    `ContributionDisplay`: a waterfall of one prediction, a summary of many
neighbors       `NeighborsDisplay`: the cases beside the row, differing values highlighted
conviction      `ConvictionDisplay`: rows among the convictions of all cases
explanation     `ExplanationDisplay`: the first three in one figure
waterfall       the steps of a waterfall, in an order that stays within limits
bars            ranked bars, which most results draw: `anomalies`, `audit`, `certificates`,
                `data_values`, `drift`, `imputation`, `reduction`
information     information of features as bars, and as a heat map
synthesis       distances of synthetic rows from training cases
counterfactual  what changes, as a table
style           colors and axes
==============  =================================================================================

Functions ``draw_…(result, ax)`` return the axes; the method ``plot`` of a result calls them. They
and displays read plain results by their attributes, so that results can draw themselves: this
layer is below all of them. It imports `schema`, `tables`, `formatting` and `exceptions`, and
matplotlib only when something is drawn.
"""

from vicinal.plots.contribution import ContributionDisplay
from vicinal.plots.conviction import ConvictionDisplay
from vicinal.plots.explanation import ExplanationDisplay
from vicinal.plots.influence import InfluenceDisplay
from vicinal.plots.neighbors import NeighborsDisplay

__all__ = [
    "ContributionDisplay",
    "ConvictionDisplay",
    "ExplanationDisplay",
    "InfluenceDisplay",
    "NeighborsDisplay",
]
