"""How well each single feature predicts each other feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.explain.coalitions import answers, baseline
from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.index.coalitions import CoalitionTree, predict_coalitions_from
from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Index
from vicinal.influence.losses import Losses, mean_losses
from vicinal.influence.target import Target
from vicinal.progress import affordable, track
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter
from vicinal.views.information import matrix_view

#: Number of cases that pairs of features are compared on, and how many of them are held out.
_REFERENCE, _LEFT_OUT = 4096, 400
#: Numbers of neighbors tried for each pair of features; the best is used.
NEIGHBORS = (5, 13, 34)


def information_matrix(fitted: Fitted, *, time_budget: float | None = None) -> InformationMatrix:
    """Measure how well each single feature predicts each other feature.

    In large tables, 4096 cases are sampled, depending on their values and `random_state`. Of
    these, 400 are held out and predicted from their nearest neighbors in the single feature.

    Parameters
    ----------
    time_budget : float, optional
        Seconds. If they do not suffice for all held-out cases, fewer are sampled; the result
        says how many.

    Returns
    -------
    InformationMatrix
        Information about each feature in each other one.
    """
    seed, index = fitted.settings.random_state, fitted.index
    if len(index) > _REFERENCE:
        numbers, values = index.sample(_REFERENCE, random_state=seed)
        index = ExactIndex(values, index.kinds, index.weights_of(numbers))

    def measure(n_cases: int) -> tuple[Floats, Floats, Floats]:
        return _measure(fitted, index, index.sample(n_cases, random_state=seed + 1)[0])

    n_cases = every = min(_LEFT_OUT, len(index))
    if time_budget is not None:
        check_parameter("time_budget", time_budget)
        n_cases = affordable(measure, time_budget, every)
    key = ("information matrix", n_cases)
    values, explained, entropies = fitted.cached(key, lambda: measure(n_cases))
    order = fitted.schema.table_order
    return InformationMatrix(
        fitted.schema.names,
        values[np.ix_(order, order)],
        explained[np.ix_(order, order)],
        entropies[order],
        n_cases,
        fitted.library,
        every,
    )


def _measure(fitted: Fitted, index: Index, cases: Ints) -> tuple[Floats, Floats, Floats]:
    """Information and explained error of each pair of columns, and the entropy of each."""
    d = len(fitted.schema)
    values, explained, entropies = np.zeros((d, d)), np.zeros((d, d)), np.full(d, np.nan)
    features = fitted.schema.storage
    for column, feature in track(enumerate(features), total=d, what="measuring pairs"):
        n_classes, period = fitted.n_classes(column), feature.period or 0.0
        target = Target.of(index, column, n_classes=n_classes, period=period)
        known = cases[~np.isnan(target.outcomes_of(cases))]
        if not len(known):
            continue
        nothing = mean_losses(np.tile(baseline(target), (len(known), 1)), known, target)
        entropies[column] = nothing.entropy
        for other, best in _from_each(fitted, index, target, known).items():
            values[column, other] = nothing.entropy - best.entropy
            if nothing.mae > 0:
                explained[column, other] = 1 - best.mae / nothing.mae
    np.fill_diagonal(values, np.nan)
    np.fill_diagonal(explained, np.nan)
    return values, explained, entropies


def _from_each(fitted: Fitted, index: Index, target: Target, cases: Ints) -> dict[int, Losses]:
    """Losses with the best number of neighbors, for each other column alone."""
    columns = [int(column) for column in fitted.metric.active if column != target.column]
    if not columns or len(index) < 2:
        return {}
    tree = CoalitionTree.of_chains([(column,) for column in columns])
    best: dict[int, Losses] = {}
    every, _ = predict_coalitions_from(
        NEIGHBORS,
        index,
        fitted.metric,
        tree,
        index.rows(cases),
        lambda values: target.outcome_columns(values)[0],
        [("inverse", 1.0, np.inf, 1.0)],
        target=target.column,
        n_classes=target.n_classes,
        exclude=cases,
        threads=fitted.threads,
    )
    for sums in every:
        said = answers(sums, sums, target)
        for slot, column in enumerate(columns):
            found = mean_losses(said[:, slot], cases, target)
            if column not in best or found.entropy < best[column].entropy:
                best[column] = found
    return best


@dataclass(frozen=True, eq=False)
class InformationMatrix:
    """How well each single feature predicts each other feature, leave-one-out.

    Parameters
    ----------
    names : tuple of str
        The features, in the order of the table.
    values : ndarray of shape (d, d)
        ``values[i, j]``: information about feature i in feature j, in nats, H(i) − H(i | j). NaN
        on the diagonal. It is estimated by k-NN, so it is not symmetric, and slightly below 0
        where j has no information about i.
    explained : ndarray of shape (d, d)
        The share of the mean absolute error of feature i that feature j removes.
    entropies : ndarray of shape (d,)
        H(i), without any features; for numbers 1 + ln(2 · mean absolute deviation).
    n_cases : int
        Number of held-out cases.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    n_held_out : int, optional
        Number of held-out cases that would have been measured without a time budget.

    Examples
    --------
    >>> import numpy as np
    >>> import vicinal
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> table = {"a": a, "square": a**2, "noise": rng.normal(size=200)}
    >>> found = vicinal.Model().fit(table).information_matrix()
    >>> (found.values > 1).tolist()
    [[False, False, False], [True, False, False], [False, False, False]]
    """

    names: tuple[str, ...]
    values: Floats
    explained: Floats
    entropies: Floats
    n_cases: int
    library: str | None = None
    n_held_out: int | None = None

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per pair of features."""
        d = len(self)
        target, source = np.nonzero(~np.eye(d, dtype=bool))
        return build_frame(
            {
                "target": [self.names[i] for i in target],
                "feature": [self.names[i] for i in source],
                "information": self.values[target, source],
                "explained": self.explained[target, source],
            },
            backend or self.library,
        )

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the information of each feature about each other one as a heat map.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        from vicinal.plots.information import draw_matrix

        return draw_matrix(self, ax)

    def __repr__(self) -> str:
        return sheet_text(matrix_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(matrix_view(self))
