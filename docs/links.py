"""Check the links of the pages, without a network.

    python docs/links.py                     links of the Markdown files, in the repository
    python docs/links.py build/docs/html     links of the built site as well

A link within must lead to a file, and to a heading of it. Of a link to another site, the form is
checked: https, a host, nothing that cannot be in an address.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]

# Pages that only the site has.
_BUILT = ("tutorials/",)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?\s*\)")
_INCLUDE = re.compile(r"^```\{include\} (.+)$", re.MULTILINE)
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_ADDRESS = re.compile(r"https://[\w-]+(\.[\w-]+)+(:\d+)?(/[\w\-.~%!$&'()*+,;=:@/?#]*)?")
_LOCAL = re.compile(r"https?://(localhost|127\.0\.0\.1)\b")


def problem_of_address(address: str) -> str | None:
    """What is wrong with the form of a link to another site."""
    if address.startswith("mailto:") or _LOCAL.match(address) or _ADDRESS.fullmatch(address):
        return None
    return "is no https address"


@cache
def anchors(path: Path) -> frozenset[str]:
    """The headings of a Markdown file, as links name them."""
    if included := _INCLUDE.search(path.read_text(encoding="utf-8")):
        return anchors((path.parent / included[1]).resolve())
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in _HEADING.findall(text))
    return frozenset(
        re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in plain
    )


def markdown_problems(path: Path) -> Iterator[str]:
    """The broken links of a Markdown file."""
    text = _CODE.sub("", path.read_text(encoding="utf-8"))
    for link in _LINK.findall(text):
        if re.match(r"\w+:", link):
            problem = problem_of_address(link)
        else:
            problem = _problem_of_file(path, link)
        if problem:
            yield f"{path.relative_to(ROOT)}: {link} {problem}"


def _problem_of_file(path: Path, link: str) -> str | None:
    name, _, anchor = unquote(link).partition("#")
    target = (path.parent / name).resolve() if name else path
    if any(part in name for part in _BUILT):
        return None
    if not target.exists():
        return "leads nowhere"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return "names no heading"
    return None


class _Page(HTMLParser):
    """The links and the places of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif value and name in ("href", "src") and value != "#" and value[:5] != "data:":
                self.links.append(value)


def site_problems(folder: Path) -> Iterator[str]:
    """The broken links of a built site."""
    pages = {
        path: _Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
        if "_static" not in path.parts
    }
    for path, page in pages.items():
        for link in sorted(set(page.links)):
            parts = urlsplit(link)
            problem = None
            if parts.scheme:
                problem = problem_of_address(link)
            else:
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                place = unquote(parts.fragment)
                if not target.exists():
                    problem = "leads nowhere"
                elif place and target in pages and place not in pages[target].places:
                    problem = "names no place of that page"
            if problem:
                yield f"{path.relative_to(folder)}: {link} {problem}"


def tracked_pages() -> Iterable[Path]:
    """The Markdown files of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    # Without git, as in an unpacked sdist.
    return [ROOT / name for name in listed] or [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def main() -> None:
    found = [problem for path in tracked_pages() for problem in markdown_problems(path)]
    for name in sys.argv[1:]:
        found += site_problems(Path(name).resolve())
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(f"{len(found)} broken links" if found else 0)


if __name__ == "__main__":
    main()
