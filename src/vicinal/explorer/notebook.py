"""The explorer from Python: a service in a thread of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vicinal.exceptions import ParameterError
from vicinal.explorer.limits import Limits
from vicinal.formatting.html import tag
from vicinal.model.model import Model


class Explorer:
    """A model that can be looked at in a browser on this machine, until it is stopped.

    Parameters
    ----------
    model : Model
        A fitted model. It is copied: later changes of it are not shown.
    target : str, optional
        The feature to predict.
    port : int, default 0
        Port of the service; by default any that is free.

    Attributes
    ----------
    url : str
        Address of the pages. The token in it lets only those who have the address look.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> model = vicinal.Model(max_queries=100).fit(load_penguins())
    >>> with model.explore("species", open_browser=False) as explorer:
    ...     answer = explorer.ask("neighbors", {"cases": [0], "k": 1})
    >>> [one["name"] for one in answer["neighbors"][0]]
    ['#77']
    """

    def __init__(self, model: Model, target: str | None = None, *, port: int = 0) -> None:
        try:
            from vicinal.explorer.http.server import Server
            from vicinal.explorer.http.settings import ServiceSettings
            from vicinal.explorer.served import ServedModel
        except ModuleNotFoundError as error:
            raise ParameterError(
                f"The explorer needs {error.name}; install it with: pip install vicinal[serve]"
            ) from error
        import secrets

        self._served = ServedModel(model, "model", target=target, limits=Limits())
        # Other users of this machine can reach its ports, too.
        settings = ServiceSettings(port=port, token=secrets.token_urlsafe(24))
        self._server = Server([self._served], settings)
        self._server.start()
        self.url = self._server.url

    def ask(self, question: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Answer a question of the service without going through HTTP.

        What is still being computed is waited for.

        Parameters
        ----------
        question : str
            The last part of its address, such as ``"explain"``.
        request : dict, optional
            The body of the request; ``{"cases": [17]}``.

        Returns
        -------
        dict
            The body of the answer.
        """
        import time

        from vicinal.explorer.tasks import RETRY, NotReady

        while True:
            try:
                return self._served.ask(question, request)
            except NotReady:
                time.sleep(RETRY)

    def widget(self, case: int | None = None) -> Any:
        """Show one case in a notebook, with values that can be changed.

        It works wherever the notebook does, also if the browser cannot reach this machine.
        This requires the extra ``notebook``.

        Parameters
        ----------
        case : int, optional
            The number of a stored case; by default a new row with typical values.

        Returns
        -------
        anywidget.AnyWidget
            The widget, which a notebook shows.
        """
        from vicinal.explorer.widget import case_widget

        return case_widget(self._served, case)

    def stop(self) -> None:
        """Stop the service."""
        self._server.stop()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Explorer at {self.url}"

    def _repr_html_(self) -> str:
        link = tag("a", "Open the explorer", href=self.url, target="_blank", rel="noopener")
        return tag("p", link, " (it runs until explorer.stop() or the end of this process)")


def explore(
    model: Model, target: str | None = None, *, port: int = 0, open_browser: bool = True
) -> Explorer:
    """Look at a model in the browser: predictions, similar cases, anomalies, data quality.

    This requires the extra ``serve``. Only this machine can connect.

    Parameters
    ----------
    model : Model
        A fitted model.
    target : str, optional
        The feature to predict.
    port : int, default 0
        Port of the service; by default any that is free.
    open_browser : bool, default True
        Whether to open a browser; otherwise show the address with ``print(explorer)``.

    Returns
    -------
    Explorer
        It answers until ``stop()`` is called or the process ends.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
    >>> with vicinal.explore(model, open_browser=False) as explorer:
    ...     explorer.url.startswith("http://127.0.0.1:")
    True
    """
    made = Explorer(model, target, port=port)
    if open_browser:
        import webbrowser

        webbrowser.open(made.url)
    return made
