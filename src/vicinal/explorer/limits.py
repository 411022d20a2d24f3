"""How much one request may ask for, and how many are answered at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from vicinal.exceptions import ParameterError

#: Maximum number of rows of one request, by what is asked.
MOST_EXPLAINED, MOST_ANSWERED, MOST_PAGE = 20, 200, 1000
#: Neighbors of a row, counterfactuals, conditions of a filter, and cells along an axis of the map.
MOST_NEIGHBORS, MOST_COUNTERFACTUALS, MOST_CONDITIONS, MOST_BINS = 1000, 20, 64, 256
#: Cases or labels that a condition may list.
MOST_LISTED = 100_000
#: Targets and contexts that are learned for requests; each takes memory.
MOST_LEARNED = 100
#: Contexts that rows are judged in, for each of which all cases are compared.
MOST_CONTEXTS = 20


class TooLarge(ParameterError):
    """A request is about more than the service answers at a time."""


def _workers() -> int:
    return max(2, min(8, os.cpu_count() or 2))


@dataclass(frozen=True)
class Limits:
    """What the service refuses, so that no request keeps it from answering others.

    Parameters
    ----------
    body_bytes : int
        Size of the body of a request.
    rows : int
        Rows of a request.
    seconds : float
        Time until an answer.
    running, waiting : int
        Requests that are answered at a time, and those that wait.
    connections : int
        Open connections.
    reading_seconds : float
        Time to send the head of a request, and then its body.
    """

    body_bytes: int = 32 * 2**20
    rows: int = 100_000
    seconds: float = 120.0
    running: int = field(default_factory=_workers)
    waiting: int = 64
    connections: int = 512
    reading_seconds: float = 30.0
