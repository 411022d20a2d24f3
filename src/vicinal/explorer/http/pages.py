"""The files of the explorer's pages, as built into the package."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response

FOLDER = Path(__file__).parents[1] / "static"
#: Files whose names change with their content.
_FOREVER = "public, max-age=31536000, immutable"
_PACKED = (".html", ".js", ".css", ".svg", ".json", ".webmanifest", ".txt")
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".woff2": "font/woff2"}
_NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Vicinal</title>
<h1>The pages of the explorer are not built</h1>
<p>This installation has the service alone. In a checkout, <code>make web</code> builds them.</p>
<p><a href="/docs">All requests that the service answers</a></p></html>
"""


@dataclass(frozen=True)
class PageFile:
    """A file of the pages, read once."""

    content: bytes
    packed: bytes | None
    kind: str
    caching: str


def load_pages(folder: Path = FOLDER) -> dict[str, PageFile]:
    """Read all files, by their address; requests never name files themselves."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            address = "/" + path.relative_to(folder).as_posix()
            found[address] = _read(
                path, _FOREVER if address.startswith("/assets/") else "no-cache"
            )
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    else:
        found["/"] = PageFile(_NOT_BUILT.encode(), None, "text/html; charset=utf-8", "no-cache")
    return found


def page_response(request: Request, file: PageFile) -> Response:
    """Return a file, compressed if the browser takes that."""
    headers = {"Cache-Control": file.caching, "Vary": "Accept-Encoding"}
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, 200, {**headers, "Content-Encoding": "gzip"}, file.kind)
    return Response(file.content, 200, headers, file.kind)


def _read(path: Path, caching: str) -> PageFile:
    content = path.read_bytes()
    guessed = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    kind = guessed or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    packed = gzip.compress(content, 9, mtime=0) if path.suffix in _PACKED else None
    return PageFile(content, packed, kind, caching)
