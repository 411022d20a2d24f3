"""The audit log: what was done to the cases of a Model, and when."""

from __future__ import annotations

import datetime as dt
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Ints

ACTIONS = ("fit", "add", "update", "remove", "refresh", "reduce")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_SHOWN = 8


@dataclass(frozen=True, eq=False)
class LogEntry:
    """One entry of the log.

    Attributes
    ----------
    when : datetime
        Coordinated universal time.
    action : {"fit", "add", "update", "remove", "refresh", "reduce"}
        What was done.
    cases : ndarray of int64
        Numbers of the cases that it was done to; none for a refresh, which is of all. A reduced
        model begins with the numbers that its cases had before.
    """

    when: dt.datetime
    action: str
    cases: Ints

    def __repr__(self) -> str:
        named = ", ".join(f"#{case}" for case in self.cases[:_SHOWN].tolist())
        named += ", …" * (len(self.cases) > _SHOWN)
        count = f"{len(self.cases)} case{'s' * (len(self.cases) != 1)}"
        done = f"{self.when:%Y-%m-%d %H:%M:%S} UTC {self.action}"
        return f"{done} {count}: {named}" if named else done


class ChangeLog:
    """Everything that was done to the cases, the earliest first.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
    >>> number = model.add({"height": [1.2]})
    >>> [(change.action, change.cases.tolist()) for change in model.log_]
    [('fit', [0, 1, 2]), ('add', [3])]
    """

    def __init__(self) -> None:
        # Some 40 bytes an entry, for there may be millions. Cases in a row are their first one
        # and a count; of others `_first` says where they are among `_others`, as ~place.
        self._when, self._action = array("q"), array("B")
        self._first, self._count, self._others = array("q"), array("q"), array("q")

    def record(self, action: str, cases: Ints | range) -> None:
        """Add an entry of now; cases in a row may be a range."""
        self._when.append((dt.datetime.now(dt.UTC) - _EPOCH) // _MICROSECOND)
        self._action.append(ACTIONS.index(action))
        self._count.append(len(cases))
        in_a_row = isinstance(cases, range) or len(cases) == 1 or (np.diff(cases) == 1).all()
        if len(cases) and in_a_row:
            self._first.append(int(cases[0]))
        else:
            self._first.append(~len(self._others))
            self._others.extend(np.asarray(cases).tolist())

    def __len__(self) -> int:
        return len(self._when)

    def __getitem__(self, place: int) -> LogEntry:
        first, count = self._first[place], self._count[place]
        if first >= 0:
            cases = np.arange(first, first + count)
        else:
            cases = np.array(self._others[~first : ~first + count], dtype=np.int64)
        when = _EPOCH + self._when[place] * _MICROSECOND
        return LogEntry(when, ACTIONS[self._action[place]], cases)

    def __iter__(self) -> Iterator[LogEntry]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        lines = [f"ChangeLog of {len(self)} change{'s' * (len(self) != 1)}"]
        lines += ["  …"] * (len(self) > _SHOWN)
        lines += [f"  {self[place]}" for place in range(max(0, len(self) - _SHOWN), len(self))]
        return "\n".join(lines)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per change: when, action, count and first case."""
        return build_frame(
            {
                "when": np.array([change.when.replace(tzinfo=None) for change in self], "M8[us]"),
                "action": np.array([change.action for change in self], dtype=object),
                "count": np.array(self._count, dtype=np.int64),
                "first": np.array([c.cases[0] if len(c.cases) else -1 for c in self], np.int64),
            },
            backend,
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the log as arrays."""
        return {
            "when": np.array(self._when, dtype=np.int64),
            "action": np.array(self._action, dtype=np.uint8),
            "first": np.array(self._first, dtype=np.int64),
            "count": np.array(self._count, dtype=np.int64),
            "others": np.array(self._others, dtype=np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> ChangeLog:
        """Make a log of what `to_arrays` gave, perhaps long ago."""
        made = cls()
        for name in ("when", "first", "count", "others", "action"):
            given = arrays[name]
            if given.ndim != 1 or given.dtype != (np.uint8 if name == "action" else np.int64):
                raise FileError(f"its log has no {name}")
            getattr(made, f"_{name}").frombytes(given.tobytes())
        first, count, n = arrays["first"], arrays["count"], len(made)
        if not len(first) == len(count) == len(arrays["action"]) == n:
            raise FileError("the parts of its log differ in length")
        end = np.where(first >= 0, first, ~first) + count
        most = np.where(first >= 0, 1 << 48, len(made._others))
        if (arrays["action"] >= len(ACTIONS)).any() or (count < 0).any() or (end > most).any():
            raise FileError("its change log refers to cases that do not exist")
        # Years that datetimes do not have would fail when they are shown.
        if (np.abs(arrays["when"]) > 1 << 56).any():
            raise FileError("its change log has times that are out of range")
        return made
