"""Colors and type that all pages of Vicinal share; the explorer is built with the same file."""

from __future__ import annotations

import re
from pathlib import Path

#: Declarations of CSS variables, light and dark.
THEME = re.sub(
    r"/\*.*?\*/|\n\s*", "", Path(__file__).with_name("theme.css").read_text("utf-8"), flags=re.S
)
