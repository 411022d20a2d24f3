"""Boosted trees as they are defined: every sum is taken anew, over rows, in plain Python.

Trees are nested: a leaf is its value, a split a tuple of the column, the set of bins that go left,
and the two subtrees.
"""

from __future__ import annotations

import itertools
import math

BINS, MISSING = 64, 63


class Booster:
    """Grow trees for one fold, from all rows that are not in it.

    `margin` is how much better, in relation, the best split was than the next one, at the least:
    where it is tiny, rounding decides and other trees are as good. It is 0 where the best split
    parts categories that are equal by what orders them.
    """

    def __init__(self, rows, nominal, weights, truth, classes, options):
        self.rows, self.nominal, self.weights, self.truth = rows, nominal, weights, truth
        self.classes, self.width = classes, classes if classes > 2 else 1
        self.options, self.rate, self.margin = options, options["rate"], math.inf
        self.arbitrary = set()
        self.columns = list(range(len(nominal)))

    def grow(self, given, rounds):
        """Return the start, and the trees of each round, one for every score."""
        start = self.start(given)
        scores = {i: list(start) for i in range(len(self.rows))}
        grown = []
        for done in range(rounds):
            self.rate = self.options["rate"] * (1 + done * self.options["faster"])
            if done % 10 == 0:
                self.choose_columns(given, scores)
            trees = [self.tree(given, self.slopes(given, scores, c)) for c in range(self.width)]
            for i, own in scores.items():
                for c, tree in enumerate(trees):
                    own[c] += evaluate(tree, self.rows[i])
            grown.append(trees)
        return start, grown

    def choose_columns(self, given, scores):
        """Look at the columns alone whose best first splits gain most, over all scores."""
        gains = dict.fromkeys(range(len(self.nominal)), 0.0)
        for c in range(self.width):
            slopes = self.slopes(given, scores, c)
            for column in gains:
                self.columns, leaf = [column], {"rows": list(given), "path": frozenset()}
                margin = self.margin  # splits of the same column do not compete here
                found = self.best_split(leaf, slopes)
                self.margin = margin
                gains[column] += found[0] if found else 0.0
        ranked = sorted(gains, key=lambda column: -gains[column])
        most = self.options["most_columns"]
        if most < len(ranked) and gains[ranked[most - 1]] > 0:
            self.judge(gains[ranked[most - 1]], gains[ranked[most]])
        self.columns = sorted(ranked[:most])

    def start(self, given):
        total = sum(self.weights[i] for i in given)
        if not self.classes:
            return [sum(self.weights[i] * self.truth[i] for i in given) / (total + 1e-9)]
        masses = [
            1e-9 + sum(self.weights[i] for i in given if self.truth[i] == c)
            for c in range(self.classes)
        ]
        if self.classes == 2:
            return [math.log(masses[1] / masses[0])]
        return [math.log(mass / sum(masses)) for mass in masses]

    def slopes(self, given, scores, c):
        """Return the first and the second derivative of the loss of each row."""
        found = {}
        for i in given:
            if not self.classes:
                found[i] = (self.weights[i] * (scores[i][0] - self.truth[i]), self.weights[i])
                continue
            p = probabilities(scores[i])[1 if self.classes == 2 else c]
            hit = self.truth[i] == (1 if self.classes == 2 else c)
            found[i] = (self.weights[i] * (p - hit), self.weights[i] * max(p * (1 - p), 1e-6))
        return found

    def tree(self, given, slopes):
        """Split the leaf with the best split, until there are enough leaves."""
        if self.options["symmetric"]:
            return self.symmetric_tree([list(given)], slopes)[0]
        leaves = [{"rows": list(given), "path": frozenset(), "place": ()}]
        splits = {}
        while len(leaves) < self.options["leaves"]:
            offers = [(self.best_split(leaf, slopes), at) for at, leaf in enumerate(leaves)]
            offers = [(split, at) for split, at in offers if split is not None]
            if not offers:
                break
            ranked = sorted(offers, key=lambda offer: (-offer[0][0], offer[1]))
            if len(ranked) > 1:
                self.judge(ranked[0][0][0], ranked[1][0][0])
            (_, column, left), at = ranked[0]
            leaf = leaves[at]
            splits[leaf["place"]] = (column, left)
            path = leaf["path"] | {column}
            sides = [
                {
                    "rows": [i for i in leaf["rows"] if (self.rows[i][column] in left) == goes],
                    "path": path,
                    "place": (*leaf["place"], goes),
                }
                for goes in (True, False)
            ]
            leaves[at] = sides[0]
            leaves.append(sides[1])
        values = {leaf["place"]: self.value(leaf["rows"], slopes) for leaf in leaves}
        return nested((), splits, values)

    def symmetric_tree(self, leaves, slopes):
        """Make the split that is best for the leaves together in all of them, level by level."""
        best = self.common_split(leaves, slopes)
        if best is None or 2 * len(leaves) > self.options["leaves"]:
            return [self.value(rows, slopes) for rows in leaves]
        _, column, left = best
        sides = [
            [i for i in rows if (self.rows[i][column] in left) == goes]
            for rows in leaves
            for goes in (True, False)
        ]
        trees = self.symmetric_tree(sides, slopes)
        pairs = zip(trees[::2], trees[1::2], strict=True)
        return [(column, left, yes, no) for yes, no in pairs]

    def common_split(self, leaves, slopes):
        """Return the gain, the column and the set of the split that is best for all leaves."""
        every = list(itertools.chain(*leaves))
        least, found = self.options["least_mass"], {}
        for column in self.columns:
            for left, ridge in self.candidates(every, column, slopes, alone=True):
                within = frozenset(i for i in every if self.rows[i][column] in left)
                rest = frozenset(every) - within
                if min(self.mass(within), self.mass(rest)) < least:
                    continue
                gain = sum(
                    self.worth([i for i in rows if i in within], slopes, ridge)
                    + self.worth([i for i in rows if i in rest], slopes, ridge)
                    - self.worth(rows, slopes, ridge)
                    for rows in leaves
                )
                # Sets that part the rows alike are the same split.
                if gain > 1e-9:
                    found.setdefault((column, frozenset([within, rest])), (gain, column, left))
        ranked = sorted(found.values(), key=lambda split: -split[0])
        if len(ranked) > 1:
            self.judge(ranked[0][0], ranked[1][0])
        if ranked and ranked[0][1:] in self.arbitrary:
            self.margin = 0.0
        return ranked[0] if ranked else None

    def value(self, rows, slopes):
        slope, curve = (sum(slopes[i][part] for i in rows) for part in (0, 1))
        return -self.rate * slope / (curve + self.options["ridge"])

    def best_split(self, leaf, slopes):
        """Return the gain, the column and the set of the best split; None if there is none."""
        rows, best, second = leaf["rows"], None, None
        least = self.options["least_mass"]
        if self.mass(rows) < 2 * least:
            return None
        for column in self.columns:
            if column not in leaf["path"] and len(leaf["path"]) >= self.options["path_columns"]:
                continue
            for left, ridge in self.candidates(rows, column, slopes):
                within = [i for i in rows if self.rows[i][column] in left]
                rest = [i for i in rows if self.rows[i][column] not in left]
                if self.mass(within) < least or self.mass(rest) < least:
                    continue
                gain = self.worth(within, slopes, ridge) + self.worth(rest, slopes, ridge)
                gain -= self.worth(rows, slopes, ridge)
                if gain > 1e-9 and (best is None or gain > best[0]):
                    best, second = (gain, column, left), best
                elif gain > 1e-9 and (second is None or gain > second[0]):
                    second = (gain, column, left)
        if second is not None:
            self.judge(best[0], second[0])
        if best is not None and best[1:] in self.arbitrary:
            self.margin = 0.0
        return best

    def judge(self, best, second):
        self.margin = min(self.margin, (best - second) / best)

    def mass(self, rows):
        return sum(self.weights[i] for i in rows)

    def worth(self, rows, slopes, ridge):
        slope, curve = (sum(slopes[i][part] for i in rows) for part in (0, 1))
        return slope * slope / (curve + ridge)

    def candidates(self, rows, column, slopes, alone=False):
        """Yield the sets that may go left, and the ridge by which they are judged."""
        ridge, more = self.options["ridge"], self.options["nominal_ridge"]
        there = {self.rows[i][column] for i in rows if self.weights[i] > 0}
        if not self.nominal[column]:
            for cut in sorted(there - {MISSING}):
                yield frozenset(range(cut + 1)), ridge
                if MISSING in there:
                    yield frozenset([*range(cut + 1), MISSING]), ridge
            return
        order = []
        for code in there:
            own = [i for i in rows if self.rows[i][column] == code]
            if self.mass(own) > 0.5 * self.options["least_mass"]:
                slope, curve = (sum(slopes[i][part] for i in own) for part in (0, 1))
                order.append((slope / (curve + more), code))
        order.sort()
        for count in range(1, len(order) + 1):
            left = frozenset(code for _, code in order[:count])
            self.arbitrary.discard((column, left))
            if count < len(order) and order[count][0] - order[count - 1][0] < 1e-9:
                self.arbitrary.add((column, left))
            yield left, more if len(order) > 2 else ridge
        if alone and len(order) > 2:
            for _, code in order:
                yield frozenset([code]), more


def nested(place, splits, values):
    if place not in splits:
        return values[place]
    column, left = splits[place]
    inner = [nested((*place, goes), splits, values) for goes in (True, False)]
    return (column, left, *inner)


def evaluate(tree, row):
    while isinstance(tree, tuple):
        column, left, yes, no = tree
        tree = yes if row[column] in left else no
    return tree


def probabilities(scores):
    if len(scores) == 1:
        p = 1 / (1 + math.exp(-scores[0]))
        return [1 - p, p]
    powers = [math.exp(one) for one in scores]
    return [one / sum(powers) for one in powers]


def loss(scores, truth, classes):
    """Return the squared error, or minus the logarithm of the probability of the class."""
    if not classes:
        return (scores[0] - truth) ** 2
    return -math.log(max(probabilities(scores)[int(truth)], 1e-12))


def shapley(value, row, reference):
    """Return Shapley values: columns change from the reference to the row, in all orders."""
    d = len(row)
    parts = [0.0] * d
    for order in itertools.permutations(range(d)):
        mixture = list(reference)
        before = value(mixture)
        for column in order:
            mixture[column] = row[column]
            after = value(mixture)
            parts[column] += (after - before) / math.factorial(d)
            before = after
    return parts
