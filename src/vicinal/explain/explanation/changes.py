"""What would change an answer, added to its explanation."""

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
        Those without.
    asked : bool or dict
        Whether to add them; a dict has further arguments, ``wanted`` among them. Without it the
        next most probable class is wished for.
    ask : callable
        From the place of the row, the wish and further arguments to `Counterfactuals`.
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
                f"{one.target!r} is a number, so counterfactuals need a wish; "
                'give a range: counterfactuals={"wanted": (low, high)}.'
            )
        others = [label for label in one.probabilities if label != one.prediction]
        return ask(at, others[0], options) if others else Counterfactuals((), one.target)

    pairs = enumerate(found)
    return Explanations([replace(one, counterfactuals=changes(at, one)) for at, one in pairs])
