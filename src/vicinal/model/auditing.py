"""Audits: the Model's answers to "what is wrong with this table?"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import xlogy

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_value, json_value
from vicinal.index.metric import NOMINAL
from vicinal.index.sampling import sample_cases
from vicinal.model.judging import Judging
from vicinal.model.predicting import Learned, Predicting
from vicinal.prediction.answer import answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.ensemble import Ensemble, find_influences
from vicinal.quality.audit import Audit, Finding
from vicinal.quality.duplicates import Duplicate, Usual, find_duplicates, usual_nearness
from vicinal.quality.imputation import check_share
from vicinal.quality.labels import classes_are_told, doubt_classes, doubt_numbers
from vicinal.quality.uninformative import (
    copies,
    describe_emptiness,
    information_by_chance,
    parts_of,
)
from vicinal.typing import Floats, Ints, Places

#: Cases that tell whether a feature has to do with the target, at most.
_MOST_ASKED = 2000
#: Cases that are left out for each feature whose use is in doubt, at least, and cells of all of
#: them together: fewer cases where features are many.
_LEAST_LEFT_OUT, _LEFT_OUT = 100, 400_000
#: Share of the loss without any feature that one must surely stay below to count for nothing.
_NOTHING = 0.05


class Auditing(Predicting, Judging):
    """What looks wrong in the stored cases, with evidence."""

    def audit(
        self,
        target: str | None = None,
        *,
        test: Any = None,
        by_chance: float = 0.05,
        threshold: float = 0.4,
    ) -> Audit:
        """Look for likely errors in the table, each with its evidence.

        Parameters
        ----------
        target : str, optional
            A feature whose values are doubted: cases are listed whose value is likely wrong, and
            features that tell nothing about it.
        test : table, optional
            Rows that a model of these cases is to be tested on. Those are listed that equal a
            stored case, or nearly, whatever their target: they would be no test.
        by_chance : float, default 0.05
            Cases are nearly equal where so few pairs as near are expected by chance, going by
            how near the others are.
        threshold : float, default 0.4
            Conviction below which a case is unusual. `anomalies` flags at 0.7; an audit asks for
            more, for it is read by people.

        Returns
        -------
        Audit
            Likely wrong outcomes, duplicates, leaks, unusual cases and features without
            information.

        Examples
        --------
        >>> import vicinal
        >>> table = {
        ...     "x": [1.0, 1.1, 1.2, 1.3, 1.4, 5.0, 5.1, 5.2, 5.3, 5.4],
        ...     "same": [3.0] * 10,
        ...     "kind": ["a", "a", "a", "b", "a", "b", "b", "b", "b", "b"],
        ... }
        >>> audit = vicinal.Model().fit(table).audit("kind")
        >>> audit.of("label")[0].case, audit.of("label")[0].details["suggested"]
        (3, 'a')
        >>> audit.of("feature")
        (same: one value only,)
        """
        self._check_fitted()
        check_share("by_chance", by_chance)
        if not threshold > 0:
            raise ParameterError(f"threshold must be above 0; got {threshold!r}.")
        looked_for = ["duplicate", "unusual", "feature"]
        labels: list[Finding] = []
        scores: dict[int, float] = {}
        learned = None
        if target is not None:
            context = [name for name in self.schema_.names if name != target]
            learned = self._learn(target, self._columns_but(context, target))
            labels, scores = self._doubts(target, learned)
            looked_for.insert(0, "label")
        usual = usual_nearness(self.index_, self.metric_, threads=self.n_jobs)
        leaks: list[Finding] = []
        if test is not None:
            leaks = self._leaks(test, target, usual, by_chance)
            looked_for.insert(looked_for.index("unusual"), "leak")
        findings = [
            *labels,
            *self._duplicates(target, usual, by_chance),
            *leaks,
            *self._unusual(threshold),
            *self._idle_features(target, learned),
        ]
        return Audit(tuple(findings), tuple(looked_for), len(self), target, scores)

    def _doubts(self, target: str, learned: Learned) -> tuple[list[Finding], dict[int, float]]:
        """Cases whose outcome is likely wrong, and the score of every case."""
        index, described = self.index_, learned.target
        numbers = index.numbers
        said = answer(
            index,
            learned.tuning.ensemble,
            described,
            index.values,
            exclude=numbers,
            threads=self.n_jobs,
        )
        truth = described.outcomes[numbers]
        if said.probabilities is not None:
            doubts = doubt_classes(truth, said.probabilities, index.weights)
            if not classes_are_told(truth, said.probabilities, index.weights):
                doubts = replace(doubts, likely=np.zeros_like(doubts.likely))
        else:
            assert said.spread is not None
            scale = self._calibration(learned).scale(said.spread)
            errors = described.near(truth, said.values) - said.values
            doubts = doubt_numbers(errors, said.values, scale)
        score = np.where(np.isnan(doubts.score), -np.inf, doubts.score)
        likely = np.flatnonzero(doubts.likely)
        ranked = likely[np.argsort(-score[likely], kind="stable")]
        has = self._decoded(truth, described.column)
        suggested = self._decoded(doubts.suggested, described.column)
        behind = self._behind(learned, ranked)
        found = []
        for place, cases in zip(ranked.tolist(), behind, strict=True):
            sure = float(doubts.support[place])
            if said.probabilities is not None:
                words = f"{target} is {has[place]!r}, the others say {suggested[place]!r} "
                words += f"({sure:.0%})"
            else:
                words = f"{target} is {format_value(has[place])}, the others say "
                words += f"{format_value(suggested[place])} (±{sure:.3g})"
            details = {
                "has": json_value(has[place]),
                "suggested": json_value(suggested[place]),
                "support": sure,
                "because_of": cases,
            }
            beside = ", ".join(f"#{case}" for case in cases[:3])
            words += f"; above all {beside}" * bool(cases)
            found.append(
                Finding("label", int(numbers[place]), target, float(score[place]), words, details)
            )
        return found, dict(zip(numbers.tolist(), doubts.score.tolist(), strict=True))

    def _behind(self, learned: Learned, places: Places) -> list[list[int]]:
        """The cases that speak loudest where these are left out."""
        if not len(places):
            return []
        index = self.index_
        found = find_influences(
            index,
            learned.tuning.ensemble,
            index.values[places],
            target=learned.target,
            exclude=index.numbers[places],
            threads=self.n_jobs,
        )
        merged = CaseInfluences.merged(found, learned.target)
        return [[int(case) for case in row[:5] if case >= 0] for row in merged.indices]

    def _duplicates(self, target: str | None, usual: Usual, by_chance: float) -> list[Finding]:
        index = self.index_
        twins = find_duplicates(
            index,
            self.metric_,
            index.values,
            usual,
            exclude=index.numbers,
            by_chance=by_chance,
            threads=self.n_jobs,
        )
        return [self._twin("duplicate", twin, target) for twin in twins]

    def _leaks(
        self, test: Any, target: str | None, usual: Usual, by_chance: float
    ) -> list[Finding]:
        queries, given, _ = self._queries(test, () if target is None else {target})
        metric = self.metric_.restricted(self.schema_.columns(given))
        twins = find_duplicates(
            self.index_, metric, queries, usual, by_chance=by_chance, threads=self.n_jobs
        )
        return [self._twin("leak", twin, None) for twin in twins]

    def _twin(self, kind: str, twin: Duplicate, target: str | None) -> Finding:
        names = [self.schema_.storage[column].name for column in twin.differs]
        details = {
            "twin": twin.case,
            "nearness": twin.nearness,
            "differs_in": names,
            "expected_by_chance": twin.expected,
        }
        if not names:
            return Finding(kind, twin.row, None, 1.0, f"equal to case {twin.case}", details)
        only = " but for the target" if names == [target] else ""
        words = f"nearly equal to case {twin.case}{only}: {', '.join(names[:4])} differ"
        words += "s" * (len(names) == 1) + f" ({twin.expected:.1g} pairs as near by chance)"
        return Finding(kind, twin.row, None, 1.0 - twin.nearness, words, details)

    def _unusual(self, threshold: float) -> list[Finding]:
        found = self.anomalies(threshold=threshold)
        findings = []
        for at in range(len(found)):
            why = ", ".join(name for name, _ in found.features[at][:3])
            words = f"conviction {found.conviction[at]:.2g}" + f" because of {why}" * bool(why)
            details = {
                "conviction": float(found.conviction[at]),
                "p_value": float(found.p_value[at]),
                "features": dict(found.features[at]),
                "ordinary": [int(case) for case in found.ordinary[at] if case >= 0],
            }
            score = float(-np.log(found.conviction[at]))
            findings.append(Finding("unusual", int(found.cases[at]), None, score, words, details))
        return findings

    def _idle_features(self, target: str | None, learned: Learned | None) -> list[Finding]:
        """Features that tell nothing apart, repeat another, or say nothing of the target."""
        values, kinds = self.index_.values, self.metric_.kinds
        findings, settled = [], set()
        for name in self.schema_.names:
            column = self.schema_.column(name)
            why = describe_emptiness(values[:, column], nominal=bool(kinds[column] == NOMINAL))
            if why:
                settled.add(column)
                findings.append(Finding("feature", None, name, 1.0, why))
        order = np.array([self.schema_.column(name) for name in self.schema_.names], dtype=np.intp)
        for column, other in copies(values, order, kinds):
            settled.add(column)
            name, twin = (self.schema_.storage[one].name for one in (column, other))
            words = f"one-to-one with {twin!r}"
            findings.append(Finding("feature", None, name, 1.0, words, {"twin": twin}))
        if target is None or learned is None:
            return findings
        return findings + self._useless(target, learned, settled)

    def _useless(self, target: str, learned: Learned, settled: set[int]) -> list[Finding]:
        """Features that say nothing of a target: not by themselves, nor beside the others."""
        goal = learned.target.column
        known = np.flatnonzero(~np.isnan(self.index_.column(goal)))
        values = self.index_.values[known]
        chosen = sample_cases(values, _MOST_ASKED, random_state=self.random_state)
        values = values[chosen]
        kinds = self.metric_.kinds
        outcome = parts_of(values[:, goal], nominal=bool(kinds[goal] == NOMINAL))
        found = []
        before = float(-xlogy(learned.target.shares, learned.target.shares).sum()) or 1.0
        doubtful = []
        for name in self.schema_.names:
            column = self.schema_.column(name)
            if column == goal or column in settled:
                continue
            codes = parts_of(values[:, column], nominal=bool(kinds[column] == NOMINAL))
            alone, p = information_by_chance(codes, outcome, seed=self.random_state)
            if p > 0.05:
                doubtful.append((name, column, alone, p))
        if not doubtful:
            return []
        asked = _LEFT_OUT // (len(doubtful) * len(self.schema_))
        cases = self._cases_left_out(learned, max(_LEAST_LEFT_OUT, asked))
        losses = self._case_losses(learned, learned.tuning.ensemble, cases)
        for name, column, alone, p in doubtful:
            without = _without(learned.tuning.ensemble, column)
            gain, error = _mean_gain(self._case_losses(learned, without, cases) - losses)
            # It must be surely small, and not surely there.
            if gain + 2 * error > _NOTHING * before or gain > 2 * error:
                continue
            words = f"tells nothing about {target}: by itself {alone:.2g} nats (p = {p:.2g}), "
            words += f"beside the others it lowers a loss of {before:.2g} by {gain:.2g} "
            words += f"± {error:.2g}"
            details = {"alone": alone, "p_alone": p, "gain": gain, "gain_error": error}
            found.append(Finding("feature", None, name, p, words, details))
        return sorted(found, key=lambda one: -one.score)

    def _cases_left_out(self, learned: Learned, most: int) -> Ints:
        """Cases that the target was learned from and that still have it, so many at most."""
        cases = learned.tuning.queries
        cases = cases[np.isin(cases, self.index_.numbers)]
        # Others may have lost the target since it was learned.
        cases = cases[~np.isnan(learned.target.outcomes[cases])]
        chosen = sample_cases(self.index_.case_values(cases), most, random_state=self.random_state)
        return cases[chosen]

    def _case_losses(self, learned: Learned, ensemble: Ensemble, cases: Ints) -> Floats:
        """Log loss of left-out cases; of numbers the error over the mean absolute deviation."""
        said = self._left_out(learned.target, ensemble, cases)
        truth = learned.target.outcomes[cases]
        if said.probabilities is not None:
            given = said.probabilities[np.arange(len(cases)), truth.astype(np.intp)]
            return -np.log(np.maximum(given, 1e-6))
        gaps = np.abs(learned.target.near(truth, said.values) - said.values)
        return gaps / (learned.target.scale or 1.0)


def _without(ensemble: Ensemble, column: int) -> Ensemble:
    """The same ensemble, for which a column does not count."""
    spaces = []
    for space in ensemble.spaces:
        weights = space.metric.weights.copy()
        weights[column] = 0.0
        if not weights.any():  # nothing else counts, so all cases answer alike
            return Ensemble(ensemble.target, (), (), 1, 1.0)
        spaces.append(replace(space, metric=space.metric.with_weights(weights)))
    return replace(ensemble, spaces=tuple(spaces))


def _mean_gain(gains: Floats) -> tuple[float, float]:
    """The mean of gains, and its standard error."""
    if len(gains) < 2:
        return 0.0, 0.0
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
