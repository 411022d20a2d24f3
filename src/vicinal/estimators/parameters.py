"""One table of rules for the estimators' parameters; constructors store, `fit` checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean

__all__ = ["check_parameters", "seed_of"]


@dataclass(frozen=True)
class _Rule:
    """What a parameter may be, in code and in words."""

    holds: Callable[[Any], bool]
    expected: str
    choices: tuple[str, ...] = ()


def _whole(least: int) -> _Rule:
    return _Rule(
        lambda value: _is_whole(value) and value >= least, f"a whole number, at least {least}"
    )


def _one_of(*choices: str) -> _Rule:
    listed = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
    return _Rule(lambda value: isinstance(value, str) and value in choices, listed, choices)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_power(value: Any) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool)
    return number and float(value) >= 0 and isfinite(value)


def _is_seed(value: Any) -> bool:
    whole = _is_whole(value) and 0 <= value < 1 << 32
    return value is None or whole or isinstance(value, np.random.RandomState)


def _is_within(value: Any, low: float, high: float) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool)
    return number and low < float(value) <= high


RULES: dict[str, _Rule] = {
    "circle": _whole(1),
    "contamination": _Rule(
        lambda value: value == "auto" if isinstance(value, str) else _is_within(value, 0.0, 0.5),
        "'auto' or a number above 0, at most 0.5",
    ),
    "conviction": _one_of("similarity", "familiarity"),
    "effort": _one_of("low", "medium", "high"),
    "fade": _Rule(_is_power, "a finite number, at least 0"),
    "flavour": _one_of("excess", "full"),
    "mean": _one_of("harmonic", "geometric"),
    "prior": _Rule(
        lambda value: _is_within(value, 0.0, 1.0) or value == 0, "a number from 0 to 1"
    ),
    "robust": _Rule(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "threshold": _Rule(lambda value: _is_within(value, 0.0, float("inf")), "a number above 0"),
    "n_neighbors": _whole(1),
    "p": _Rule(_is_power, "a finite number, at least 0"),
    "weighting": _one_of("entropy", "irw", "mda"),
    "influence": _one_of("auto", "centred", "linear", "probability"),
    "max_queries": _whole(2),
    "max_members": _whole(1),
    "random_state": _Rule(_is_seed, "None, a whole number from 0 to 2³² − 1, or a RandomState"),
    "n_jobs": _Rule(
        lambda value: value is None or (_is_whole(value) and (value == -1 or value >= 1)),
        "None or −1 for all processors, or a whole number of threads",
    ),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse the first parameter that breaks its rule; those without a rule pass.

    Examples
    --------
    >>> from vicinal.estimators.parameters import check_parameters
    >>> check_parameters({"n_neighbors": 5, "weighting": "entropi"})
    Traceback (most recent call last):
        ...
    vicinal.exceptions.ParameterError: weighting='entropi'; expected 'entropy', 'irw' or 'mda'. \
Did you mean 'entropy'?
    """
    for name, value in parameters.items():
        rule = RULES.get(name)
        if rule is not None and not rule.holds(value):
            hint = did_you_mean(value, rule.choices) if rule.choices else ""
            raise ParameterError(f"{name}={value!r}; expected {rule.expected}.{hint}")


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """Turn scikit-learn's ``random_state`` into a number; None is 0, so that fits repeat.

    Examples
    --------
    >>> from vicinal.estimators.parameters import seed_of
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    return int(random_state or 0)
