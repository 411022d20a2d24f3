"""Drift: whether the data has changed, by how much, and in which features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import TableError
from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.formatting.values import format_value
from vicinal.index.hashes import sampling_keys
from vicinal.index.sampling import content_order, sample_cases
from vicinal.quality.changes import ChangedPair, changed_pair, describe_change
from vicinal.quality.two_samples import compare_samples
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats
from vicinal.validation import check_parameter
from vicinal.views.drift import drift_view

#: Adjusted p-values below it are told of as changes.
_ALPHA = 0.05
#: Gaps that are smaller than this are rounding.
_GAP = 1e-12


@dataclass(frozen=True, eq=False)
class Drift:
    """How new rows differ from the stored cases.

    Parameters
    ----------
    p_value : float
        Probability of a difference at least this large in any test if nothing has changed.
    amount : float
        How much they differ overall: 0 if the neighbors of a row do not reveal whether it is new,
        1 if they always do.
    together : float
        P-value of this test alone: whether the neighbors of new rows tend to be new rows.
    features : tuple of str
        The features, strongest evidence of change first.
    gap : ndarray
        How much each feature's distribution has changed, from 0 to 1: the largest difference of
        the cumulative distributions; for nominal features the total variation distance.
    p_own : ndarray
        P-value of this change, for each feature by itself.
    p_given_others : ndarray
        P-value of a change in how the feature depends on the others.
    p_adjusted : ndarray
        The smaller of the two, adjusted for testing all features: in an unchanged table, any
        feature falls below 0.05 with a probability of 5 %.
    changes : tuple of str
        Descriptions of the changes.
    n_stored, n_new : int
        Number of rows compared.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    pair : ChangedPair, optional
        The two numbers whose rank correlation has changed most, if by more than chance.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]})
    >>> drift = model.drift({"x": [11.0, 12.0, 13.0, 14.0, 15.0, 16.0]})
    >>> drift.changed(), drift.features, drift.gap
    (True, ('x',), array([1.]))
    """

    p_value: float
    amount: float
    together: float
    features: tuple[str, ...]
    gap: Floats
    p_own: Floats
    p_given_others: Floats
    p_adjusted: Floats
    changes: tuple[str, ...]
    n_stored: int
    n_new: int
    library: str | None = None
    pair: ChangedPair | None = None

    def changed(self, alpha: float = 0.05) -> bool:
        """Return whether the data has changed, at significance level alpha."""
        return bool(self.p_value <= alpha)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the features do not show one by one, in sentences."""
        said = []
        if self.pair is not None:
            one, other = map(format_value, self.pair.features)
            before, after = (
                f"{r:.2f}".replace("-", "−") for r in (self.pair.before, self.pair.after)
            )
            said.append(
                f"{one} and {other} go together differently: rank correlation {before} → {after}."
            )
        elif self.changed() and not (self.p_adjusted <= _ALPHA).any():
            said.append("No feature shows it by itself: the new rows combine values differently.")
        return tuple(said)

    def __len__(self) -> int:
        return len(self.features)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per feature."""
        return build_frame(self._columns(), backend or self.library)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
        whole = {name: getattr(self, name) for name in ("p_value", "amount", "together")}
        whole |= {"n_stored": self.n_stored, "n_new": self.n_new, "remarks": list(self.remarks)}
        columns = self._columns()
        rows = zip(*columns.values(), strict=True)
        return {**whole, "features": [dict(zip(columns, row, strict=True)) for row in rows]}

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "feature": list(self.features),
            "gap": self.gap.tolist(),
            "p_own": self.p_own.tolist(),
            "p_given_others": self.p_given_others.tolist(),
            "p_adjusted": self.p_adjusted.tolist(),
            "change": list(self.changes),
        }

    def plot(self, *, ax: Any = None) -> Any:
        """Draw how much each feature has changed.

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
        from vicinal.plots.drift import draw_drift

        return draw_drift(self, ax)

    def __repr__(self) -> str:
        return sheet_text(drift_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(drift_view(self))


def drift(fitted: Fitted, new: Any, *, shuffles: int = 999, max_rows: int = 2000) -> Drift:
    """Test whether new rows differ from the stored cases, by how much, and where.

    Parameters
    ----------
    new : table
        New rows, in any form that `fit` accepts; absent columns are not compared.
    shuffles : int, default 999
        Number of permutations of the labels old and new; p-values are multiples of
        1/(shuffles + 1).
    max_rows : int, default 2000
        Maximum number of stored cases and of new rows to compare; larger tables are sampled.

    Returns
    -------
    Drift
        P-values that are uniform if nothing has changed: overall, for every feature by itself,
        and for how it depends on the others.

    Notes
    -----
    Weighted stored cases are sampled by weight, up to their effective sample size.

    Examples
    --------
    >>> import vicinal
    >>> import numpy as np
    >>> table = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = vicinal.Model().fit(table[:100])
    >>> model.drift(table[100:]).changed(), model.drift(table[100:] + 1).changed()
    (False, True)
    """
    check_parameter("shuffles", shuffles, "n_shuffles")
    check_parameter("max_rows", max_rows)
    rows = None if new is None else fitted.rows(new, all_new=True)
    if rows is None or not len(rows):
        raise TableError("There are no new rows to compare; give at least one.")
    seed = fitted.settings.random_state
    stored = _sample_stored(fitted, max_rows)
    fresh = rows.values[sample_cases(rows.values, max_rows, random_state=seed)]
    pooled = np.concatenate([stored, fresh])
    order = content_order(pooled)
    pooled, is_new = pooled[order], order >= len(stored)
    found = compare_samples(fitted, rows, pooled, is_new, int(shuffles))
    ranked = np.lexsort((-found.gap, found.p_adjusted))
    features = tuple(rows.names[at] for at in ranked)
    before, after = pooled[~is_new], pooled[is_new]
    # What a feature tells of the others may change where its own values have not.
    related = (found.p_given_others < found.p_own) & (found.p_adjusted <= _ALPHA)
    changes = []
    for at, (name, differs) in enumerate(zip(features, found.gap[ranked] > _GAP, strict=True)):
        i = fitted.schema.column(name)
        change = describe_change(fitted, before[:, i], after[:, i], i) if differs else "none"
        if related[ranked[at]]:
            change = "relation to other features" + f" ({change})" * bool(differs)
        changes.append(change)
    return Drift(
        p_value=found.p_value,
        amount=found.amount,
        together=found.together,
        features=features,
        gap=found.gap[ranked],
        p_own=found.p_own[ranked],
        p_given_others=found.p_given_others[ranked],
        p_adjusted=found.p_adjusted[ranked],
        changes=tuple(changes),
        n_stored=len(stored),
        n_new=len(fresh),
        library=fitted.library,
        pair=changed_pair(fitted, before, after, features),
    )


def _sample_stored(fitted: Fitted, most: int) -> Floats:
    """Sample stored cases by their weights, up to their effective sample size."""
    index, seed = fitted.index, fitted.settings.random_state
    numbers, values = index.sample(most, random_state=seed)
    if index.weights_of(numbers) is None:
        return values
    numbers, values = index.sample(index.at_once)
    weights = index.weights_of(numbers)
    assert weights is not None
    most = min(most, max(1, int(weights.sum() ** 2 / (weights**2).sum())))
    # By the keys that new rows are sampled by, so that equal weights are none.
    keys = (sampling_keys(values, seed, distinct=True) >> np.uint64(11)) / 2.0**53
    first = np.argsort(-np.log1p(-keys) / weights, kind="stable")[:most]
    return values[np.sort(first)]
