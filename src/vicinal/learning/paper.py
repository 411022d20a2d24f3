"""The paper's method: inverse distances, with k and p chosen leave-one-out.

Three presets. ``irw`` has the weights of the residuals alone. ``mda`` weights each feature by the
mean decrease in accuracy without it. ``paper`` chooses between several such weights, and the power
of the inverse distance, together with k and p; it is what the paper's tables need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.mda_weights import Candidate, Judged, mda_weights

#: Powers of the mean tried, unless the model's own is required.
POWERS = (0.0, 0.5, 1.0, 2.0)

#: Powers of the inverse distance tried by the preset ``paper``. No distance is below 1.5, so that
#: the nearest case has a large share only by a high power.
INVERSE_POWERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)

#: What weights are made of, and the powers that they are raised to, in the preset ``paper``.
SOURCES = ("lost", "lost and alone")
EXPONENTS = (0.5, 1.0, 2.0)


def tune_paper(
    index: Index,
    metric: Metric,
    target: Target,
    *,
    weighting: str = "irw",
    powers: tuple[float, ...] = POWERS,
    max_queries: int = 2400,
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose k and p for a target, leave-one-out, with influences ∝ 1/distance.

    Parameters
    ----------
    weighting : {"irw", "mda", "paper"}
        Which weights to use, see above; only ``paper`` chooses the power of the distance.
    """
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    judged = Judged(index, target, cases, threads)
    tuner = _Tuner(judged, powers, INVERSE_POWERS if weighting == "paper" else (1.0,))
    if weighting == "mda":
        whole, without = judged.losses_without(metric)
        metric = metric.with_weights(mda_weights(without - whole, metric))
    tuner.add("", metric)
    if weighting == "paper":
        for name, weighted in _weighted(judged, metric, tuner.best.candidate):
            tuner.add(name, weighted)
    return tuner.tuning()


def _weighted(
    judged: Judged, metric: Metric, candidate: Candidate
) -> Iterator[tuple[str, Metric]]:
    """Yield metrics with weights by the information of features, besides those of residuals."""
    if len(metric.active) < 2:
        return
    asked = replace(metric, p=candidate.metric.p)
    whole, without = judged.losses_without(asked, candidate.inverse_power)
    none, alone = judged.losses_alone(asked, candidate.inverse_power)
    lost = np.maximum(without - whole, 0.0)
    rises = {"lost": lost, "lost and alone": lost + np.maximum(none - alone, 0.0)}
    for source in SOURCES:
        if not rises[source].max() > 0:
            continue
        for exponent in EXPONENTS:
            weights = mda_weights(rises[source], metric, exponent)
            yield f"{source} ^ {exponent:g}, ", metric.with_weights(weights)


@dataclass(frozen=True, eq=False)
class _Best:
    score: float
    candidate: Candidate


class _Tuner:
    """Tries every k and p of some metrics, and keeps the best; of equals the first."""

    def __init__(
        self, judged: Judged, powers: tuple[float, ...], inverse_powers: tuple[float, ...]
    ) -> None:
        self._judged, self._powers, self._inverse_powers = judged, powers, inverse_powers
        self._trials: list[Trial] = []
        self._best: _Best | None = None

    @property
    def best(self) -> _Best:
        """The best so far."""
        assert self._best is not None, "nothing was tried"
        return self._best

    def add(self, name: str, metric: Metric) -> None:
        """Try a metric."""
        judge = self._judged.judge
        for p in self._powers:
            for one in self._judged.candidates(replace(metric, p=p), self._inverse_powers):
                loss = judge.loss(one.predictions)
                # For classes the error rate is compared first, as in the paper.
                first = judge.error_rate(one.predictions) if judge.classes else loss
                score = first + 1e-3 * loss
                reading = f"{name}p = {p:g}, k = {one.k}"
                self._trials.append(Trial(reading, "inverse", one.inverse_power, np.inf, loss))
                if self._best is None or score < self._best.score:
                    self._best = _Best(score, one)

    def tuning(self) -> Tuning:
        """Return the result."""
        cases, target = self._judged.cases, self._judged.target
        chosen = self.best.candidate
        trace = MIX if target.n_classes else 0.0
        member = Member(0, "inverse", chosen.inverse_power, np.inf, 1.0 - trace)
        spaces = (Space(chosen.metric, "residuals"),)
        ensemble = Ensemble(target.column, spaces, (member,), chosen.k, trace)
        predictions = chosen.predictions
        if target.n_classes:
            predictions = (1 - trace) * predictions + trace * target.shares
        loss = self._judged.judge.loss(predictions)
        trials = tuple(sorted(self._trials, key=lambda trial: trial.loss))
        return Tuning(ensemble, trials, loss, cases, predictions)
