"""Certify predictions: how far rows and training data can change without changing them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted, Rows
from vicinal.influence.answer import Answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.predictor import Predictor, learn
from vicinal.prediction.rule import deciding
from vicinal.progress import stages
from vicinal.robustness.attack import Attack, Flip, starting_cases
from vicinal.robustness.division import FEW_BOXES, MORE_BOXES, Division, is_divisible
from vicinal.robustness.known_means import KnownMeans
from vicinal.robustness.margins import Bounds
from vicinal.robustness.outcome import Outcome, class_outcome, number_outcome
from vicinal.robustness.pace import Pace
from vicinal.robustness.perturbation import Perturbation
from vicinal.robustness.radius import certified_radius
from vicinal.robustness.reasons import why_none
from vicinal.robustness.result import Certificates
from vicinal.robustness.training import RemovalSearch, fewest_labels
from vicinal.schema.decode import decode_rows
from vicinal.typing import Floats, Places
from vicinal.validation import check_parameter, check_parameters

#: A radius that changes nothing.
_TINY = 1e-9


def certify(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    norm: str = "max",
    immutable: Iterable[str] = (),
    categories: bool = False,
    steps: bool = False,
    tolerance: float | None = None,
    attack: bool = True,
    training: bool = True,
    max_boxes: int | None = None,
    time_budget: float | None = None,
    context: Iterable[str] | None = None,
    decision: Any = None,
    class_weight: Any = None,
) -> Certificates:
    """Prove how far rows and training data can change without changing predictions.

    For each row, a radius is certified: whatever changes of its features cost no more, the
    prediction stays the same. This is proved from the formulas of distances and influences, not
    tested on examples. An attack then looks for a small change that does change the prediction, so
    that the true limit lies between both.

    Parameters
    ----------
    rows : table
        The rows; some columns may be absent.
    target : str
        The feature to predict.
    norm : {"max", "sum"}, default "max"
        What the radius limits: the change of every feature, or the sum of all changes. Changes of
        numbers are measured in residuals, the expected errors of the features.
    immutable : list of str
        Features that cannot change.
    categories : bool, default False
        Whether categories can change, too. Another one costs its contrast: the surprisal of a
        category that differs. Otherwise only numbers change.
    steps : bool, default False
        Whether numbers change by whole steps only, if all their values are multiples of one
        (counts, codes, rounded measurements), and stay within natural bounds. The attack keeps to
        both in any case. The radius is larger then, and says nothing about other values.
    tolerance : float, optional
        For numbers: how far a prediction may move and still count as the same, in its own unit
        (for times in seconds, for ordinal targets in ranks). By default the half-width of its
        90 % prediction interval.
    attack : bool, default True
        Whether to look for a counterexample.
    training : bool, default True
        Whether to count the training cases that the prediction depends on.
    max_boxes : int, optional
        Into how many boxes changes may be divided, to prove a larger radius. Each takes about as
        long as 2 to 30 predictions. By default 64, and up to 512 while the smallest change that
        the attack has found is more than 1.5 times the radius. With more than 12 numbers that
        change, only where cases times these numbers are at most 20,000: each box takes long in
        larger tables.
    time_budget : float, optional
        Seconds after which no more boxes are looked at, for all rows together. What is done before
        and besides takes about 100 predictions a row. Radii then depend on how fast the machine
        is; with `max_boxes` they do not. By default there is no limit.
    context : list of str, optional
        Features to predict from; by default all columns of the rows except the target.
    decision, class_weight
        How a class is decided from the probabilities, as in `predict`.

    Returns
    -------
    Certificates
        The certified radius of each row, also as an amount of each feature in its own unit; the
        smallest change that is known to change the prediction; and how many training outcomes
        must change, or training cases be removed, to change it.

    Notes
    -----
    Missing values stay missing. What was learned (residuals, weights, scores) is held fixed. See
    the theory of certificates for the proof, and for where it is far from the true limit.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> model = vicinal.Model(influence="probability", scores=False).fit(load_penguins())
    >>> row = {"bill_length_mm": [50.0], "flipper_length_mm": [230]}
    >>> found = model.certify(row, "species")
    >>> found.predictions[0], bool(0 < found.radius[0] < found.flip[0])
    ('Gentoo', True)
    """
    check_parameters({"decision": decision, "class_weight": class_weight, "norm": norm})
    flags = {"categories": categories, "steps": steps, "attack": attack, "training": training}
    for name, flag in flags.items():
        check_parameter(name, flag, "flag")
    if max_boxes is not None:
        check_parameter("max_boxes", max_boxes)
    for name, limit in {"tolerance": tolerance, "time_budget": time_budget}.items():
        if limit is not None:
            check_parameter(name, limit)
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)
    predictor = deciding(predictor, decision, class_weight)
    if predictor.target.period:
        raise ParameterError(
            f"{target!r} is cyclic; expected classes or plain numbers. Certify another target."
        )
    names = [immutable] if isinstance(immutable, str) else list(immutable)
    fixed = fitted.schema.columns(names)  # an unknown name is an error with a suggestion
    columns = np.setdiff1d(asked.columns, fixed)
    answered = predictor.answer(asked)
    kept = _tolerances(predictor, answered, tolerance)
    boxes = (FEW_BOXES, MORE_BOXES) if max_boxes is None else (max_boxes, 0)
    found = []
    with stages(max(len(asked) * sum(boxes), 1), what="certifying") as step:
        pace = Pace(step, max(len(asked), 1), sum(boxes), time_budget)
        for at in range(len(asked)):
            question = _Question(predictor, asked, answered, at, kept)
            found.append(question.certified(columns, norm=norm, boxes=boxes, pace=pace, **flags))
            pace.end_row()
    return _result(predictor, asked, answered, kept, found, columns, norm, categories)


def _tolerances(predictor: Predictor, answered: Answer, tolerance: float | None) -> Floats | None:
    """Return how far predictions of numbers may move; None for classes."""
    if predictor.target.n_classes:
        if tolerance is not None:
            raise ParameterError(
                "tolerance is for numbers, and the target has classes; leave it out."
            )
        return None
    if tolerance is not None:
        return np.full(len(answered.values), float(tolerance))
    widths = predictor.half_widths(answered, 0.1)
    return np.where(np.isfinite(widths), widths, predictor.target.scale)


@dataclass(frozen=True, eq=False)
class _Certified:
    """What is certified of one row."""

    radius: float
    flip: Flip | None
    labels: float
    removals: tuple[float, float]
    reason: str | None


class _Question:
    """One row whose prediction is certified."""

    def __init__(
        self, predictor: Predictor, rows: Rows, answered: Answer, at: int, kept: Floats | None
    ) -> None:
        self.predictor, self.row = predictor, rows.values[at]
        self.rows = rows.take([at])
        self.case = -1 if rows.exclude is None else int(rows.exclude[at])
        value = float(answered.values[at])
        self.outcome: Outcome
        if kept is None:
            assert answered.probabilities is not None
            self.outcome = class_outcome(predictor, int(value))
            given = answered.probabilities[at]
            #: By how much the prediction of the row itself stays.
            self.own = min((float(one @ given) for one in self.outcome.values), default=np.inf)
        else:
            self.outcome = number_outcome(predictor, value, float(kept[at]))
            self.own = float(kept[at])

    def certified(
        self,
        columns: Places,
        *,
        norm: str,
        categories: bool,
        steps: bool,
        attack: bool,
        training: bool,
        boxes: tuple[int, int],
        pace: Pace,
    ) -> _Certified:
        """Certify the prediction of the row."""
        predictor, outcome = self.predictor, self.outcome
        if not len(outcome.values):  # a single class has no rival
            return _Certified(np.inf, None, np.inf, (np.inf, np.nan), None)
        options: dict[str, Any] = {"norm": norm, "categories": categories, "steps": steps}
        changes = Perturbation.of(predictor.fitted, self.row, columns, **options)
        bounds = Bounds(predictor, changes, self.case)
        flip = None
        if attack and len(changes.changeable):
            cases = starting_cases(predictor, changes, outcome.differs)
            flip = Attack(predictor, changes, self._margin).run(cases)

        def margins(
            bounds: Bounds,
            radius: float,
            rivals: Places,
            known: KnownMeans | None = None,
            *,
            whole: bool = False,
        ) -> Floats:
            values = [outcome.values[rival] for rival in rivals.tolist()]
            ends = outcome.lowest[rivals], outcome.highest[rivals]
            needed = outcome.enough - outcome.added[rivals]
            enough = None if known is None else needed
            found = bounds.least_means(
                radius, values, *ends, known=known, needed=enough, whole=whole
            )
            return found - needed

        every = np.arange(len(outcome.values))
        own: Floats | None = None

        def least(radius: float) -> float:
            # Without a known change, many radii are tried that are far too large.
            known = None if own is None else KnownMeans(own)
            found = margins(bounds, radius, every, known, whole=True)
            return float(found.min(initial=np.inf))

        radius = np.inf
        if len(changes.changeable):
            known = np.inf if flip is None else flip.cost
            own = self._own_means(bounds) if flip is None else None
            radius = certified_radius(least, self.own, known, len(changes.changeable))
            if radius > 0 and sum(boxes) > 1 and is_divisible(changes, len(predictor.index)):
                own = self._own_means(bounds) if own is None else own
                given = predictor, changes, self.case, margins, own, *boxes
                radius = Division(*given, pace.more).grown(radius, known)
        labels, removals = np.nan, (np.nan, np.nan)
        if training:
            labels, removals = self._training(bounds)
        reason = None if radius > 0 else why_none(bounds, self.own)
        return _Certified(radius, flip, labels, removals, reason)

    def _own_means(self, bounds: Bounds) -> Floats:
        """Return what every member says about the row itself, (members, rivals)."""
        outcome, members = self.outcome, self.predictor.ensemble.members
        known = KnownMeans(np.tile(outcome.highest, (len(members), 1)))
        ends = outcome.lowest, outcome.highest
        bounds.least_means(_TINY, outcome.values, *ends, known=known)
        return next(iter(known.by_fold.values()))

    def _margin(self, rows: Floats) -> Floats:
        exclude = None if self.case < 0 else np.full(len(rows), self.case, dtype=np.int64)
        return self.outcome.margin(self.predictor.predict(rows, exclude))

    def _training(self, bounds: Bounds) -> tuple[float, tuple[float, float]]:
        """Return how many outcomes must change, and how many cases must be removed."""
        predictor, outcome = self.predictor, self.outcome
        merged = CaseInfluences.merged(predictor.influences(self.rows), predictor.target)
        there = merged.indices[0] >= 0
        numbers, shares = merged.indices[0, there], merged.shares[0, there]
        given = merged.outcomes[0, there]
        labels, least, known = np.inf, np.inf, np.inf
        for at, values in enumerate(outcome.values):
            own = outcome.case_values(values, given) + outcome.added[at]
            background = merged.background * outcome.expected(values, predictor.target, at)
            margin = float(shares @ own) + background
            gains = np.where(shares >= 0, own - outcome.ends[at][0], own - outcome.ends[at][1])
            labels = min(labels, fewest_labels(shares, gains, margin))
            search = RemovalSearch(bounds, values, float(outcome.added[at]), most=len(numbers))
            fewest = search.least()
            least = min(least, fewest)
            order = np.argsort(-shares * own, kind="stable")
            enough = search.known(numbers[order[(shares * own)[order] > 0]], fewest)
            known = min(known, np.inf if enough is None else enough)
        return labels, (least, known if np.isfinite(known) else np.nan)


def _result(
    predictor: Predictor,
    rows: Rows,
    answered: Answer,
    kept: Floats | None,
    found: list[_Certified],
    columns: Places,
    norm: str,
    categories: bool,
) -> Certificates:
    fitted = predictor.fitted
    typical = Perturbation.of(
        fitted, np.zeros(len(fitted.schema)), columns, norm=norm, categories=categories
    )
    storage = fitted.schema.storage
    units = {storage[i].name: float(typical.units[i]) for i in typical.changeable}
    named = {storage[i].name for i in np.flatnonzero(typical.nominal)}
    counted = not all(np.isnan(one.labels) for one in found)
    return Certificates(
        target=predictor.name,
        predictions=fitted.predicted(answered.values, predictor.column),
        norm=norm,
        radius=np.array([one.radius for one in found]),
        flip=np.array([np.inf if one.flip is None else one.flip.cost for one in found]),
        counterexamples=tuple(
            None if one.flip is None else _changes(fitted, rows.values[at], one.flip.row)
            for at, one in enumerate(found)
        ),
        units={name: unit for name, unit in units.items() if name not in named},
        costs={name: 1 / unit for name, unit in units.items() if name in named},
        tolerance=kept,
        labels=np.array([one.labels for one in found]) if counted else None,
        removals=np.array([one.removals for one in found]) if counted else None,
        reasons=tuple(one.reason for one in found),
        rows=tuple(fitted.labels.listed(rows.numbers) if rows.stored else range(len(rows))),
        library=fitted.library,
        in_seconds=frozenset(name for name in units if fitted.schema[name].in_seconds),
    )


def _changes(fitted: Fitted, before: Floats, after: Floats) -> dict[str, tuple[Any, Any]]:
    """Return the features that differ, with both values."""
    differs = ~((before == after) | (np.isnan(before) & np.isnan(after)))
    both = np.stack([before, after])
    features = {fitted.schema.storage[i].name: i for i in np.flatnonzero(differs).tolist()}
    return {
        name: tuple(decode_rows(both[:, features[name]], fitted.schema[name]))
        for name in fitted.schema.names
        if name in features
    }
