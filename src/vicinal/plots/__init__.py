"""Plots in scikit-learn's manner (extra ``plots``: they need matplotlib).

A Display holds what is drawn; ``from_estimator``, ``from_model`` and ``from_explanation`` make
one and draw it, ``plot`` draws it again, on other axes if you like, and ``ax_`` and ``figure_``
are what came of it.

============  ===================================================================================
influence     `InfluenceDisplay`: the cases behind a prediction
contribution  `ContributionDisplay`: a waterfall of one prediction, a summary of many
neighbors     `NeighborsDisplay`: the cases beside the row, differing features marked
conviction    `ConvictionDisplay`: rows among the convictions of all cases
whole         `ExplanationDisplay`: the first three in one figure
style         colours and axes
============  ===================================================================================

Displays take plain results by their attributes, so results can draw themselves: this layer is
below `explain`. May import `features` and `exceptions`. Importing it loads no matplotlib.
"""

from vicinal.plots.contribution import ContributionDisplay
from vicinal.plots.conviction import ConvictionDisplay
from vicinal.plots.influence import InfluenceDisplay
from vicinal.plots.neighbors import NeighborsDisplay
from vicinal.plots.whole import ExplanationDisplay

__all__ = [
    "ContributionDisplay",
    "ConvictionDisplay",
    "ExplanationDisplay",
    "InfluenceDisplay",
    "NeighborsDisplay",
]
