"""Run the pages of the guide, and write what they print and draw into them.

A page is Markdown. Its Python blocks run from top to bottom in one namespace. What a block prints
stands in a ``text`` block after it; a picture after it is the figure called ``figure``.

    python docs/guides.py            run every page, rewrite its text and its pictures
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "guide"

_BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n"
    r"(?:\n?```text\n(?P<text>.*?)```\n)?"
    r"(?:\n?!\[(?P<what>[^]]*)\]\((?P<picture>[^)]*)\)\n)?",
    re.DOTALL,
)


class Block(NamedTuple):
    """A Python block: its code, the text said to follow, the picture said to follow."""

    code: str
    text: str
    what: str
    picture: str


def blocks(page: str) -> Iterator[Block]:
    """The Python blocks of a page."""
    for found in _BLOCK.finditer(page):
        yield Block(*(found[name] or "" for name in Block._fields))


def run(page: str, name: str, draw: Callable[[Any, str], None]) -> str:
    """Run a page and return it with what was printed; `draw` takes each figure and its path."""
    space: dict[str, Any] = {"__name__": "guide"}

    def again(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(found["code"], name, "exec"), space)
        parts = [f"```python\n{found['code']}```\n"]
        if printed.getvalue():
            parts.append(f"\n```text\n{printed.getvalue().rstrip()}\n```\n")
        if found["picture"]:
            draw(space["figure"], found["picture"])
            parts.append(f"\n![{found['what']}]({found['picture']})\n")
        return "".join(parts)

    return _BLOCK.sub(again, page)


def main() -> None:
    """Run every page and rewrite it."""
    import matplotlib as mpl

    mpl.use("agg")

    def draw(figure: Any, picture: str) -> None:
        path = FOLDER / picture
        path.parent.mkdir(exist_ok=True)
        # Without the date and the version the same picture is the same file.
        figure.savefig(path, dpi=80, metadata={"Software": None})

    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(run(path.read_text(encoding="utf-8"), path.name, draw), encoding="utf-8")


if __name__ == "__main__":
    main()
