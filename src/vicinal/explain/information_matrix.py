"""How well each single feature predicts each other feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.explain.coalitions import answers, baseline
from vicinal.explain.held_out_cases import HeldOutCases, held_out
from vicinal.explain.single_features import KnownOutcomes, means_by_feature
from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.index.case_weights import units_of
from vicinal.index.coalitions import CoalitionTree, predict_coalitions_from
from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Index
from vicinal.influence.losses import ManyLosses, many_losses
from vicinal.influence.small_samples import small_sample_factor
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
#: The most means that are predicted by one search, and the most sums held at a time.
_WIDEST, _MOST_SUMS = 128, 1 << 21
#: Columns of which the same cases are known share a search by each feature. Where there are more
#: such groups than this, one order of the values of each feature serves all of them.
_MOST_SEARCHES = 6


def information_matrix(fitted: Fitted, *, time_budget: float | None = None) -> InformationMatrix:
    """Measure how well each single feature predicts each other feature.

    In large tables, 4096 cases are sampled, depending on their values and `random_state`. Of
    these, 400 are held out and predicted from their nearest neighbors in the single feature.
    Where few values of a number decide, as in columns that are nearly always 0, half of the 400
    are the cases farthest from the mean, and the others stand for the rest.

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

    def measure(n_cases: int) -> tuple[Floats, Floats, Floats, Floats]:
        return _measure(fitted, index, index.sample(n_cases, random_state=seed + 1)[0])

    n_cases = every = min(_LEFT_OUT, len(index))
    if time_budget is not None:
        check_parameter("time_budget", time_budget)
        n_cases = affordable(measure, time_budget, every)
    key = ("information matrix", n_cases)
    values, explained, entropies, errors = fitted.cached(key, lambda: measure(n_cases))
    order = fitted.schema.table_order
    return InformationMatrix(
        fitted.schema.names,
        values[np.ix_(order, order)],
        explained[np.ix_(order, order)],
        entropies[order],
        n_cases,
        fitted.library,
        every,
        errors[np.ix_(order, order)],
    )


@dataclass(frozen=True, eq=False)
class _Predicted:
    """A column that is to be predicted, of which cases, and how well it is without any other."""

    target: Target
    held_out: HeldOutCases
    nothing: ManyLosses

    @property
    def column(self) -> int:
        return self.target.column

    @property
    def judged(self) -> tuple[Ints, Target, Floats | None]:
        """What its predictions are compared with."""
        return self.held_out.numbers, self.target, self.held_out.weights

    @property
    def width(self) -> int:
        """How many means predict it: those of each class, or of a number; three on a circle."""
        return self.target.n_classes or (3 if self.target.period else 1)

    def standard_errors(self, found: ManyLosses) -> Floats:
        """Standard errors of the information in each feature: cases are predicted both ways."""
        cases, weights = self.held_out
        counted = self.target.weights_of(cases) if weights is None else weights
        gaps = self.nothing.parts - found.parts
        off = gaps - (gaps * counted).sum(axis=-1, keepdims=True)
        factor = small_sample_factor(len(cases) - 1) if len(cases) > 1 else np.nan
        return np.asarray(np.sqrt((counted**2 * off**2).sum(axis=-1)) * factor)

    def outcomes(self, values: Floats) -> Floats:
        if self.target.n_classes:
            return (values[:, None] == np.arange(self.target.n_classes)).astype(np.float64)
        return self.target.outcome_columns(values)[0]


@dataclass(frozen=True, eq=False)
class _Searched:
    """Columns that are predicted together: mostly of the same cases, else of those of `told`."""

    predicted: tuple[_Predicted, ...]
    cases: Ints  # the held-out cases
    features: tuple[int, ...]
    told: KnownOutcomes | None = None

    def outcomes(self, values: Floats) -> Floats:
        each = zip(self.predicted, values.T, strict=True)
        return np.concatenate([one.outcomes(own) for one, own in each], axis=1)


def _measure(fitted: Fitted, index: Index, cases: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Information and explained error of each pair, entropies, and standard errors."""
    d = len(fitted.schema)
    values, explained, errors = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    entropies = np.full(d, np.nan)
    searches = list(_searches(fitted, index, cases, entropies))
    for search in track(searches, total=len(searches), what="measuring pairs"):
        for one, found in _losses(fitted, index, search):
            row = one.column, list(search.features)
            values[row] = one.nothing.entropy - found.entropy
            errors[row] = one.standard_errors(found)
            if one.nothing.mae > 0:
                explained[row] = 1 - found.mae / one.nothing.mae
    for each in (values, explained, errors):
        np.fill_diagonal(each, np.nan)
    return values, explained, entropies, errors


def _searches(fitted: Fitted, index: Index, cases: Ints, entropies: Floats) -> Iterator[_Searched]:
    """Divide what is to be predicted into searches that fit into memory; tell the entropies."""
    alike: dict[tuple[bytes, bytes], list[_Predicted]] = {}
    everyone = np.concatenate([numbers for numbers, _ in index.blocks()])
    for column, feature in enumerate(fitted.schema.storage):
        n_classes, period = fitted.n_classes(column), feature.period or 0.0
        target = Target.of(index, column, n_classes=n_classes, period=period)
        own = held_out(index, target, cases, random_state=fitted.settings.random_state + 1)
        if not len(own.numbers):
            continue
        expected = np.tile(baseline(target), (len(own.numbers), 1))
        nothing = many_losses(expected, own.numbers, target, own.weights)
        entropies[column] = nothing.entropy
        gaps = np.packbits(np.isnan(index.cells(everyone, column))).tobytes()
        one = _Predicted(target, own, nothing)
        alike.setdefault((gaps, own.numbers.tobytes()), []).append(one)
    features = fitted.metric.active.tolist() if len(index) > 1 else []
    alone = {key: one for key, one in alike.items() if len(one) == 1 and not _own(one[0])}
    if len(alone) > _MOST_SEARCHES:
        for some in _by_width([one for (one,) in alone.values()]):
            told = _told(index, everyone, some)
            for part in _parts(features, cases, some):
                yield _Searched(some, cases, part, told)
        alike = {key: one for key, one in alike.items() if key not in alone}
    for together in alike.values():
        numbers = together[0].held_out.numbers
        for some in _by_width(together):
            for part in _parts(features, numbers, some):
                yield _Searched(some, numbers, part)


def _own(one: _Predicted) -> bool:
    """Whether a column has held-out cases of its own."""
    return one.held_out.weights is not None


def _parts(
    features: list[int], cases: Ints, some: tuple[_Predicted, ...]
) -> Iterator[tuple[int, ...]]:
    """Divide features into parts whose sums fit into memory."""
    width = sum(one.width for one in some)
    at_once = max(1, _MOST_SUMS // (len(NEIGHBORS) * len(cases) * width))
    for start in range(0, len(features), at_once):
        yield tuple(features[start : start + at_once])


def _told(index: Index, everyone: Ints, some: tuple[_Predicted, ...]) -> KnownOutcomes:
    """Return the outcomes of columns, and of which cases they are known."""
    values = np.stack([index.cells(everyone, one.column) for one in some], axis=1)
    known = ~np.isnan(values)
    outcomes = [
        np.where(here[:, None], one.outcomes(np.where(here, own, 0.0)), 0.0)
        for one, own, here in zip(some, values.T, known.T, strict=True)
    ]
    return KnownOutcomes(
        everyone,
        known,
        np.concatenate(outcomes, axis=1),
        np.repeat(np.arange(len(some)), [one.width for one in some]),
        units_of(index, everyone),
    )


def _by_width(together: list[_Predicted]) -> Iterator[tuple[_Predicted, ...]]:
    """Divide columns into those that are predicted together: up to so many means."""
    some: list[_Predicted] = []
    for one in together:
        if some and sum(other.width for other in some) + one.width > _WIDEST:
            yield tuple(some)
            some = []
        some.append(one)
    yield tuple(some)


def _losses(
    fitted: Fitted, index: Index, search: _Searched
) -> Iterator[tuple[_Predicted, ManyLosses]]:
    """Losses with the best number of neighbors, for each feature alone."""
    every = _means(fitted, index, search)
    start = 0
    for one in search.predicted:
        known = np.flatnonzero(~np.isnan(one.target.outcomes_of(search.cases)))
        own = every[:, known, :, start : start + one.width]
        said = np.stack([answers(sums, sums, one.target) for sums in own])
        start += one.width
        found = many_losses(said.swapaxes(1, 2), *one.judged)
        best = found.entropy.argmin(axis=0), np.arange(len(search.features))
        yield one, ManyLosses(*(each[best] for each in found))


def _means(fitted: Fitted, index: Index, search: _Searched) -> Floats:
    """Return mean outcomes, (numbers of neighbors, cases, features, outcomes)."""
    if search.told is not None:
        about = (NEIGHBORS, index, fitted.metric)
        by_feature = [
            means_by_feature(*about, one, search.cases, search.told, threads=fitted.threads)
            for one in search.features
        ]
        return np.stack(by_feature, axis=2)
    return predict_coalitions_from(
        NEIGHBORS,
        index,
        fitted.metric,
        CoalitionTree.of_chains([(column,) for column in search.features]),
        index.rows(search.cases),
        search.outcomes,
        [("inverse", 1.0, np.inf, 1.0)],
        target=[one.column for one in search.predicted],
        exclude=search.cases,
        threads=fitted.threads,
    )[0]


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
    standard_errors : ndarray of shape (d, d), optional
        Of the `values`, from how the held-out cases differ.

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
    standard_errors: Floats | None = None

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per pair of features."""
        d = len(self)
        target, source = np.nonzero(~np.eye(d, dtype=bool))
        columns: dict[str, Any] = {
            "target": [self.names[i] for i in target],
            "feature": [self.names[i] for i in source],
            "information": self.values[target, source],
            "explained": self.explained[target, source],
        }
        if self.standard_errors is not None:
            columns["standard_error"] = self.standard_errors[target, source]
        return build_frame(columns, backend or self.library)

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
