"""The package's own models, by the names they have in results.

``vicinal`` is the default estimator, ``vicinal-irw`` has residual weights, ``vicinal-mda`` weights
by mean decrease in accuracy, ``vicinal-paper`` is the preset that reproduces the paper. Any other
parameters can be tried as ``vicinal[p=0,weighting=irw]`` or ``vicinal[class_weight=balanced]``.
"""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from typing import Any

NAMED: dict[str, dict[str, object]] = {
    "vicinal": {},
    "vicinal-irw": {"weighting": "irw"},
}
#: Run when they are named.
PRESETS: dict[str, dict[str, object]] = {
    "vicinal-mda": {"weighting": "mda"},
    "vicinal-paper": {"weighting": "paper"},
}
_PATTERN = re.compile(r"vicinal(?:\[(?P<parameters>.*)\])?$")


def is_ours(name: str) -> bool:
    """Whether a model name of a results file means this package."""
    return name in NAMED or name.startswith("vicinal")


def installed() -> bool:
    return find_spec("vicinal") is not None


def parameters(name: str, named: dict[str, dict[str, object]] = NAMED) -> dict[str, object]:
    """The estimator parameters that a model name stands for.

    Examples
    --------
    >>> parameters("vicinal-irw")
    {'weighting': 'irw'}
    >>> parameters("vicinal[p=0, weighting=entropy]")
    {'p': 0, 'weighting': 'entropy'}
    """
    if name in named or name in PRESETS:
        return dict((PRESETS | named)[name])
    match = _PATTERN.match(name)
    if match is None:
        known = ", ".join(named)
        raise ValueError(f"got the model {name!r}; expected {known} or vicinal[name=value,…]")
    pairs = (pair.partition("=") for pair in (match["parameters"] or "").split(",") if pair)
    return {key.strip(): _value(text.strip()) for key, _, text in pairs}


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def make_predictor(name: str, task: str, seed: int, threads: int) -> Any:
    """A ``VicinalClassifier`` or ``VicinalRegressor``."""
    kind = "VicinalClassifier" if task == "classification" else "VicinalRegressor"
    return make(kind, name, seed, threads)


def make(
    kind: str,
    name: str,
    seed: int,
    threads: int,
    named: dict[str, dict[str, object]] = NAMED,
) -> Any:
    """An estimator with the run's seed and threads, where it has such parameters unset."""
    import vicinal

    estimator = getattr(vicinal, kind)(**parameters(name, named))
    known = estimator.get_params()
    asked = {"random_state": seed, "n_jobs": threads}
    unset = {key: value for key, value in asked.items() if key in known and known[key] is None}
    return estimator.set_params(**unset)
