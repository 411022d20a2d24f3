"""How far the work on all rows has come, and whether there is time for more."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


class Pace:
    """Counts the boxes that are looked at, and ends in time.

    Parameters
    ----------
    step : callable
        Called for every box, to move a progress bar.
    rows, boxes : int
        How many rows are certified, and boxes for each of them at most.
    seconds : float, optional
        The time for all rows. What one row does not need is left for the next ones.

    Examples
    --------
    >>> from vicinal.robustness.pace import Pace
    >>> pace = Pace(lambda: None, rows=2, boxes=8, seconds=1e-9)
    >>> Pace(lambda: None, rows=2, boxes=8).more(), pace.more()
    (True, False)
    """

    def __init__(
        self, step: Callable[[], None], rows: int, boxes: int, seconds: float | None = None
    ) -> None:
        self._step, self._boxes, self._looked = step, boxes, 0
        self._start, self._each = perf_counter(), None if seconds is None else seconds / rows
        self._row = 1

    def more(self) -> bool:
        """Return whether there is time for one more box of the row."""
        if self._looked < self._row * self._boxes:
            self._looked += 1
            self._step()
        return self._each is None or perf_counter() - self._start < self._row * self._each

    def end_row(self) -> None:
        """Go on with the next row."""
        for _ in range(self._row * self._boxes - self._looked):
            self._step()
        self._looked = self._row * self._boxes
        self._row += 1
