"""Add, update and remove cases, and the log of all changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explorer.requests import AddRequest, RemoveRequest, UpdateRequest
from vicinal.explorer.served import ServedModel
from vicinal.explorer.subjects import new_table, numbers_of
from vicinal.model.model import Model
from vicinal.typing import Ints

#: Case numbers that an entry of the log lists.
_LISTED = 100


def add_cases(served: ServedModel, asked: AddRequest, version: int | None) -> dict[str, Any]:
    """Add cases."""

    def act(model: Model) -> Ints:
        return model.add(new_table(served.state, asked.rows))

    return served.change(act, version)


def update_cases(served: ServedModel, asked: UpdateRequest, version: int | None) -> dict[str, Any]:
    """Change values of cases."""

    def act(model: Model) -> Ints:
        numbers = numbers_of(served.state, asked.cases, asked.ids)
        model.update(numbers, new_table(served.state, asked.rows), by="number")
        return numbers

    return served.change(act, version)


def remove_cases(served: ServedModel, asked: RemoveRequest, version: int | None) -> dict[str, Any]:
    """Remove cases."""

    def act(model: Model) -> Ints:
        numbers = np.unique(numbers_of(served.state, asked.cases, asked.ids))
        model.remove(numbers, by="number")
        return numbers

    return served.change(act, version)


def list_changes(served: ServedModel, offset: int, limit: int) -> dict[str, Any]:
    """Return the log, the latest change first."""
    state = served.state
    log = state.model.log_
    places = range(len(log) - 1 - offset, max(len(log) - 1 - offset - limit, -1), -1)
    changes = [log[place] for place in places if place >= 0]
    return {
        "version": state.version,
        "total": len(log),
        "offset": offset,
        "changes": [
            {
                "when": one.when.isoformat().replace("+00:00", "Z"),
                "action": one.action,
                "count": len(one.cases),
                "cases": one.cases[:_LISTED].tolist(),
            }
            for one in changes
        ],
    }
