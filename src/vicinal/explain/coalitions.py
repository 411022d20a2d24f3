"""Predictions of the model from subsets of the features."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

import numpy as np

from vicinal.explain.case_samples import CaseSample
from vicinal.fitted import Rows
from vicinal.index.coalitions import (
    Coalition,
    CoalitionTree,
    check_in_memory,
    coalition_of,
    predict_coalitions,
    prefixes,
)
from vicinal.index.players import Players
from vicinal.influence.ensemble import Space
from vicinal.influence.target import Target
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats, Ints


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
    sample: CaseSample | None = None,
    spaces: Collection[int] | None = None,
    background: bool = True,
    places: Ints | None = None,
    queries: Floats | None = None,
    whole: bool = False,
) -> tuple[dict[Coalition, int], Floats]:
    """Predict from every prefix of some sequences of players, except the empty and the full set.

    With a sample of the cases, these predict, and the full set is one of the coalitions. So it is
    without the `background`, as some of the spaces predict it. Of some spaces, what they add to
    predictions is returned.

    Each space of the ensemble uses the terms and weights of what the coalition's players bring;
    if nothing of it has a weight in a space, that space predicts the baseline.

    The chains are some of `Predictor.players` in some order; their prefixes are the coalitions,
    which `only` may restrict. `places` are those of the rows to predict, by default all; `queries`
    are all rows with what is derived, if known. With `whole`, the full set is one of the
    coalitions.

    Returns
    -------
    places : dict of int to int
        Position of each coalition; see `coalition_of`.
    values : ndarray of shape (m, number of coalitions, n_classes or 1)
        Predictions: class probabilities, or a number; cyclic numbers are shifted by whole
        periods to be as close to the baseline as possible.
    """
    ensemble, target = predictor.ensemble, predictor.target
    cases, exclude = predictor.cases, rows.exclude
    everything = known = coalition_of(predictor.players())
    if whole or not background:
        known = 0
    if sample is not None:
        cases, exclude, known = sample.cases, sample.places(exclude), 0
    check_in_memory(cases.index)
    if queries is None:
        queries = cases.rows(rows.values, rows.exclude)
    if places is not None:
        queries, exclude = queries[places], None if exclude is None else exclude[places]
    m = len(queries)
    asked = CoalitionTree.of_chains(chains, without=known, only=only).coalitions
    _, expected = target.outcome_columns(np.empty(0))
    shared = ensemble.background if background else 0.0
    bold = np.tile(shared * expected, (m, len(asked), 1))
    nonnegative = bold.copy() if target.n_classes else bold
    for number, space in enumerate(ensemble.spaces):
        members = [member for member in ensemble.members if member.space == number]
        if not members or not (spaces is None or number in spaces):
            continue
        share = sum(member.share for member in members)
        players = cases.players(predictor.players(), space.metric, rows)
        if players is not None and places is not None:
            players = replace(players, query_parts=players.query_parts[places])
        counting = _counting(predictor, space, players)
        named = _named(chains, counting, set(asked))
        tree = CoalitionTree.of_chains(
            [[counting[player] for player in chain if player in counting] for chain in chains],
            without=coalition_of(counting.values())
            if known and coalition_of(counting) == everything
            else 0,
            only=None if only is None else {named[one] for one in asked},
        )
        slots = {coalition: slot for slot, coalition in enumerate(tree.coalitions)}
        kept = np.array([slots.get(named[one], -1) for one in asked], dtype=int)
        sums = held = np.empty((m, 0, len(expected)))
        if slots:
            sums, other = predict_coalitions(
                cases.index,
                space.metric,
                tree,
                queries,
                lambda values: target.outcome_columns(values)[0],
                [(one.rule, one.bandwidth, one.ridge, one.share) for one in members],
                players=players,
                target=target.column,
                k=ensemble.neighbors_in(space),
                n_classes=target.n_classes,
                exclude=exclude,
                threads=predictor.threads,
            )
            held = sums if other is None else other
        nothing = np.tile(share * expected, (m, 1, 1))
        bold += np.concatenate([sums, nothing], axis=1)[:, kept]
        if nonnegative is not bold:
            nonnegative += np.concatenate([held, nothing], axis=1)[:, kept]
    found = {coalition: place for place, coalition in enumerate(asked)}
    return found, answers(bold, nonnegative, target)


def _counting(predictor: Predictor, space: Space, players: Players | None) -> dict[int, int]:
    """Map the players that can affect distances in a space to their names in its trees."""
    if players is None:
        return {column: column for column in space.metric.active.tolist()}
    counting = players.counting(space.metric)
    return {one: at for at, one in enumerate(predictor.players()) if at in counting}


def _named(
    chains: Sequence[Sequence[int]], counting: dict[int, int], asked: Set[Coalition]
) -> dict[Coalition, Coalition]:
    """Return what counts of the coalitions asked for, by the names in the trees of a space."""
    named: dict[Coalition, Coalition] = {}
    for chain in chains:
        own = 0
        for player, whole in zip(chain, prefixes(chain), strict=True):
            if player in counting:
                own |= 1 << counting[player]
            if whole in asked:
                named[whole] = own
    return named


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
