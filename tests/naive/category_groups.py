"""The mean outcomes by which categories are grouped, case by case."""

SHRINKAGE = 10.0


def own_mean(i, codes, outcome, weights, folds, without):
    """Return the mean of the category of a case, for a run without some folds.

    It is taken over the cases of the run that are in other folds than the case.
    """
    given = [j for j in range(len(codes)) if codes[j] == codes[j] and folds[j] not in without]
    overall = mean(given, outcome, weights, 0.0, 0.0)
    alike = [j for j in given if codes[j] == codes[i] and folds[j] != folds[i]]
    return mean(alike, outcome, weights, SHRINKAGE, overall)


def whole_mean(category, codes, outcome, weights, folds, without):
    """Return the mean of a category, for a run without some folds."""
    given = [j for j in range(len(codes)) if codes[j] == codes[j] and folds[j] not in without]
    overall = mean(given, outcome, weights, 0.0, 0.0)
    alike = [j for j in given if codes[j] == category]
    return mean(alike, outcome, weights, SHRINKAGE, overall)


def mean(cases, outcome, weights, more, other):
    """Return the mean of some cases and of `more` with the outcome `other`."""
    total, mass = more * other, more
    for j in cases:
        total += weights[j] * outcome[j]
        mass += weights[j]
    return total / mass
