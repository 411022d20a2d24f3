"""One case in a notebook, as a widget; its questions need no network (extra ``notebook``)."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

from vicinal.exceptions import FileError, ParameterError, VicinalError
from vicinal.explorer.served import ServedModel
from vicinal.explorer.tasks import NotReady
from vicinal.explorer.views.schema import schema_view
from vicinal.formatting.values import json_tree

SCRIPT = Path(__file__).parent / "static" / "widget" / "widget.js"


def case_widget(served: ServedModel, case: int | None = None) -> Any:
    """Return a widget that shows a stored case, or without one a new row to fill in.

    Parameters
    ----------
    served : ServedModel
        The model, with the target that is predicted.
    case : int, optional
        The number of a stored case.
    """
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"The widget needs {error.name}; install it with: pip install vicinal[notebook]"
        ) from error
    if not SCRIPT.exists():
        raise FileError("The widget is not built into this installation; run `make web`.")

    class CaseWidget(anywidget.AnyWidget):
        """A case whose values can be changed; a request is answered when it arrives."""

        _esm = SCRIPT
        address = traitlets.Unicode("#/case").tag(sync=True)

        def __init__(self) -> None:
            super().__init__(address=f"#/case/{'' if case is None else int(case)}")
            self.on_msg(self._heard)

        def _heard(self, _: Any, request: dict[str, Any], __: Any) -> None:
            # An explanation may take a second, in which the notebook has other things to do.
            Thread(target=self._answer, args=(request,), daemon=True).start()

        def _answer(self, request: dict[str, Any]) -> None:
            status, body = reply(served, str(request.get("path")), request.get("body"))
            self.send({"id": request.get("id"), "status": status, "body": body})

    return CaseWidget()


def reply(served: ServedModel, path: str, body: Any) -> tuple[int, Any]:
    """Answer a request of the page as the service would: the status, and the body.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.explorer.served import ServedModel
    >>> from vicinal.explorer.widget import reply
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
    >>> served = ServedModel(model, "m", target="color")
    >>> status, found = reply(served, "v1/models/m/neighbors", {"cases": [0], "k": 1})
    >>> status, found["neighbors"][0][0]["name"]
    (200, '#1')
    >>> reply(served, "v1/models/m/predict", {"cases": [7]})[0]
    422
    """
    question = path.split("/", 3)[-1]
    try:
        if path == "v1/models":
            return 200, {"models": [served.describe()]}
        if question == "schema":
            return 200, {"model": served.name, **schema_view(served.state)}
        found = served.ask(question, body)
    except NotReady as late:
        return 202, {**late.task.describe(), "task": late.task.name}
    except (VicinalError, ValueError) as error:
        return 422, {"title": "The question cannot be answered", "detail": str(error)}
    # JSON has no NaN and no tuples; the service would send the same.
    return 200, json.loads(json.dumps(json_tree(found), allow_nan=False))
