"""From functions of what was fitted to methods of a Model: signature and docstring stand once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from vicinal.fitted import Fitted

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


def question(
    answer: Callable[Concatenate[Fitted, P], R],
) -> Callable[Concatenate[Any, P], R]:
    """Make a method of a function whose first argument is what was fitted.

    Examples
    --------
    >>> from vicinal.model.questions import question
    >>> def count(fitted, least=0):
    ...     return max(len(fitted.index), least)
    >>> from inspect import signature
    >>> print(signature(question(count)))
    (self, least=0)
    """

    @wraps(answer)
    def method(self: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        return answer(self._ready(), *args, **kwargs)

    asked = list(signature(answer).parameters.values())[1:]
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature(answer).replace(parameters=[own, *asked])  # type: ignore[attr-defined]
    return method  # type: ignore[return-value]


def with_parameters_of(settings: type) -> Callable[[C], C]:
    """Put the parameters that a class documents into the docstring of one that inherits them."""

    def decorate(cls: C) -> C:
        _, _, parameters = cleandoc(settings.__doc__ or "").partition("\n\n")
        summary, _, rest = cleandoc(cls.__doc__ or "").partition("\n\nAttributes\n")
        cls.__doc__ = f"{summary}\n\n{parameters}\n\nAttributes\n{rest}"
        return cls

    return decorate
