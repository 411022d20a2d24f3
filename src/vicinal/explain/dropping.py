"""Held-out cases predicted from all features, from all but one, and from one alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from vicinal.explain.case_samples import CaseSample, samples_of
from vicinal.explain.coalitions import baseline, coalition_values
from vicinal.index.coalitions import Coalition, coalition_of, players_in
from vicinal.influence.losses import CaseLosses
from vicinal.prediction.heaviest import MANY
from vicinal.prediction.predictor import Predictor
from vicinal.progress import track
from vicinal.typing import Floats, Ints

#: Larger tables are sampled to predict from subsets of the features.
MOST_CASES = 1 << 14
#: Number of held-out cases predicted at a time, and by one sample of the cases.
_BATCH, _BY_SAMPLE = 32, 256
#: Held-out cases for a first look at features: so many by the number of features, in bounds.
#: Sets of few features have more in common, so that each takes less time.
_FEW, _BY_FEW, _BY_MORE = 10, 2_600, 1_300
_LEAST, _MOST = 100, 400


@dataclass(frozen=True, eq=False)
class HeldOutLosses:
    """Losses of held-out cases that are predicted from some features.

    Parameters
    ----------
    whole, nothing : CaseLosses
        From all features, and from none.
    compared : CaseLosses
        From all features, as predictions without each feature are made: of large tables from a
        sample of the cases, of wide ones without columns that hardly matter.
    without, alone : dict of int to CaseLosses
        Without each column, and with it alone.
    kept : CaseLosses
        From the columns that are kept when all others are dropped together.
    """

    whole: CaseLosses
    nothing: CaseLosses
    compared: CaseLosses
    without: dict[int, CaseLosses]
    alone: dict[int, CaseLosses]
    kept: CaseLosses


def held_out_sample(predictor: Predictor, most: int) -> Ints:
    """Choose cases to hold out: if there are enough, those that the target was not learned from.

    All questions about the same number of cases get the same ones, so that these are predicted
    once.
    """
    seed = predictor.fitted.settings.random_state + 1
    return predictor.left_out_cases(most, among="fresh", seed=seed)


def first_look(predictor: Predictor) -> Ints:
    """Choose the held-out cases of a first look at features: fewer where these are many."""
    width = max(len(predictor.context), 1)
    most = (_BY_FEW if width <= _FEW else _BY_MORE) // width
    most = max(_LEAST, min(_MOST, most))
    return held_out_sample(predictor, min(most, predictor.fitted.settings.max_queries))


def held_out_losses(
    predictor: Predictor,
    cases: Ints,
    *,
    without: Collection[int] = (),
    alone: Collection[int] = (),
    keeping: Collection[int] | None = None,
) -> HeldOutLosses:
    """Predict held-out cases with some columns dropped, with some alone, and with some kept.

    Columns that cannot affect predictions are left out of the result. What was predicted is kept
    until the cases change, so that other questions about the same cases need not ask again.

    In large tables, 256 held-out cases at a time are predicted from another sample of the cases.
    """
    target, counting = predictor.target, predictor.players()
    everything = coalition_of(counting)
    dropped = {one: everything ^ 1 << one for one in counting if one in without}
    single = {one: 1 << one for one in counting if one in alone}
    kept_columns = counting if keeping is None else [one for one in counting if one in keeping]
    some = coalition_of(kept_columns)
    asked = {*dropped.values(), *single.values(), some} - {0, everything}
    samples = samples_of(predictor, most=MOST_CASES) if dropped or single or asked else []
    whole = CaseLosses.of(_values(predictor, cases), cases, target)
    nothing = whole
    if counting:
        nothing = CaseLosses.of(np.tile(baseline(target), (len(cases), 1)), cases, target)
    # Sets of many features lack what trees say by columns that hardly matter: so must all of them.
    compared = bool(samples) or (bool(asked) and len(counting) > MANY)
    wanted = asked | ({everything} if compared else set())
    key = ("held-out losses", predictor.ensemble, cases.tobytes())
    kept: dict[Coalition, CaseLosses] = predictor.fitted.cached(key, dict)
    kept |= _predicted(predictor, cases, wanted.difference(kept), samples)
    found = {everything: whole, 0: nothing} | kept
    return HeldOutLosses(
        whole,
        nothing,
        found[everything],
        {column: found[one] for column, one in dropped.items()},
        {column: found[one] for column, one in single.items()},
        found[some],
    )


def losses_without(
    predictor: Predictor, cases: Ints, groups: Sequence[Collection[int]]
) -> tuple[CaseLosses, list[CaseLosses]]:
    """Predict held-out cases from all features, and without each of some groups of columns.

    All are predicted in the same way: differences are those of the features alone.
    """
    counting = predictor.players()
    everything = coalition_of(counting)
    left = [everything & ~coalition_of(group) for group in groups]
    samples = samples_of(predictor, most=MOST_CASES)
    found = _predicted(predictor, cases, {everything, *left} - {0}, samples)
    if 0 in left:
        nothing = np.tile(baseline(predictor.target), (len(cases), 1))
        found[0] = CaseLosses.of(nothing, cases, predictor.target)
    return found[everything], [found[one] for one in left]


def _predicted(
    predictor: Predictor, cases: Ints, wanted: set[Coalition], samples: list[CaseSample]
) -> dict[Coalition, CaseLosses]:
    """Predict held-out cases from coalitions, in large tables by one sample after the other."""
    if not wanted:
        return {}
    counting = predictor.players()
    whole = coalition_of(counting) in wanted
    chains: list[tuple[int, ...]] = [(one,) for one in counting if 1 << one in wanted]
    chains += _dropping(counting, wanted)
    chains += [tuple(players_in(one)) for one in wanted if _is_group(one, len(counting))]
    chains.append(tuple(counting))
    parts: dict[Coalition, list[Floats]] = {one: [] for one in wanted}
    batches = predictor.fitted.cases(cases).batches(_BATCH)
    count = -(-len(cases) // _BATCH)
    for at, rows in enumerate(track(batches, total=count, what="measuring features")):
        turn = at * _BATCH // _BY_SAMPLE
        sample = samples[turn % len(samples)] if samples else None
        places, values = coalition_values(
            predictor, chains, rows, only=wanted, sample=sample, whole=whole
        )
        for one, kept in parts.items():
            kept.append(values[:, places[one]])
    target = predictor.target
    return {one: CaseLosses.of(np.concatenate(kept), cases, target) for one, kept in parts.items()}


def _dropping(counting: list[int], wanted: set[Coalition]) -> list[tuple[int, ...]]:
    """Return chains to the coalitions that lack one player; of many players, those asked for."""
    if len(counting) <= MANY:
        return dropping_each(tuple(counting))
    everything = coalition_of(counting)
    dropped = tuple(one for one in counting if everything ^ 1 << one in wanted)
    others = tuple(one for one in counting if one not in dropped)
    return [others + rest for rest in dropping_each(dropped)]


def _is_group(coalition: Coalition, count: int) -> bool:
    """Say whether a coalition has more than one player and lacks more than one."""
    return 1 < coalition.bit_count() < count - 1


def _values(predictor: Predictor, cases: Ints) -> Floats:
    """Return what all cases predict from all columns."""
    said = predictor.left_out(cases)
    return said.values[:, None] if said.probabilities is None else said.probabilities


def dropping_each(columns: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the columns without each one, ordered so that they share long prefixes.

    In total they have about d log d different prefixes, compared with about d² ÷ 2 for the
    columns in their original order.

    Examples
    --------
    >>> from vicinal.explain.dropping import dropping_each
    >>> dropping_each((0, 1, 2, 3))
    [(2, 3, 1), (2, 3, 0), (0, 1, 3), (0, 1, 2)]
    """
    if len(columns) < 2:
        return [()] * len(columns)
    half = len(columns) // 2
    first, second = columns[:half], columns[half:]
    return [second + rest for rest in dropping_each(first)] + [
        first + rest for rest in dropping_each(second)
    ]
