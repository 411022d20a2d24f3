"""Features that do not improve predictions given the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.explain.boundary import mean_metric
from vicinal.explain.dropping import (
    first_look,
    held_out_losses,
    held_out_sample,
    losses_without,
)
from vicinal.influence.losses import CaseLosses, error_of_mean
from vicinal.influence.target import Target
from vicinal.prediction.heaviest import MANY
from vicinal.prediction.predictor import Predictor
from vicinal.quality.findings import Finding
from vicinal.typing import Floats, Ints

#: A feature is useless for a target if its gain is significantly below this share of the loss
#: without any feature.
USELESS_GAIN = 0.05
#: Many features are dropped together, on so many held-out cases, and halved at most so often.
_HELD_OUT, _HALVINGS = 400, 4


class Suspect(NamedTuple):
    """A feature that alone has no significant information about the target."""

    name: str
    column: int
    information: float
    p_value: float


class _Gain(NamedTuple):
    """By how much features lower the loss, given the others; 0 without any effect."""

    mean: float = 0.0
    error: float = 0.0
    #: How many other features were dropped with this one.
    others: int = 0


def find_useless(predictor: Predictor, suspects: list[Suspect]) -> list[Finding]:
    """List those features that do not improve predictions given the others.

    Of more than 200 features none is dropped alone: what all of them gain together bounds what
    each does. If they are of use together, the lighter half is dropped, then the other, and so
    on, four times at most; features that are of use together with others to the end are not
    listed.
    """
    target = predictor.target
    shares = target.shares[target.shares > 0]
    loss = float(-(shares * np.log(shares)).sum()) or 1.0
    effective = set(predictor.players())
    playing = [one.column for one in suspects if one.column in effective]
    gains = (_together if len(playing) > MANY else _one_by_one)(predictor, playing, loss)
    found = []
    for name, column, alone, p in suspects:
        gain = _Gain() if column not in effective else gains.get(column)
        if gain is None or not _is_useless(gain, loss):
            continue
        words = f"no sign of information about {predictor.name}: {alone:.2g} nats by itself "
        words += f"(p = {p:.2g}); given the others "
        words += "it" if not gain.others else f"it and {gain.others} more such features together"
        verb = "raise" if gain.mean < 0 else "lower"
        words += f" {verb}{'' if gain.others else 's'} the loss, {loss:.2g} without any feature, "
        words += f"by {abs(gain.mean):.2g} ± {gain.error:.2g}"
        details = {"alone": alone, "p_alone": p, "gain": gain.mean, "gain_error": gain.error}
        if gain.others:
            details["dropped_together"] = gain.others + 1
        found.append(Finding("feature", None, name, p, words, details))
    return sorted(found, key=lambda one: -one.score)


def _is_useless(gain: _Gain, loss: float) -> bool:
    """Whether a gain is significantly small, and not significantly positive."""
    return gain.mean + 2 * gain.error <= USELESS_GAIN * loss and gain.mean <= 2 * gain.error


def _one_by_one(predictor: Predictor, columns: list[int], loss: float) -> dict[int, _Gain]:
    """Return what each feature gains."""
    if not columns:
        return {}
    cases = first_look(predictor)
    if len(predictor.players()) > MANY:
        # Each of many brings so little that predictions must be made in the same way.
        whole, each = losses_without(predictor, cases, [[column] for column in columns])
        without = dict(zip(columns, each, strict=True))
    else:
        held = held_out_losses(predictor, cases, without=set(columns))
        whole, without = held.compared, held.without
    return {
        column: _gain(predictor.target, cases, whole, dropped)
        for column, dropped in without.items()
    }


def _together(predictor: Predictor, columns: list[int], loss: float) -> dict[int, _Gain]:
    """Return what groups of features gain that are of no use, by the features in them."""
    weights, target = mean_metric(predictor).weights, predictor.target
    cases = held_out_sample(predictor, min(_HELD_OUT, predictor.fitted.settings.max_queries))
    groups = [sorted(columns, key=lambda column: (weights[column], column))]
    gains: dict[int, _Gain] = {}
    for _ in range(_HALVINGS + 1):
        whole, without = losses_without(predictor, cases, groups)
        of_use = []
        for group, dropped in zip(groups, without, strict=True):
            gain = _gain(target, cases, whole, dropped)._replace(others=len(group) - 1)
            if _is_useless(gain, loss):
                gains |= dict.fromkeys(group, gain)
            elif len(group) > 1:
                of_use.append(group)
        halves = [(group[: len(group) // 2], group[len(group) // 2 :]) for group in of_use]
        groups = [half for pair in halves for half in pair]
        if not groups:
            break
    return gains


def _gain(target: Target, cases: Ints, whole: CaseLosses, without: CaseLosses) -> _Gain:
    gains = _losses(without, target) - _losses(whole, target)
    gains = np.round(gains, 12) + 0.0  # no rounding errors in words
    return _Gain(float(gains @ whole.weights), error_of_mean(gains, cases, target))


def _losses(found: CaseLosses, target: Target) -> Floats:
    """Return the surprisal of each class; for numbers, error ÷ mean deviation."""
    if found.surprisals is not None:
        return found.surprisals
    return found.errors / (target.scale or 1.0)
