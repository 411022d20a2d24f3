"""What can go wrong, as one small tree.

::

    VicinalError
    ├── TableError       (ValueError)                  the table cannot be used: empty, infinite
    │                                                  values, ragged, columns that do not match
    ├── FeatureError     (ValueError, KeyError)        no such feature, a name used twice, a kind
    │                                                  that does not fit the values
    ├── ParameterError   (ValueError)                  an argument outside its range
    ├── FileError        (ValueError)                  the file is no model file, damaged, or of a
    │                                                  later version
    └── NotFittedError   (ValueError, AttributeError)  asked before `fit`

`IgnoredColumnWarning` says which columns a fit ignores, unless the user has said so.

``except VicinalError`` catches everything this package raises on purpose. Each error is also
the built-in one that Python users would expect in its place. Messages say what came, what was
expected, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "FeatureError",
    "FileError",
    "IgnoredColumnWarning",
    "NotFittedError",
    "ParameterError",
    "TableError",
    "VicinalError",
    "did_you_mean",
]


class VicinalError(Exception):
    """Base of every error that Vicinal raises on purpose."""


class TableError(VicinalError, ValueError):
    """The table cannot be used: empty, infinite values, ragged, or columns that do not match."""


class FeatureError(VicinalError, ValueError, KeyError):
    """A feature is unknown, named twice, or of a kind that does not fit its values."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put the message in quotes.
        return Exception.__str__(self)


class ParameterError(VicinalError, ValueError):
    """An argument is outside its range: k < 1, a negative weight, p < 0."""


class FileError(VicinalError, ValueError):
    """A file is no model file, is damaged, or was saved by a later version.

    That a file is not there, or may not be read, is an OSError as everywhere in Python.
    """


class NotFittedError(VicinalError, ValueError, AttributeError):
    """A question was asked before `fit`.

    It has the same built-in bases as scikit-learn's error of this name, which is not one of
    them only because importing scikit-learn would make ``import vicinal`` slow.
    """


class IgnoredColumnWarning(UserWarning):
    """A column looks like an identifier or free text, so that it is not a feature."""


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Suggest the known name closest to a mistyped one.

    Parameters
    ----------
    name : object
        The name that was not found.
    known : iterable of object
        The names that exist. Anything that is not a string is read through `str`.

    Returns
    -------
    str
        A sentence that starts with a space, to be put after the error message; empty when
        nothing known is close.

    Examples
    --------
    >>> from vicinal.exceptions import did_you_mean
    >>> "No feature 'agee'." + did_you_mean("agee", ["age", "income"])
    "No feature 'agee'. Did you mean 'age'?"
    >>> did_you_mean("zip", ["age", "income"])
    ''
    """
    # Folding case finds "Age" for "age"; of names that differ only in case the first one wins.
    spelled: dict[str, object] = {}
    for candidate in known:
        spelled.setdefault(str(candidate).casefold(), candidate)
    close = get_close_matches(str(name).casefold(), spelled, n=1)
    return f" Did you mean {spelled[close[0]]!r}?" if close else ""
