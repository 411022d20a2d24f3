"""Predictions of the model from subsets of the features."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from vicinal.fitted import Rows
from vicinal.index.coalitions import CoalitionTree, predict_coalitions
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.target import Target
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats

Coalition = frozenset[int]


def players(ensemble: Ensemble) -> list[int]:
    """Return the columns that can affect predictions, ascending."""
    counting: set[int] = set()
    for member in ensemble.members:
        counting.update(ensemble.spaces[member.space].metric.active.tolist())
    return sorted(counting)


def baseline(target: Target) -> Floats:
    """Return the prediction without any features: the mean, or the class frequencies.

    For a cyclic number it is the mean direction, if there is one.
    """
    if target.period and abs(target.turn) >= 1e-9:
        return np.array([np.angle(target.turn) / (2 * np.pi) * target.period])
    return target.expected


def coalition_values(
    predictor: Predictor,
    chains: Sequence[Sequence[int]],
    rows: Rows,
    *,
    only: Set[Coalition] | None = None,
) -> tuple[dict[Coalition, int], Floats]:
    """Predict from every prefix of some sequences of columns, except the empty and the full set.

    Each space of the ensemble uses the terms and weights of the coalition's columns only; if none
    of them has a weight in a space, that space predicts the baseline.

    The chains are columns of `players` in some order; their prefixes are the coalitions, which
    `only` may restrict.

    Returns
    -------
    places : dict of frozenset to int
        Position of each coalition.
    values : ndarray of shape (m, number of coalitions, n_classes or 1)
        Predictions: class probabilities, or a number; cyclic numbers are shifted by whole
        periods to be as close to the baseline as possible.
    """
    ensemble, target, m = predictor.ensemble, predictor.target, len(rows)
    everything = frozenset(players(ensemble))
    asked = CoalitionTree.of_chains(chains, without=everything, only=only).coalitions
    _, expected = target.outcome_columns(np.empty(0))
    bold = np.tile(ensemble.background * expected, (m, len(asked), 1))
    nonnegative = bold.copy() if target.n_classes else bold
    for number, space in enumerate(ensemble.spaces):
        members = [member for member in ensemble.members if member.space == number]
        if not members:
            continue
        share = sum(member.share for member in members)
        counting = frozenset(space.metric.active.tolist())
        tree = CoalitionTree.of_chains(
            [[column for column in chain if column in counting] for chain in chains],
            without=everything,
            only=None if only is None else {coalition & counting for coalition in only},
        )
        slots = {coalition: slot for slot, coalition in enumerate(tree.coalitions)}
        kept = np.array([slots.get(coalition & counting, -1) for coalition in asked], dtype=int)
        sums = held = np.empty((m, 0, len(expected)))
        if slots:
            sums, other = predict_coalitions(
                predictor.index,
                space.metric,
                tree,
                rows.values,
                lambda values: target.outcome_columns(values)[0],
                [(one.rule, one.bandwidth, one.ridge, one.share) for one in members],
                target=target.column,
                k=ensemble.k,
                n_classes=target.n_classes,
                exclude=rows.exclude,
                threads=predictor.threads,
            )
            held = sums if other is None else other
        nothing = np.tile(share * expected, (m, 1, 1))
        bold += np.concatenate([sums, nothing], axis=1)[:, kept]
        if nonnegative is not bold:
            nonnegative += np.concatenate([held, nothing], axis=1)[:, kept]
    places = {coalition: place for place, coalition in enumerate(asked)}
    return places, answers(bold, nonnegative, target)


def answers(bold: Floats, nonnegative: Floats, target: Target) -> Floats:
    """Turn sums of influences into predictions, as `prediction.combine` does."""
    if target.n_classes:
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(bold < 0, -bold / (nonnegative - bold), 0.0).max(
                axis=2, keepdims=True
            )
        return np.maximum((1 - needed) * bold + needed * nonnegative, 0.0)
    if not target.period:
        return bold
    means = bold[..., 0] + 1j * bold[..., 1]
    values = np.angle(means) / (2 * np.pi) * target.period
    values = np.where(np.abs(means) < 1e-9, bold[..., 2], values)
    return target.near(values, baseline(target))[..., None]
