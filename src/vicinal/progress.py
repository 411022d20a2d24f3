"""A bar for long work when someone is watching, a log line in any case; and time budgets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")

logger = logging.getLogger("vicinal")


def track(items: Iterable[T], *, total: int, what: str) -> Generator[T, None, None]:
    """Yield the items, with a progress bar in a terminal or a notebook if tqdm is there.

    Examples
    --------
    >>> from vicinal.progress import track
    >>> list(track("abc", total=3, what="letters"))
    ['a', 'b', 'c']
    """
    logger.debug("%s: %d steps", what, total)
    if total < 2 or not (sys.stderr.isatty() or in_notebook()):
        yield from items
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield from items
        return
    # Work that ends within half a second needs no bar.
    yield from tqdm(items, total=total, desc=what, leave=False, delay=0.5)


@contextmanager
def stages(total: int, *, what: str) -> Iterator[Callable[[], None]]:
    """Show the progress of work of several stages: what is yielded is called before each of them.

    Examples
    --------
    >>> from vicinal.progress import stages
    >>> with stages(2, what="a meal") as begin:
    ...     begin()
    ...     begin()
    """
    with closing(track(range(total), total=total, what=what)) as bar:

        def begin() -> None:
            next(bar, None)

        yield begin
        begin()  # ends the last stage


def in_notebook() -> bool:
    """Return whether a notebook runs this code; IPython is not imported to find out."""
    asked = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return asked is not None and type(asked()).__name__ == "ZMQInteractiveShell"


def affordable(work: Callable[[int], Any], seconds: float, most: int, *, least: int = 16) -> int:
    """Return how much work fits into a time budget: a little of it is done and timed.

    Parameters
    ----------
    work : callable
        Does this many units of the work.
    seconds : float
        The budget, which includes the trial.
    most, least : int
        The most units that would be done without a budget, and the fewest that make sense.

    Examples
    --------
    >>> from vicinal.progress import affordable
    >>> affordable(lambda n: None, 60.0, 1200), affordable(lambda n: None, 1e-9, 1200)
    (1200, 16)
    """
    if most <= least:
        return most
    start = perf_counter()
    work(least)
    passed = max(perf_counter() - start, 1e-9)
    units = least * (seconds - passed) / passed
    return int(min(max(units, least), most))
