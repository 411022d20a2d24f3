"""Names of columns as tables are read with them: always text, whatever the table calls them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def text_name(name: Any, names: Collection[str]) -> Any:
    """Return the name of a column as text; what is no column of these stays as it is.

    Examples
    --------
    >>> from vicinal.tables.asked_names import text_name
    >>> text_name(("size", "cm"), ["('size', 'cm')", "color"]), text_name(7, ["color"])
    ("('size', 'cm')", 7)
    """
    if isinstance(name, str):
        return str(name)  # numpy's strings, too
    text = str(name)
    return text if name is not None and text in names else name


def text_names(asked: Any, names: Collection[str]) -> Any:
    """Return a name, several of them, or what is said by name, with all names as text.

    A tuple is the name of a column if there is one, and several names otherwise.

    Examples
    --------
    >>> from vicinal.tables.asked_names import text_names
    >>> names = ["('size', 'cm')", "2024"]
    >>> text_names(("size", "cm"), names), text_names((2024,), names), text_names({2024: 1}, names)
    ("('size', 'cm')", ['2024'], {'2024': 1})
    """
    one = text_name(asked, names)
    if isinstance(one, str) or not isinstance(asked, Iterable):
        return one
    if isinstance(asked, Mapping):
        return {text_name(name, names): said for name, said in asked.items()}
    return [text_name(name, names) for name in asked]
