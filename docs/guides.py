"""Run pages that hold code, and write what they print and draw into them.

A page is Markdown. Its Python blocks run from top to bottom in one namespace. What a block prints
stands in a ``text`` block after it; a picture after it is the figure called ``figure``. Pages that
compare Vicinal with another library need it; without it they stay as they are, with a message.

    python docs/guides.py                        run every page, rewrite its text and its pictures
    python docs/guides.py coming-from/pyod.md    run some pages
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "guide"
COMPARISONS = Path(__file__).parent / "coming-from"
#: What people read first.
FIRST = (Path(__file__).parents[1] / "README.md", Path(__file__).parent / "start.md")

_NEEDS = re.compile(r"<!-- needs: (\w+) -->")
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


def missing(page: str) -> list[str]:
    """The libraries that a page says it needs, and that are not installed."""
    return [name for name in _NEEDS.findall(page) if find_spec(name) is None]


def rewrite(path: Path) -> None:
    """Run a page and write what it prints and draws."""
    page = path.read_text(encoding="utf-8")
    if absent := missing(page):
        print(f"{path.name} was not run, for it needs {', '.join(absent)}", file=sys.stderr)
        return

    def draw(figure: Any, picture: str) -> None:
        target = path.parent / picture
        target.parent.mkdir(exist_ok=True)
        # Without the date and the version the same picture is the same file.
        figure.savefig(target, dpi=80, metadata={"Software": None})

    path.write_text(run(page, path.name, draw), encoding="utf-8")


def main() -> None:
    """Run every page, or those that are named, and rewrite them."""
    import matplotlib as mpl

    mpl.use("agg")
    # Other libraries warn of their own future, which no reader can change.
    warnings.simplefilter("ignore")
    every = [*FIRST, *sorted(FOLDER.glob("*.md")), *sorted(COMPARISONS.glob("*.md"))]
    paths = [Path(name) for name in sys.argv[1:]] or every
    paths = [path.resolve() for path in paths]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # some pages save a model
        for path in paths:
            rewrite(path)


if __name__ == "__main__":
    main()
