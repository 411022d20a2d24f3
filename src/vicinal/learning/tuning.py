"""Tune the prediction of a target by leave-one-out on the stored cases."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import numpy as np

from vicinal.index.hashes import sampling_keys
from vicinal.index.memory import return_memory
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import split_cases
from vicinal.influence.ensemble import Ensemble, Space
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.learning.attacked_sample import attacked_sample
from vicinal.learning.greedy_average import greedy_average
from vicinal.learning.learner import FEWEST_TO_MERGE, PLACES_OF_FEW, Learner
from vicinal.learning.merging import sampled_cases
from vicinal.learning.moved_cases import moved_cases
from vicinal.learning.neighborhoods import Neighborhoods
from vicinal.learning.scoring import BANDWIDTHS, Candidate, Scorer
from vicinal.learning.views import Views
from vicinal.progress import track
from vicinal.typing import Floats, Ints

#: Neighbors searched for numbers and for classes. A class is one bit, so that it takes more of
#: them to estimate a probability than a mean.
NEIGHBORS = 60
NEIGHBORS_OF_CLASSES = 100
#: Where one class is much commoner than all others, so many that about this number of them are
#: not expected to have it, up to this many: neighbors of one class alone rank nothing.
UNCOMMON = 20
MOST_NEIGHBORS = 300
#: In spaces of nothing but scores this part of the cases, up to as many: cases with the same score
#: are expected to have the same outcome, wherever they are, so that a mean of more has less noise.
PART_OF_SCORES = 0.1

#: With fewer cases than this, splits are noisy: numbers gain from metrics learned on other halves,
#: in the best representation. Classes gain from these where there are more, of which the rare ones
#: may still be few.
FEW_CASES = 600
HALVINGS = 2
#: But where every split takes all cases, and these have more cells than this, there is one.
MOST_CELLS = 1_000_000
#: Part of `max_queries` that a split of classes takes. One of two splits of numbers takes half;
#: most cases of classes are easy and say little. Leaving easy ones out takes less time, but shows
#: less of rare classes.
CASES_OF_CLASSES = 0.75

#: Where cases are not few, weights are learned from one of so many parts of them at first, and
#: then from all.
PARTS = 3

#: A representation is dropped if its loss exceeds the best by this factor: for classes before
#: weights are learned, then on the first half, and last, before its influences are balanced. Until
#: then it may exceed this by so many standard errors of the difference: where a class has few
#: cases, these few decide, and chance would drop the better one.
HOPELESS_PLAIN = 1.3
HOPELESS_CLASSES_ON_HALF = 1.1
HOPELESS_ON_HALF = 1.3
HOPELESS = 1.15
MARGIN = 2.0
#: Maximum number of representations that are kept after the first part of the first half, or after
#: this half, and of pairs of metrics whose influences are balanced: these take most of the time.
MOST_HOPEFUL = 5
MOST_BALANCED = 4


def tune(
    index: Index,
    representations: dict[str, Metric],
    target: Target,
    *,
    max_queries: int = 2400,
    max_members: int = 20,
    rules: tuple[str, ...] = ("centered", "linear"),
    halvings: int | None = None,
    learned: Collection[str] = (),
    scores: Collection[str] = (),
    views: Views | None = None,
    radius: float = 0.0,
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose metrics, bandwidths and ridges for a target.

    The sampled cases are split in halves. Every representation gets a metric for each
    half, learned on the other and scored on this one, so that no loss is measured on the cases
    it was learned from; predictions use the mean of both, or of few cases each of them. Small
    tables also try the metric with equal weights. Bandwidths and ridges are scored, and members
    are added to the average one by one, each time the one that lowers the loss most.

    Parameters
    ----------
    representations : dict of str to Metric
        Metrics without weights for the target, by name.
    max_queries : int
        Maximum number of cases to learn from and to score on; each counts once per split.
        For classes three quarters of it for each split.
    max_members : int
        Members of the average, counted with repetition.
    rules : tuple of str
        Influence rules with a ridge to try, "centered" or "linear"; "probability" is tried always.
    halvings : int, optional
        Number of random splits; by default two for numbers of small tables, if these have no
        thousands of columns, and for classes of others.
    learned : collection of str
        Representations that have learned from outcomes before.
    scores : collection of str
        Representations by scores alone, in which more neighbors are searched.
    views : Views, optional
        The index as cases that are left out see it, if these differ.
    radius : float
        For classes: how far the numbers of left-out cases are moved toward another class before
        they are learned from and judged, in standard deviations.
    """
    mass = float(index.reduce("mass", required=target.column)["mass"])
    few = mass < FEW_CASES
    halvings = halvings or (HALVINGS if few != bool(target.n_classes) else 1)
    count = max(1, int(max_queries * (CASES_OF_CLASSES if target.n_classes else 1 / halvings)))
    halvings = 1 if _is_wide(index, representations, count) else halvings
    context = np.unique(np.concatenate([one.active for one in representations.values()]))
    cases = sampled_cases(index, target, context, count, random_state=random_state)
    k = reachable(index, neighbors_of(target))
    draft = Ensemble(target.column, (), (), k, 0.0)
    of_scores = max(k, reachable(index, min(MOST_NEIGHBORS, int(PART_OF_SCORES * mass))))
    given, views = next(iter(representations.values())), views or Views(index)
    views, attacked = _judged_at(views, given, target, cases, radius, random_state)
    contents = index.rows(cases)[:, context]
    splits = [_halves(contents, cases, random_state + halving) for halving in range(halvings)]
    some = cases if few else _first_part(contents, cases, random_state + halvings)
    del contents  # read again at the end: of a wide table it is much to hold all the while

    learners = {
        name: Learner(
            views.seen_by(metric),
            metric,
            target,
            cases,
            some,
            of_scores if name in scores else k,
            threads,
            None if attacked is None else attacked.seen_by(metric),
        )
        for name, metric in representations.items()
    }
    part = len(some) < len(cases)
    begun = _learned_on_half(learners, splits[0], target, learned, few=few, from_part=part)
    return_memory(index)
    merge = len(cases) >= FEWEST_TO_MERGE
    spaces, scorers = _learned_spaces(learners, begun, splits, few=few, merge=merge)
    return_memory(index)
    candidates = _candidates(scorers, spaces, rules)
    return greedy_average(
        draft,
        tuple(spaces),
        candidates,
        target,
        cases,
        index.rows(cases)[:, context],
        max_members,
        attacked=None if attacked is None else attacked.judged,
        random_state=random_state,
    )


def _judged_at(
    views: Views, metric: Metric, target: Target, cases: Ints, radius: float, random_state: int
) -> tuple[Views, Views | None]:
    """Return views with all cases moved by a radius, or else others with some of them moved."""
    how: dict[str, int] = {"random_state": random_state}
    if target.n_classes and radius:
        return moved_cases(views, metric, target, cases, radius, **how), None
    return views, attacked_sample(views, metric, target, cases, **how)


def _learned_on_half(
    learners: dict[str, Learner],
    halves: tuple[Ints, Ints],
    target: Target,
    learned: Collection[str],
    *,
    few: bool,
    from_part: bool,
) -> dict[str, tuple[Metric, Neighborhoods]]:
    """Learn metrics on one half, at first from a part of the cases; keep the hopeful, best first.

    Learners that are not hopeful are dropped from the dict as soon as possible: they fill memory.
    """
    most = HOPELESS_ON_HALF if few or not target.n_classes else HOPELESS_CLASSES_ON_HALF
    rough: dict[str, Metric] = {}
    hopeful = list(learners)
    if len(learners) > 1 and from_part:
        rough, hopeful = _learned_first(learners, halves, target, most)
    elif len(learners) > 1 and target.n_classes:
        hopeful = _hopeful_plain(learners, target, learned)
    _keep(learners, hopeful)
    each = track(learners.items(), total=len(learners), what="learning the target")
    begun = {name: learner.learn(*halves, rough.get(name)) for name, learner in each}
    if len(learners) > 1:
        first = {name: near for name, (_, near) in begun.items()}
        _keep(learners, _hopeful(first, target, most)[:MOST_HOPEFUL])
    return {name: begun[name] for name in learners}


def _keep(learners: dict[str, Learner], names: Collection[str]) -> None:
    kept = {name: learners[name] for name in names}
    learners.clear()
    learners.update(kept)


def _learned_spaces(
    learners: dict[str, Learner],
    begun: dict[str, tuple[Metric, Neighborhoods]],
    splits: list[tuple[Ints, Ints]],
    *,
    few: bool,
    merge: bool,
) -> tuple[list[Space], list[Scorer]]:
    """Learn the metrics of the other halves; return all spaces, and what scores rules in them.

    The first split was begun before. With `merge`, the metrics of two halves become one.
    """
    spaces: list[Space] = []
    scorers: list[Scorer] = []
    best = next(iter(learners))
    for name, learner in track(learners.items(), total=len(learners), what="tuning the target"):
        # Other representations than the best contribute too, with fewer metrics.
        others = splits[1:] if name == best else []
        for number, halves in enumerate([splits[0], *others]):
            one = learner.learn(*halves) if number else begun[name]
            both = (one, learner.learn(*halves[::-1]))
            metrics = [metric for metric, _ in both]
            kept = [_mean_metric(metrics)] if merge else metrics
            own = tuple(range(len(spaces), len(spaces) + len(kept)))
            scorers.append(learner.scorer(name, own, list(both), learner.k))
            spaces += [Space(metric, name, learner.k) for metric in kept]
        for k in learner.places_of_equal if few else ():
            near = learner.begin if k == learner.k else learner.near(learner.equal, k)
            scorers.append(learner.scorer(name, (len(spaces),), [(learner.equal, near)], k))
            spaces.append(Space(learner.equal, f"{name}, equal weights", k))
    return spaces, scorers


def _learned_first(
    learners: dict[str, Learner], halves: tuple[Ints, Ints], target: Target, factor: float
) -> tuple[dict[str, Metric], list[str]]:
    """Learn metrics from the first part of the cases, and return them with the hopeful ones."""
    each = track(learners.items(), total=len(learners), what="learning from the first cases")
    found = {name: learner.learn_first(*halves) for name, learner in each}
    near = {name: one for name, (_, one) in found.items()}
    hopeful = _hopeful(near, target, factor)[:MOST_HOPEFUL]
    return {name: metric for name, (metric, _) in found.items()}, hopeful


def _hopeful_plain(
    learners: dict[str, Learner], target: Target, learned: Collection[str]
) -> list[str]:
    """Return representations that are hopeful by equal weights.

    Scores have learned from outcomes already: the others must not compete with them yet.
    """
    plain = {name: one.begin for name, one in learners.items() if name not in learned}
    hopeful = _hopeful(plain, target, HOPELESS_PLAIN) if plain else []
    return hopeful + [name for name in learners if name in learned]


def _is_wide(index: Index, representations: dict[str, Metric], count: int) -> bool:
    """Return whether all cases are in every split, and have very many cells."""
    widest = max(len(one.active) for one in representations.values())
    return len(index) <= count and len(index) * widest > MOST_CELLS


def _mean_metric(metrics: list[Metric]) -> Metric:
    """Return the metric with the geometric mean of the weights of some that differ in them alone.

    A prediction searches in it once, where it would search in each of them. A column that one of
    them has dropped weighs there as the lightest that it has kept: of two columns that say the
    same, each half may have kept another one.
    """
    weights = np.stack([metric.weights for metric in metrics])
    least = np.where(weights > 0, weights, np.inf).min(axis=1, keepdims=True)
    weights = np.where((weights > 0).any(axis=0), np.where(weights > 0, weights, least), 0.0)
    with np.errstate(divide="ignore"):  # columns without weight
        return metrics[0].with_weights(np.exp(np.log(weights).mean(axis=0)))


def _hopeful(found: dict[str, Neighborhoods], target: Target, factor: float) -> list[str]:
    """Return representations whose loss is not surely above a factor of the lowest, best first."""
    scorers = {name: Scorer(name, (), [near], target, None) for name, near in found.items()}
    best = {name: scorer.best_plain() for name, scorer in scorers.items()}
    # In single precision, because rounding must not choose among equals.
    losses = {name: np.float32(one.loss) for name, one in best.items()}
    ranked = sorted(losses, key=losses.__getitem__)
    first = ranked[0]

    def within(name: str) -> bool:
        if losses[name] <= factor * losses[first]:
            return True
        times, error = scorers[first].judge.gap(best[name].guesses, best[first].guesses)
        return bool(np.float32(times - MARGIN * error) <= np.float32(factor))

    return [name for name in ranked if within(name)]


def neighbors_of(target: Target) -> int:
    """Return how many neighbors are searched to predict a target."""
    if not target.n_classes:
        return NEIGHBORS
    uncommon = max(1.0 - float(target.shares.max()), UNCOMMON / MOST_NEIGHBORS)
    return max(NEIGHBORS_OF_CLASSES, int(UNCOMMON / uncommon))


def reachable(index: Index, most: int) -> int:
    """Return how many neighbors can be requested; a case of weight 2 counts as two."""
    units = int(np.ceil(float(index.reduce("mass")["mass"])))
    # Cases of small or zero weight must not reduce it below the number of available cases.
    return max(1, min(most, max(len(index), units)))


def _halves(contents: Floats, cases: Ints, random_state: int) -> tuple[Ints, Ints]:
    """Split the cases into two halves; cases with equal features stay together."""
    second = split_cases(contents, 2, random_state=random_state) == 1
    if second.all() or not second.any():  # all cases are equal, so there is nothing to hold out
        return cases, cases
    return cases[~second], cases[second]


def _first_part(contents: Floats, cases: Ints, random_state: int) -> Ints:
    """Return the cases that weights are learned from at first.

    The seed is to be another one than that of the halves, or the part would be in one of them. Few
    distinct cases are all taken: some of them would leave weights open, and rounding decide them.
    """
    if len(np.unique(sampling_keys(contents, random_state))) < PARTS * FEWEST_TO_MERGE:
        return cases
    return cases[split_cases(contents, PARTS, random_state=random_state) == 0]


def _candidates(
    scorers: list[Scorer], spaces: list[Space], rules: tuple[str, ...]
) -> list[Candidate]:
    plain = [scorer.plain() for scorer in scorers]
    candidates = [candidate for of_one in plain for candidate in of_one]
    losses = [np.float32(min(candidate.loss for candidate in of_one)) for of_one in plain]
    ranked = sorted(range(len(scorers)), key=losses.__getitem__)
    # Of so few neighbors some change with every move of the row, and with them any balance.
    steady = [at for at in ranked if spaces[scorers[at].spaces[0]].k not in PLACES_OF_FEW]
    for at in steady[:MOST_BALANCED]:
        scorer, of_one = scorers[at], plain[at]
        best = int(np.argmin([np.float32(candidate.loss) for candidate in of_one]))
        if losses[at] > HOPELESS * min(losses) or not rules:
            continue
        # Balancing removes the bias of wide kernels, so the best width grows.
        widths = BANDWIDTHS[best : best + 3]
        for rule in rules:
            candidates += _balanced(partial(scorer.paths(), rule), widths, of_one[best].loss)
    return candidates


def _balanced(
    score: Callable[[float], list[Candidate]], widths: tuple[float, ...], plain: float
) -> list[Candidate]:
    """Score the second of three widths; if it improves the plain loss, a neighbor of it as well.

    This is the wider one, and the other one only if that is no better.
    """

    def least(some: list[Candidate]) -> np.float32:
        # In single precision, because rounding must not choose among equals.
        return np.float32(min((one.loss for one in some), default=np.inf))

    first = score(widths[1] if len(widths) > 1 else widths[0])
    if len(widths) < 2 or not least(first) < np.float32(plain):
        return first
    wider = score(widths[2]) if len(widths) > 2 else []
    return first + wider + ([] if least(wider) < least(first) else score(widths[0]))
