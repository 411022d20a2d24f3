"""Add to explanations what would change the prediction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vicinal.counterfactual.result import Counterfactuals
from vicinal.exceptions import ParameterError
from vicinal.explain.explanation.result import Explanation, Explanations


def with_counterfactuals(
    found: Explanations,
    asked: bool | Mapping[str, Any],
    ask: Callable[[int, Any, dict[str, Any]], Counterfactuals],
) -> Explanations:
    """Add counterfactuals to explanations.

    Parameters
    ----------
    found : Explanations
        Explanations without counterfactuals.
    asked : bool or dict
        Whether to add them; a dict has further arguments, such as ``wanted``. By default, the
        goal is the next most probable class.
    ask : callable
        Maps the position of the row, the goal and further arguments to `Counterfactuals`.
    """
    if asked is False:
        return found
    options = {} if asked is True else dict(asked)
    given = "wanted" in options
    wanted = options.pop("wanted", None)

    def changes(at: int, one: Explanation) -> Counterfactuals:
        if given:
            return ask(at, wanted, options)
        if one.probabilities is None:
            raise ParameterError(
                f"{one.target!r} is a number, so counterfactuals need a goal; "
                'give a range: counterfactuals={"wanted": (low, high)}.'
            )
        others = [label for label in one.probabilities if label != one.prediction]
        return ask(at, others[0], options) if others else Counterfactuals((), one.target)

    pairs = enumerate(found)
    return Explanations([replace(one, counterfactuals=changes(at, one)) for at, one in pairs])
