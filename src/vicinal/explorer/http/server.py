"""Run the service until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from threading import Thread

import uvicorn

from vicinal.exceptions import ParameterError
from vicinal.explorer.http.app import create_app
from vicinal.explorer.http.protocol import PatientProtocol
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.served import ServedModel

#: Seconds that requests have to end when the service stops, and connections may be idle.
_STOPPING, _IDLE = 10, 30


class Server:
    """The service on a socket of its own, which is open as soon as this is made.

    Parameters
    ----------
    models : iterable of ServedModel
        What is served.
    settings : ServiceSettings
        Where, and to whom.
    """

    def __init__(self, models: Iterable[ServedModel], settings: ServiceSettings) -> None:
        self.settings = settings
        self._socket = _listen(settings)
        limits = settings.limits

        class Protocol(PatientProtocol):
            reading_seconds = limits.reading_seconds

        config = uvicorn.Config(
            create_app(models, settings),
            http=Protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            limit_concurrency=limits.connections,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_STOPPING,
            h11_max_incomplete_event_size=32 * 1024,
        )
        self._server = uvicorn.Server(config)
        self._thread: Thread | None = None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._socket.getsockname()[1]
        return port

    @property
    def address(self) -> str:
        """Where to find it."""
        host = self.settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    @property
    def url(self) -> str:
        """Where to find its pages, with the token if there is one; browsers do not send it."""
        token = "" if self.settings.token is None else f"#token={self.settings.token}"
        return self.address + token

    def run(self, ready: Callable[[], None] | None = None) -> None:
        """Answer requests until a signal says to stop; requests under way are answered."""
        if ready is not None:
            Thread(target=self._when_started, args=(ready,), daemon=True).start()
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Answer requests in a thread of this process."""
        self._thread = Thread(target=self.run, name="vicinal-service", daemon=True)
        self._thread.start()
        self._when_started(lambda: None)

    def stop(self) -> None:
        """Stop the thread; requests under way are answered."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(_STOPPING + 5)
        self._socket.close()

    def _when_started(self, act: Callable[[], None]) -> None:
        from time import monotonic, sleep

        end = monotonic() + 60
        while not self._server.started and not self._server.should_exit and monotonic() < end:
            sleep(0.01)
        if self._server.started:
            act()


def _listen(settings: ServiceSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host.strip("[]"), settings.port))
    except OSError as error:
        made.close()
        raise ParameterError(
            f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}. Choose "
            "another one with --port; 0 takes any that is free."
        ) from error
    made.listen(1024)
    return made
