"""Care of the table: holes filled, cases merged, change noticed; audits are next door."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, TableError
from vicinal.formatting.values import format_value
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.sampling import content_order, distinct_cases, sample_cases
from vicinal.learning.scoring import target_loss
from vicinal.learning.targets import describe_target
from vicinal.model.auditing import Auditing
from vicinal.model.changelog import ChangeLog
from vicinal.model.filling import Filling
from vicinal.model.predicting import Learned
from vicinal.model.staleness import Movement
from vicinal.prediction.answer import answer
from vicinal.quality.condensing import merge_to
from vicinal.quality.drift import Drift, compare
from vicinal.quality.imputation import check_share
from vicinal.quality.reduction import Reduction, errors_of_features, smallest_size
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints
from vicinal.validation import check_whole

#: Cases held back to measure what a reduction costs, at most, and at most this share of them.
_MOST_HELD, _HELD_SHARE = 500, 5


class Caring(Filling, Auditing):
    """Imputation, audits, reduction, drift."""

    def reduce(
        self,
        *,
        share: float | None = None,
        n_cases: int | None = None,
        max_loss: float | None = None,
        target: str | None = None,
    ) -> Reduction:
        """Make a model of fewer cases, each speaking for those it stands for.

        The most alike cases are merged first; the one that stays takes over the weight of the
        other. Say how many are to be left, or how large a loss will do.

        Parameters
        ----------
        share : float, optional
            Share of the cases to keep.
        n_cases : int, optional
            Instead: how many to keep.
        max_loss : float, optional
            Instead: keep about as few as raise the loss by no more than this.
        target : str, optional
            A feature to be predicted; alike are then cases that predict it alike. Its loss is
            the log loss in nats, for numbers the root mean squared error over the standard
            deviation. Without a target all features count, and the loss is the mean error in
            predicting each from the others, relative to that of all cases.

        Returns
        -------
        Reduction
            The smaller model, and its loss beside that of this one, both measured on cases held
            back for it. This model stays as it is. What it has learned about targets is kept;
            targets the smaller one is asked about for the first time are learned from its own
            cases, so put those questions before.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model(max_queries=100).fit(load_penguins())
        >>> small = model.reduce(share=0.25, target="species")
        >>> len(small.model), small.loss < 0.1
        (86, True)
        """
        self._check_fitted()
        size = self._asked_size(share, n_cases, max_loss)
        learned, metric, what = None, self.metric_, "relative error of the features"
        if target is not None:
            context = [name for name in self.schema_.names if name != target]
            learned = self._learn(target, self._columns_but(context, target))
            metric = _with_target(learned, self.metric_)
            what = f"{'log loss' if learned.target.n_classes else 'relative RMSE'} of {target}"
        rises = _Rises(self, metric, learned)
        values, cases, mass = self._weighty()
        n = len(cases)
        if size is None:
            assert max_loss is not None
            size = smallest_size(n, lambda kept: rises.after(kept / n) - rises.before, max_loss)
        size = min(size, n)
        kept, weights, speaks = merge_to(values, mass, metric, size, threads=self.n_jobs)
        voice = np.full(len(self), -1, dtype=np.int64)
        voice[np.searchsorted(self.index_.numbers, cases)] = cases[speaks]
        sorting = np.argsort(cases[kept])
        return Reduction(
            model=self._with_cases(cases[kept][sorting], weights[sorting]),
            cases=cases[kept][sorting],
            weights=weights[sorting],
            speaks=voice,
            loss_before=rises.before,
            loss_after=rises.after(size / n),
            what=what,
        )

    def drift(self, new: Any, *, shuffles: int = 999, max_rows: int = 2000) -> Drift:
        """Say whether new rows differ from the stored cases, by how much, and where.

        Parameters
        ----------
        new : table
            New rows, in any form `fit` takes; columns they lack are not compared.
        shuffles : int, default 999
            How often it is shuffled which rows are new; p-values are multiples of
            1/(shuffles + 1).
        max_rows : int, default 2000
            Stored cases, and new rows, that are compared at most; larger tables are sampled.

        Returns
        -------
        Drift
            P-values that are uniform where nothing has changed: for all together, for every
            feature by itself, and for how it follows from the others.

        Notes
        -----
        Stored cases that have weights are drawn by them, as many as they are worth.

        Examples
        --------
        >>> import vicinal
        >>> import numpy as np
        >>> table = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = vicinal.Model().fit(table[:100])
        >>> model.drift(table[100:]).changed(), model.drift(table[100:] + 1).changed()
        (False, True)
        """
        check_whole("shuffles", shuffles, 1)
        check_whole("max_rows", max_rows, 1)
        self._check_fitted()
        queries, given, _ = self._queries(new)
        if new is None or not len(queries):
            raise TableError("There are no new rows to compare; give at least one.")
        seed = self.random_state
        stored = self._reference(max_rows)
        fresh = queries[sample_cases(queries, max_rows, random_state=seed)]
        pooled = np.concatenate([stored, fresh])
        order = content_order(pooled)
        pooled, is_new = pooled[order], order >= len(stored)
        places, which, mass = distinct_cases(pooled)
        metric = self.metric_.restricted(self.schema_.columns(given))
        columns = np.array([self.schema_.column(name) for name in given], dtype=np.intp)
        found = compare(
            pooled,
            is_new,
            metric,
            columns,
            which,
            ExactIndex(pooled[places], metric.kinds, mass),
            k=self.n_neighbors,
            shuffles=int(shuffles),
            seed=seed,
            threads=self.n_jobs,
        )
        words = [self._change(pooled[~is_new, i], pooled[is_new, i], int(i)) for i in columns]
        ranked = np.lexsort((-found.gap, found.p_adjusted))
        return Drift(
            p_value=found.p_value,
            amount=found.amount,
            together=found.together,
            features=tuple(given[at] for at in ranked),
            gap=found.gap[ranked],
            p_own=found.p_own[ranked],
            p_given_others=found.p_given_others[ranked],
            p_adjusted=found.p_adjusted[ranked],
            changes=tuple(words[at] for at in ranked),
            n_stored=len(stored),
            n_new=len(fresh),
        )

    def _weighty(self) -> tuple[Floats, Ints, Floats]:
        """Values, numbers and weights of the cases that have one, in order of their content."""
        values, numbers = self.index_.values, self.index_.numbers
        mass = np.ones(len(numbers)) if self.index_.weights is None else self.index_.weights
        order = np.flatnonzero(mass > 0)
        order = order[content_order(values[order])]
        return values[order], numbers[order], mass[order]

    def _reference(self, most: int) -> Floats:
        """Stored cases to compare with: drawn by their weights, as many as these are worth."""
        values, weights = self.index_.values, self.index_.weights
        if weights is not None:
            values, weights = values[weights > 0], weights[weights > 0]
            most = min(most, max(1, int(weights.sum() ** 2 / (weights**2).sum())))
        if weights is None or (weights == weights[0]).all():
            return values[sample_cases(values, most, random_state=self.random_state)]
        order = content_order(values)
        draws = np.random.default_rng(self.random_state).exponential(size=len(order))
        first = np.argsort(draws / weights[order], kind="stable")[:most]
        return values[order[np.sort(first)]]

    def _change(self, before: Floats, after: Floats, column: int) -> str:
        """What changed most in a feature, in words."""
        feature = self.schema_.storage[column]
        lacking = np.isnan(before).mean(), np.isnan(after).mean()
        if abs(lacking[1] - lacking[0]) > 0.1 or not (lacking[0] < 1 and lacking[1] < 1):
            return f"missing {lacking[0]:.0%} → {lacking[1]:.0%}"
        before, after = before[~np.isnan(before)], after[~np.isnan(after)]
        if feature.kind is Kind.NOMINAL:
            known = feature.categories or ()
            shares = [
                np.bincount(x.astype(np.intp), minlength=len(known) + 1) for x in (before, after)
            ]
            one, two = (counts / counts.sum() for counts in shares)
            most = int(np.abs(two - one).argmax())
            name = repr(known[most]) if most < len(known) else "unseen categories"
            return f"{name} {one[most]:.0%} → {two[most]:.0%}"
        middles = np.array([np.median(before), np.median(after)])
        texts = [format_value(middle) for middle in self._decoded(middles, column)]
        return f"median {texts[0]} → {texts[1]}"

    def _asked_size(
        self, share: float | None, n_cases: int | None, max_loss: float | None
    ) -> int | None:
        given = [one for one in (share, n_cases, max_loss) if one is not None]
        if len(given) != 1:
            raise ParameterError(
                f"reduce takes one of share, n_cases and max_loss; got {len(given)} of them."
            )
        if share is not None:
            check_share("share", share)
            return max(1, round(share * len(self)))
        if n_cases is not None:
            check_whole("n_cases", n_cases, 1)
            return min(int(n_cases), len(self))
        if not (np.isfinite(given[0]) and given[0] >= 0):
            raise ParameterError(f"max_loss must be a number, at least 0; got {max_loss!r}.")
        return None

    def _with_cases(self, cases: Ints, weights: Floats) -> Any:
        """A model of these cases with these weights; all that was learned stays."""
        for learned in self._learned.values():
            self._bring_up_to_date(learned)
            self._calibration(learned)
        smaller = copy.copy(self)
        smaller.index_ = ExactIndex(
            self.index_.case_values(cases),
            self._settings.kinds,
            weights,
            scales=self.metric_.residuals,
        )
        smaller._forget()
        for key, learned in self._learned.items():
            smaller._learned[key] = learned.renumbered(cases)
        # A history of its own: what happens to one model is no news of the other.
        smaller._movement = Movement(smaller.index_, self._settings.kinds)
        smaller.log_ = ChangeLog()
        smaller.log_.record("reduce", cases)
        return smaller


class _Rises:
    """Losses on cases held back, of the rest and of shares of it."""

    def __init__(self, model: Caring, metric: Metric, learned: Learned | None) -> None:
        values, _, mass = model._weighty()
        count = min(_MOST_HELD, len(values) // _HELD_SHARE)
        held = sample_cases(values, count, random_state=model.random_state + 1)
        rest = np.setdiff1d(np.arange(len(values)), held)
        self.held, self.rest, self.mass = values[held], values[rest], mass[rest]
        self.model, self.metric, self.learned = model, metric, learned
        self.errors: Floats | None = None
        self.losses: dict[int, float] = {}
        self.before = self._loss(self.rest, self.mass)

    def after(self, share: float) -> float:
        """The loss when this share of the cases is left."""
        size = max(1, round(share * len(self.rest)))
        if size not in self.losses:
            threads = self.model.n_jobs
            kept, weights, _ = merge_to(self.rest, self.mass, self.metric, size, threads=threads)
            self.losses[size] = self._loss(self.rest[kept], weights)
        return self.losses[size]

    def _loss(self, values: Floats, weights: Floats) -> float:
        if not len(self.held):
            return float("nan")
        index = ExactIndex(values, self.model._settings.kinds, weights)
        measure: Callable[[ExactIndex], float] = self._of_features
        return (measure if self.learned is None else self._of_target)(index)

    def _of_features(self, index: ExactIndex) -> float:
        model = self.model
        errors = errors_of_features(
            index, model.metric_, self.held, model.n_neighbors, threads=model.n_jobs
        )
        if self.errors is None:
            self.errors = errors
        told = (self.errors > 0) & ~np.isnan(errors)
        return float((errors[told] / self.errors[told]).mean()) if told.any() else 1.0

    def _of_target(self, index: ExactIndex) -> float:
        assert self.learned is not None
        column = self.learned.target.column
        target = describe_target(
            index,
            column,
            n_classes=self.learned.target.n_classes,
            period=self.learned.target.period,
        )
        rows = self.held[~np.isnan(self.held[:, column])]
        if not len(rows):
            return float("nan")
        said = answer(index, self.learned.tuning.ensemble, target, rows, threads=self.model.n_jobs)
        asked = describe_target(
            ExactIndex(rows, self.model._settings.kinds),
            column,
            n_classes=target.n_classes,
            period=target.period,
        )
        values = target.near(asked.outcomes, said.values) if target.period else None
        predictions = said.values[:, None] if said.probabilities is None else said.probabilities
        if values is not None:
            predictions = (asked.outcomes + said.values - values)[:, None]
        return target_loss(predictions, np.arange(len(rows)), asked)


def _with_target(learned: Learned, otherwise: Metric) -> Metric:
    """The metric of the most important member, in which the target weighs as much as the rest."""
    ensemble = learned.tuning.ensemble
    if not ensemble.members:
        return otherwise
    best = max(ensemble.members, key=lambda member: member.share)
    metric = ensemble.spaces[best.space].metric
    weights = metric.weights.copy()
    weights[learned.target.column] = weights.sum()
    return metric.with_weights(weights)
