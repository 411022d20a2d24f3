"""Colors and type that all pages of Vicinal share; the explorer is built with the same file."""

from __future__ import annotations

import re
from pathlib import Path

#: Declarations of CSS variables, light and dark.
THEME = re.sub(
    r"/\*.*?\*/|\n\s*", "", Path(__file__).with_name("theme.css").read_text("utf-8"), flags=re.S
)
_COLORS = re.findall(r"--(\w+): light-dark\((#\w+), (#\w+)\)", THEME)


def declarations(*, dark: bool) -> str:
    """Return the colors of one theme as CSS variables, for pages that choose it themselves.

    Examples
    --------
    >>> from vicinal.formatting.theme import declarations
    >>> [text for text in declarations(dark=True).split(";") if "accent" in text]
    ['--accent:#62aee6']
    """
    return ";".join(f"--{name}:{night if dark else day}" for name, day, night in _COLORS)
