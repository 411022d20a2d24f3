"""Docstrings that stand once: with the question, in its room."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

__all__ = ["documented_by", "with_parameters_of"]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def documented_by(question: Callable[..., Any]) -> Callable[[F], F]:
    """Give a method the docstring of the function that answers its question.

    Examples
    --------
    >>> from vicinal.model.documented import documented_by
    >>> def ask():
    ...     "Answer a question."
    >>> @documented_by(ask)
    ... def method(): ...
    >>> method.__doc__
    'Answer a question.'
    """

    def decorate(method: F) -> F:
        method.__doc__ = cleandoc(question.__doc__ or "")
        return method

    return decorate


def with_parameters_of(settings: type) -> Callable[[C], C]:
    """Put the parameters that a class documents into the docstring of one that inherits them."""

    def decorate(cls: C) -> C:
        _, _, parameters = cleandoc(settings.__doc__ or "").partition("\n\n")
        summary, _, rest = cleandoc(cls.__doc__ or "").partition("\n\nAttributes\n")
        cls.__doc__ = f"{summary}\n\n{parameters}\n\nAttributes\n{rest}"
        return cls

    return decorate
