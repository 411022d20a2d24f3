"""From functions of what was fitted to methods of a Model: signature and docstring stand once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted
from vicinal.stored_cases import StoredCases
from vicinal.tables.asked_names import text_names
from vicinal.tables.values import plain_scalars

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
C = TypeVar("C", bound=type)

#: What the rows of a question are called.
_ROWS = ("rows", "row", "table")
#: What names columns, which a table may call by other things than text.
_NAMES = (
    *("target", "context", "features", "given", "constraints"),
    *("immutable", "ranges", "directions", "allowed"),
)
#: What holds rows, of which there may be many.
_TABLES = (*_ROWS, "new", "test")
_CASE = """case : label, int, or list of them, optional
    Stored cases instead of {rows}: by label, or by case number if the cases have no labels. Each
    is left out of its own answer."""


class Asked(Protocol[P, R_co]):
    """A question of a model: about rows, or about stored cases."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __call__(self, *, case: Any, **options: Any) -> R_co: ...


class Method(Protocol[P, R_co]):
    """A method that asks a question."""

    def __get__(self, model: Any, owner: Any = None) -> Asked[P, R_co]:
        """Return the question of one model."""


def question(answer: Callable[Concatenate[Fitted, P], R]) -> Method[P, R]:
    """Make a method of a function whose first argument is what was fitted.

    If the function asks about rows, the method takes stored cases instead, too: ``case="P-17"``.
    No change of the cases happens while it is answered.

    Examples
    --------
    >>> from vicinal.model.questions import question
    >>> def count(fitted, least=0):
    ...     return max(len(fitted.index), least)
    >>> from inspect import signature
    >>> print(signature(question(count)))
    (self, least=0)
    >>> print(signature(question(lambda fitted, rows: rows)))
    (self, rows, *, case=None)
    """
    asked = list(signature(answer).parameters.values())[1:]
    order = [one.name for one in asked]
    rows = asked[0].name if asked and asked[0].name in _ROWS else None

    @wraps(answer)
    def method(self: Any, *args: Any, **kwargs: Any) -> R:
        case = kwargs.pop("case", None) if rows is not None else None
        if case is not None:
            if args or rows in kwargs:
                raise ParameterError(
                    f"Got {rows} and case; expected either. Give the others by name: "
                    f"{answer.__name__}(case=..., target=...)."
                )
            args = (StoredCases(case),)
        with self._lock.reading():
            fitted = self._ready()
            known = fitted.schema.table_names
            given = [_as_text(*one, known) for one in zip(order, args, strict=False)]
            named = {name: _as_text(name, value, known) for name, value in kwargs.items()}
            return answer(fitted, *given, *args[len(order) :], **named)

    own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *asked]
    if rows is not None:
        own.append(Parameter("case", Parameter.KEYWORD_ONLY, default=None))
        method.__doc__ = _with_case(cleandoc(answer.__doc__ or ""), rows)
    method.__signature__ = signature(answer).replace(parameters=own)  # type: ignore[attr-defined]
    return method  # type: ignore[return-value]


def _as_text(argument: str, value: Any, names: Collection[str]) -> Any:
    """Return an argument of a question with all names of columns as text, and plain values."""
    if argument in _TABLES:
        return value
    value = plain_scalars(value)
    if isinstance(value, bool) or argument not in (*_NAMES, "counterfactuals"):
        return value
    if argument != "counterfactuals":
        return text_names(value, names)
    return {name: _as_text(name, one, names) for name, one in dict(value).items()}


def _with_case(text: str, rows: str) -> str:
    """Add the parameter `case` to a docstring, behind the last one."""
    before, returns, after = text.partition("\n\nReturns\n---")
    if "\nParameters\n---" not in before:
        before += "\n\nParameters\n----------"
    return f"{before}\n{_CASE.format(rows=rows)}{returns}{after}"


def with_parameters_of(settings: type) -> Callable[[C], C]:
    """Put the parameters that a class documents into the docstring of one that inherits them."""

    def decorate(cls: C) -> C:
        _, _, parameters = cleandoc(settings.__doc__ or "").partition("\n\n")
        summary, _, rest = cleandoc(cls.__doc__ or "").partition("\n\nAttributes\n")
        cls.__doc__ = f"{summary}\n\n{parameters}\n\nAttributes\n{rest}"
        return cls

    return decorate


def ask(
    model: Any, answer: Callable[Concatenate[Fitted, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Answer a question that is no method, in the same way: no case changes meanwhile.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.model.questions import ask
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
    >>> ask(model, lambda fitted: fitted.schema.names)
    ('height',)
    """
    with model._lock.reading():
        return answer(model._ready(), *args, **kwargs)
