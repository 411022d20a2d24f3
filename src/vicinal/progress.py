"""A bar for long work when someone is watching, a log line in any case."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

logger = logging.getLogger("vicinal")


def track(items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
    """Yield the items, with a progress bar if standard error is a terminal and tqdm is there.

    Examples
    --------
    >>> from vicinal.progress import track
    >>> list(track("abc", total=3, what="letters"))
    ['a', 'b', 'c']
    """
    logger.debug("%s: %d steps", what, total)
    if not sys.stderr.isatty():
        yield from items
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield from items
        return
    # Work that ends within half a second needs no bar.
    yield from tqdm(items, total=total, desc=what, leave=False, delay=0.5)
