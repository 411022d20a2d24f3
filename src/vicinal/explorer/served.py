"""A model under a name, as it is served: its present state, and its next one after a change."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from vicinal.explorer.limits import Limits
from vicinal.explorer.priority import Priority
from vicinal.explorer.state import State
from vicinal.explorer.views.schema import target_kind
from vicinal.model.model import Model
from vicinal.typing import Ints


def address_name(text: str) -> str:
    """Return a name for addresses: letters, digits, hyphens and underscores.

    Examples
    --------
    >>> from vicinal.explorer.served import address_name
    >>> address_name("Sales 2024 (final)"), address_name("…")
    ('Sales-2024-final', 'model')
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:80] or "model"


#: Seconds that the background has to end.
_STOPPING = 3.0


class ReadOnly(Exception):
    """The model may not be changed."""


class OtherVersion(Exception):
    """The cases have changed since the version that a change was meant for."""


class ServedModel:
    """A model that is served.

    Requests are answered from a `State`, which never changes: a change is made to a copy of the
    model, which is saved and then takes its place. So no answer sees half of a change, and a
    change that cannot be saved did not happen.

    Parameters
    ----------
    model : Model
        A fitted model; it is copied, so that nobody else changes it.
    name : str
        Its name in addresses.
    title : str, optional
        What people call it, such as the name of a file.
    target : str, optional
        The target of requests that name none.
    path : Path, optional
        The file that changes are saved to; without one they last as long as the service.
    writable : bool, default False
        Whether requests may change the cases.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> from vicinal.explorer.served import ServedModel
    >>> model = vicinal.Model().fit(load_penguins())
    >>> served = ServedModel(model, "penguins", target="species")
    >>> answer = served.ask("predict", {"rows": [{"bill_length_mm": 50, "body_mass_g": 5000}]})
    >>> answer["predictions"][0]["prediction"]
    'Gentoo'
    """

    def __init__(
        self,
        model: Model,
        name: str,
        *,
        title: str | None = None,
        target: str | None = None,
        path: Path | None = None,
        writable: bool = False,
        limits: Limits | None = None,
    ) -> None:
        if target is not None:
            target = model.schema_[target].name  # an unknown name is an error
        self.name, self.title = name, title or name
        self.path, self.writable = path, writable
        self.limits = limits or Limits()
        self.priority, self._changing = Priority(), Lock()
        self.state = State(copy.copy(model), target, self.limits, self.priority)

    def start(self) -> None:
        """Begin to compute in the background."""
        self.state.start()

    def stop(self) -> None:
        """Stop what is computed in the background, and let a change end."""
        self.state.tasks.stop(_STOPPING)
        with self._changing:
            pass

    def ask(self, question: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Answer a question by its name, such as ``"explain"``, about a request as JSON.

        Raises
        ------
        ValueError
            If the request has another form, or asks for what is not there.
        NotReady
            If the answer is still being computed.
        """
        from vicinal.explorer.questions import answer

        return answer(self, question, {} if request is None else request)

    def describe(self) -> dict[str, Any]:
        """Return what is known about the model without computing anything."""
        state = self.state
        return {
            "name": self.name,
            "title": self.title,
            "cases": state.n_cases,
            "features": len(state.fitted.schema),
            "target": state.target,
            "target_kind": target_kind(state, state.target),
            "writable": self.writable,
            "labeled": len(state.fitted.labels) > 0,
            "version": state.version,
            "url": f"/v1/models/{self.name}",
        }

    def change(self, act: Callable[[Model], Ints], version: int | None = None) -> dict[str, Any]:
        """Change the cases, and save them before the change is seen.

        Parameters
        ----------
        act : callable
            Changes a model, and returns the numbers of the cases concerned.
        version : int, optional
            The version that the change is meant for.
        """
        if not self.writable:
            raise ReadOnly
        with self._changing:
            before = self.state
            if version is not None and version != before.version:
                raise OtherVersion
            model = copy.copy(before.model)
            numbers = act(model)
            if self.path is not None:
                model.save(self.path)
            after = State(model, before.target, self.limits, self.priority, previous=before)
            before.tasks.stop()
            self.state = after
            after.start(changed=True)
        return {"version": after.version, "cases": numbers.tolist()}
