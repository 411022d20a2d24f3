"""The one table of parameter rules: what each parameter may be, in code and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.typing import Floats


@dataclass(frozen=True)
class _Rule:
    holds: Callable[[Any], bool]
    expected: str
    choices: tuple[str, ...] = ()


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_real(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        float(value)
    except OverflowError:  # an integer beyond all floats
        return False
    return True


def _is_seed(value: Any) -> bool:
    whole = _is_whole(value) and 0 <= value < 1 << 32
    return value is None or whole or isinstance(value, np.random.RandomState)


def _whole(least: int, most: float = inf) -> _Rule:
    words = f"a whole number, at least {least}" + f" and at most {most}" * (most < inf)
    return _Rule(lambda value: _is_whole(value) and least <= value <= most, words)


def _one_of(*choices: str) -> _Rule:
    listed = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
    return _Rule(lambda value: isinstance(value, str) and value in choices, listed, choices)


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_real(one) and 0 < one < inf for one in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


def _is_decision(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None or value in CHOICES["decision"]
    try:
        costs = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    square = costs.ndim == 2 and costs.shape[0] == costs.shape[1]
    return square and bool(np.isfinite(costs).all())


def _is_scores(value: Any) -> bool:
    if isinstance(value, list | tuple):
        pairs = [one if isinstance(one, tuple) else ("", one) for one in value]
        named = all(len(one) == 2 and isinstance(one[0], str) for one in pairs)
        return bool(pairs) and named and all(_is_estimator(one) for _, one in pairs)
    return isinstance(value, bool | np.bool_) or _is_estimator(value)


def _is_estimator(value: Any) -> bool:
    has = all(hasattr(value, name) for name in ("fit", "predict", "get_params", "set_params"))
    return has and not isinstance(value, type)


_SHARE = _Rule(lambda value: _is_real(value) and 0 < value < 1, "a number between 0 and 1")
_NOT_NEGATIVE = _Rule(
    lambda value: _is_real(value) and value >= 0 and isfinite(value), "a finite number, at least 0"
)
_POSITIVE = _Rule(lambda value: _is_real(value) and 0 < value <= inf, "a number above 0")
_FLAG = _Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")

#: Weights sum to less, so that no sum of squares overflows.
MOST_WEIGHT = 1e150

#: Words that parameters choose from.
CHOICES = {
    "conviction": ("similarity", "familiarity"),
    "baseline": ("auto", "all"),
    "coverage": ("class", "overall"),
    "decision": ("accuracy", "balanced_accuracy", "f1", "mcc"),
    "effort": ("low", "medium", "high"),
    "influence": ("auto", "centered", "linear", "probability"),
    "mean": ("harmonic", "geometric"),
    "missing": ("expected", "distinct"),
    "norm": ("max", "sum"),
    "residual_mean": ("absolute", "square"),
    "terms": ("excess", "full"),
    "weighting": ("entropy", "irw", "mda", "paper"),
}

#: Of these, parameters that take other values, too.
_NOT_ONLY_WORDS = {"decision", "missing"}

RULES: dict[str, _Rule] = {
    **{name: _one_of(*words) for name, words in CHOICES.items() if name not in _NOT_ONLY_WORDS},
    "alpha": _SHARE,
    "by_chance": _SHARE,
    "class_weight": _Rule(
        _is_class_weight,
        "None, 'balanced', or a dict of classes and their weights, which are above 0",
        ("balanced",),
    ),
    "contamination": _Rule(
        lambda value: (
            value == "auto" if isinstance(value, str) else _is_real(value) and 0 < value <= 0.5
        ),
        "'auto' or a number above 0, at most 0.5",
    ),
    "decision": _Rule(
        _is_decision,
        "None, 'accuracy', 'balanced_accuracy', 'f1', 'mcc', or a square matrix of costs",
        CHOICES["decision"],
    ),
    "exact_up_to": _whole(0, 16),
    "false_discovery_rate": _Rule(
        lambda value: value is None or _SHARE.holds(value), "None or a number between 0 and 1"
    ),
    "flag": _FLAG,
    "k": _whole(1),
    "max_loss": _NOT_NEGATIVE,
    "max_members": _whole(1),
    "max_queries": _whole(2),
    "max_ranked": _whole(1),
    "max_rounds": _whole(1),
    "max_rows": _whole(1),
    "n": _whole(1),
    "n_boundary": _whole(0),
    "n_cases": _whole(1),
    "n_jobs": _Rule(
        lambda value: value is None or (_is_whole(value) and (value == -1 or value >= 1)),
        "None or −1 for all processors, or a whole number of threads",
    ),
    "n_neighbors": _whole(1),
    "n_permutations": _whole(4),
    "n_reference": _whole(1),
    "n_shuffles": _whole(1),
    "max_boxes": _whole(1),
    "max_cases": _whole(1),
    "max_checked": _Rule(
        lambda value: value is None or value == "auto" or (_is_whole(value) and value >= 1),
        "'auto', None for all cases, or a whole number, at least 1",
    ),
    "time_budget": _POSITIVE,
    "n_rows": _whole(0),
    "p": _NOT_NEGATIVE,
    "prior": _Rule(lambda value: _is_real(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "random_state": _Rule(_is_seed, "None, a whole number from 0 to 2³² − 1, or a RandomState"),
    "rank_decay": _NOT_NEGATIVE,
    "robust": _Rule(
        lambda value: value == "auto" if isinstance(value, str) else _FLAG.holds(value),
        '"auto", True or False',
    ),
    "robust_radius": _Rule(
        lambda value: value == "auto" if isinstance(value, str) else _NOT_NEGATIVE.holds(value),
        f"'auto' or {_NOT_NEGATIVE.expected}",
    ),
    "scores": _Rule(
        _is_scores,
        "True, False, a scikit-learn classifier or regressor, or a list of them or of pairs "
        "(name, estimator)",
    ),
    "seed": _whole(0),
    "share": _SHARE,
    "threshold": _POSITIVE,
    "tolerance": _POSITIVE,
}


#: What a parameter holds that goes by another name now, unless someone still uses it.
DEPRECATED = "deprecated"

#: Names and words of the last release, which still work.
_RENAMED = {"circle": "n_reference", "fade": "rank_decay", "flavour": "terms"}
_REWORDED = {("influence", "centred"): "centered"}


def current_name(name: str, *, stacklevel: int = 3) -> str:
    """Return what a parameter is called now, and warn if that is another name."""
    if name in _RENAMED:
        _warn(f"{name} is now called {_RENAMED[name]}", "name", stacklevel + 1)
    return _RENAMED.get(name, name)


def current_parameters(
    given: Mapping[str, Any], *, warned: bool = True, stacklevel: int = 3
) -> dict[str, Any]:
    """Return parameters as they are called now, and warn about names and words that are old.

    Examples
    --------
    >>> from vicinal.validation import current_parameters
    >>> current_parameters({"circle": 20, "influence": "centred"}, warned=False)
    {'influence': 'centered', 'n_reference': 20}
    """
    found = {}
    # The old names last, so that they count where both are there.
    for name in sorted(given, key=_RENAMED.__contains__):
        value = given[name]
        if name in _RENAMED and isinstance(value, str) and value == DEPRECATED:
            continue
        word = _REWORDED.get((name, value)) if isinstance(value, str) else None
        if word is not None and warned:
            _warn(f"{name}={value!r} is now written {name}={word!r}", "spelling", stacklevel + 1)
        new = current_name(name, stacklevel=stacklevel + 1) if warned else _RENAMED.get(name, name)
        found[new] = value if word is None else word
    return found


def _warn(change: str, what: str, stacklevel: int) -> None:
    message = f"{change}; the old {what} will be removed in the next release."
    warn(message, FutureWarning, stacklevel=stacklevel)


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse the first parameter that breaks its rule; those without a rule pass.

    Examples
    --------
    >>> from vicinal.validation import check_parameters
    >>> check_parameters({"n_neighbors": 5, "weighting": "entropi"})
    Traceback (most recent call last):
        ...
    vicinal.exceptions.ParameterError: weighting='entropi'; expected 'entropy', 'irw', 'mda' or \
'paper'. Did you mean 'entropy'?
    """
    for name, value in parameters.items():
        if name in RULES:
            check_parameter(name, value)


def check_parameter(name: str, value: Any, rule: str | None = None) -> None:
    """Refuse a value that breaks the rule of a parameter, or another one of the table."""
    found = RULES[name if rule is None else rule]
    if not found.holds(value):
        hint = did_you_mean(value, found.choices) if found.choices else ""
        raise ParameterError(f"{name}={_shown(value)}; expected {found.expected}.{hint}")


def _shown(value: Any) -> str:
    """Return a value as text; Python writes no integers of thousands of digits."""
    huge = isinstance(value, int) and abs(value) >= 10**20
    return f"{'-' * (value < 0)}10**{value.bit_length() * 0.30103:.0f}" if huge else repr(value)


def checked_weights(sample_weight: ArrayLike | None, count: int) -> Floats | None:
    """Return the weights of so many cases as an array, or None where all are 1.

    Examples
    --------
    >>> from vicinal.validation import checked_weights
    >>> checked_weights([2, 0], 2)
    array([2., 0.])
    """
    if sample_weight is None:
        return None
    weights = weights_as_numbers(sample_weight)
    if weights.shape != (count,):
        raise ParameterError(
            f"sample_weight has the shape {weights.shape}; expected ({count},), one per row."
        )
    wrong = (weights < 0) | ~np.isfinite(weights)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(
            f"sample_weight is {weights[row]} in row {row}; expected a finite number, at least 0."
        )
    if count and not weights.any():
        raise ParameterError("sample_weight is zero throughout; expected a weight above 0.")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not total < MOST_WEIGHT:
        raise ParameterError(
            f"sample_weight sums to {total:.3g}; expected less than {MOST_WEIGHT:.0e}. Divide all "
            "weights by the largest."
        )
    return weights


def weights_as_numbers(sample_weight: ArrayLike) -> Floats:
    """Return weights as an array of floats, or refuse what are no numbers."""
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind in "cmM":
            raise TypeError(f"they are of the type {given.dtype}")
        return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"sample_weight cannot be read as numbers ({error}); expected one finite number, at "
            "least 0, per row."
        ) from error
