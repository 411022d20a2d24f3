"""Before every request: who asks, how much, how long, and how many at a time."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from fastapi.responses import Response

from vicinal.explorer.http.bodies import BODY
from vicinal.explorer.http.logs import logger
from vicinal.explorer.http.metrics import Metrics
from vicinal.explorer.http.problems import problem
from vicinal.explorer.http.settings import ServiceSettings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: No script but our own, nothing from elsewhere, and no page of another site around ours.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
}
_METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")
#: Seconds after which a request that was refused may be repeated.
_RETRY = "1"
#: Bytes of the address and the headers of a request.
_LARGEST_HEAD = 16 * 1024


class Guard:
    """Wraps the service.

    Parameters
    ----------
    app : ASGI application
        Whatever answers requests.
    """

    def __init__(self, app: App, settings: ServiceSettings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.limits = settings.limits
        self._slots = asyncio.Semaphore(self.limits.running)
        self._waiting = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._guarded(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, number = perf_counter(), secrets.token_hex(8)
        answer = Reply(send, number)
        try:
            refused = self._refusal(scope) or await self._read(scope, receive)
            if refused is not None:
                self.metrics.refused.labels(_kind(refused)).inc()
                await refused(scope, receive, answer.send)
            elif scope["path"].startswith("/v1/"):
                await self._admit(scope, answer)
            else:
                await self.app(scope, _replayed(scope), answer.send)
        except (ConnectionError, _Gone):
            answer.status = 499  # nobody is there any more
        except Exception:
            logger.exception("A request failed", extra={"fields": {"request": number}})
            if not answer.begun:
                text = "An error in the service; its log says more."
                await problem("failure", text)(scope, receive, answer.send)
        finally:
            self._told(scope, answer, perf_counter() - began, number)

    def _refusal(self, scope: Scope) -> Response | None:
        """Refuse a request by its head."""
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size + len(scope["raw_path"]) + len(scope["query_string"]) > _LARGEST_HEAD:
            return problem("headers", f"The head has over {_LARGEST_HEAD} bytes; send fewer.")
        headers = {name.lower(): value for name, value in scope["headers"]}
        host = headers.get(b"host", b"").decode("latin-1")
        name = host.rpartition(":")[0] if _has_port(host) else host
        if not self.settings.answers_to(name):
            text = f"The request is for {host[:100]!r}; call the service by its own address."
            return problem("host", text)
        private = scope["path"].startswith("/v1/") or scope["path"] == "/metrics"
        origin = headers.get(b"origin", b"").decode("latin-1")
        site = headers.get(b"sec-fetch-site", b"").decode("latin-1")
        strange = origin and origin not in (f"http://{host}", f"https://{host}")
        if strange or (private and site in ("cross-site", "same-site")):
            return problem("origin", "The request comes from a page of another site; it may not.")
        if private and not self._may_ask(headers.get(b"authorization", b"")):
            text = "The request has no valid token; send the header Authorization: Bearer TOKEN."
            return problem("token", text, headers={"WWW-Authenticate": "Bearer"})
        return None

    def _may_ask(self, given: bytes) -> bool:
        token = self.settings.token
        if token is None:
            return True
        kind, _, brought = given.partition(b" ")
        # In constant time, so that no part of a token can be guessed by itself.
        return hmac.compare_digest(brought.strip(), token.encode()) and kind.lower() == b"bearer"

    async def _read(self, scope: Scope, receive: Receive) -> Response | None:
        """Read the body, unless it is too large or takes too long."""
        length = dict(scope["headers"]).get(b"content-length", b"0")
        most = self.limits.body_bytes
        text = f"The body has more than {most} bytes; send fewer rows at a time."
        if not length.isdigit() or int(length[:20]) > most:
            return problem("too-large", text, headers={"Connection": "close"})
        try:
            async with asyncio.timeout(self.limits.reading_seconds):
                body = await _body(receive, most)
        except TimeoutError:
            text = f"The body did not arrive within {self.limits.reading_seconds:g} seconds."
            return problem("unfinished", text, headers={"Connection": "close"})
        if body is None:
            return problem("too-large", text, headers={"Connection": "close"})
        scope[BODY] = body
        return None

    async def _admit(self, scope: Scope, answer: Reply) -> None:
        """Answer a request when it is its turn, within the time that there is."""
        if self._waiting >= self.limits.waiting:
            await self._busy(scope, answer)
            return
        self._waiting += 1
        self.metrics.waiting.set(self._waiting)
        try:
            async with asyncio.timeout(self.limits.seconds):
                await self._slots.acquire()
        except TimeoutError:
            await self._busy(scope, answer)
            return
        finally:
            self._waiting -= 1
            self.metrics.waiting.set(self._waiting)
        self.metrics.running.inc()
        task = asyncio.create_task(self._run(scope, answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        done, _ = await asyncio.wait({task}, timeout=self.limits.seconds)
        if done:
            await task
            return
        # A computation cannot be interrupted. It keeps its slot until it ends; its answer is lost.
        answer.close()
        text = f"No answer within {self.limits.seconds:g} seconds; ask for less at a time."
        late = problem("too-slow", text, headers={"Retry-After": _RETRY})
        await late(scope, _nothing, answer.send_anyway)

    async def _run(self, scope: Scope, answer: Reply) -> None:
        try:
            await self.app(scope, _replayed(scope), answer.send)
        except Exception:
            if not answer.closed:
                raise
            logger.exception("A request failed after its time was up")
        finally:
            self._slots.release()
            self.metrics.running.dec()

    async def _busy(self, scope: Scope, answer: Reply) -> None:
        self.metrics.refused.labels("too-busy").inc()
        text = f"{self.limits.waiting} requests are waiting already; try again."
        refusal = problem("too-busy", text, headers={"Retry-After": _RETRY})
        await refusal(scope, _nothing, answer.send)

    def _told(self, scope: Scope, answer: Reply, seconds: float, number: str) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self.metrics.requests.labels(route, method, str(answer.status)).inc()
        self.metrics.seconds.labels(route).observe(seconds)
        fields = {
            "request": number,
            "method": scope["method"][:20],
            "path": scope["path"][:500],
            "status": answer.status,
            "seconds": round(seconds, 6),
            "bytes": answer.size,
        }
        logger.info("request", extra={"fields": fields})


class Reply:
    """An answer on its way out: with our headers, until it is closed."""

    def __init__(self, send: Send, number: str) -> None:
        self._send, self._number = send, number
        self.begun = self.closed = False
        self.status, self.size = 0, 0

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass a message on, unless the answer is closed."""
        if not self.closed:
            await self.send_anyway(message)

    async def send_anyway(self, message: MutableMapping[str, Any]) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            own = {name.lower() for name, _ in message["headers"]}
            extra = [(name, value) for name, value in HEADERS.items() if name not in own]
            if b"cache-control" not in own:
                extra.append((b"cache-control", b"no-store"))
            extra.append((b"x-request-id", self._number.encode()))
            message = {**message, "headers": [*message["headers"], *extra]}
        else:
            self.size += len(message.get("body", b""))
        await self._send(message)

    def close(self) -> None:
        """Drop all further messages."""
        self.closed = True


class _Gone(Exception):
    """Nobody waits for the answer any more."""


async def _body(receive: Receive, most: int) -> bytes | None:
    """Read a body; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(scope: Scope) -> Receive:
    """Return the body that was read, as an application receives it."""

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": scope.get(BODY, b""), "more_body": False}

    return receive


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


def _has_port(host: str) -> bool:
    return ":" in host and host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _kind(refused: Response) -> str:
    kinds = {401: "token", 403: "origin", 408: "unfinished", 413: "too-large", 421: "host"}
    return kinds.get(refused.status_code, "other")
