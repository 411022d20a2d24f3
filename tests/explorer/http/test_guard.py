"""Who may ask, how much, how long, and how many at a time; over real connections."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from tests.explorer.tables import quick_model
from vicinal.explorer.http.guard import Guard
from vicinal.explorer.http.metrics import Metrics
from vicinal.explorer.http.server import Server
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.limits import Limits
from vicinal.explorer.served import ServedModel

TOKEN = "a-token-of-24-characters"


@contextmanager
def service(**settings):
    """A service of its own, with a model that needs no time."""
    model = quick_model().fit({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "a", "b", "b"]})
    server = Server([ServedModel(model, "m")], ServiceSettings(port=0, **settings))
    server.start()
    try:
        with httpx.Client(base_url=server.address, timeout=30) as client:
            yield server, client
    finally:
        server.stop()


def run(coroutine):
    """Run it in a thread of its own: that of the tests may have a browser's event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def is_problem(answer, status, kind):
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, body["status"]) == (status, status), body
    assert body["type"] == f"urn:vicinal:problem:{kind}"
    assert body["detail"]
    return True


@pytest.mark.parametrize(
    "path", ["/", "/health", "/docs", "/v1/models", "/v1/nowhere", "/nowhere"]
)
def test_every_answer_has_the_headers_that_protect_it(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.1:80"])
def test_another_name_of_the_loopback_is_refused(client, host):
    assert is_problem(client.get("/v1/models", headers={"Host": host}), 421, "host")


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1", "[::1]:80"])
def test_the_names_of_the_loopback_are_answered(client, host):
    assert client.get("/v1/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_a_page_of_another_site_is_refused(client, headers):
    assert is_problem(client.get("/v1/models", headers=headers), 403, "origin")


def test_our_own_page_is_answered(client):
    own = str(client.base_url).rstrip("/")
    headers = {"Origin": own, "Sec-Fetch-Site": "same-origin"}
    assert client.get("/v1/models", headers=headers).status_code == 200
    # A link from another page may open ours.
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_with_a_token_only_those_who_have_it_are_answered():
    with service(token=TOKEN) as (server, client):
        assert is_problem(client.get("/v1/models"), 401, "token")
        assert is_problem(client.get("/metrics"), 401, "token")
        for wrong in (f"Bearer {TOKEN}x", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}"):
            answer = client.get("/v1/models", headers={"Authorization": wrong})
            assert is_problem(answer, 401, "token")
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/v1/models", headers=right).status_code == 200
        assert client.get("/health").status_code == 200
        assert client.get("/").status_code == 200
        assert server.url.endswith(f"/#token={TOKEN}")


def test_a_body_that_is_too_large_is_refused_before_it_is_read():
    with service(limits=Limits(body_bytes=1000)) as (server, client):
        answer = client.post("/v1/models/m/predict", content=b" " * 1001)
        assert is_problem(answer, 413, "too-large")
        assert is_problem(
            client.post("/v1/models/m/predict", content=(b" " * 100 for _ in range(20))),
            413,
            "too-large",
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
            raw.sendall(
                b"POST /v1/models/m/predict HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Length: 1073741824\r\n\r\n"
            )
            assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_slow_requests_are_given_up():
    with service(limits=Limits(reading_seconds=0.3)) as (server, client):
        for sent in (b"", b"GET /health HT", b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\n"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
                raw.sendall(sent)
                assert raw.recv(100) == b""  # closed
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
            raw.sendall(
                b"POST /v1/models/m/predict HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Length: 10\r\n\r\n{"
            )
            assert raw.recv(100).startswith(b"HTTP/1.1 408")
        assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n",
        b"POST /v1/models HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ],
    ids=lambda one: one[:30].decode("latin-1"),
)
def test_what_is_no_http_is_refused(client, sent):
    with socket.create_connection(("127.0.0.1", client.base_url.port), timeout=20) as raw:
        raw.sendall(sent)
        assert raw.recv(100).startswith(b"HTTP/1.1 4")
    assert client.get("/health").status_code == 200


# --- how many at a time: the guard around an application that takes as long as it is told --------


class Slow:
    """An application that answers when it may."""

    def __init__(self):
        self.go, self.most, self.now = asyncio.Event(), 0, 0

    async def __call__(self, scope, receive, send):
        self.now += 1
        self.most = max(self.most, self.now)
        await self.go.wait()
        self.now -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


def guarded(app, **limits):
    settings = ServiceSettings(limits=Limits(**limits))
    return Guard(app, settings, Metrics({}))


def ask(guard):
    transport = httpx.ASGITransport(guard)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost").get("/v1/models")


def test_some_requests_run_some_wait_and_the_others_are_refused():
    async def act():
        slow = Slow()
        guard = guarded(slow, running=2, waiting=3, seconds=30)
        tasks = [asyncio.ensure_future(ask(guard)) for _ in range(8)]
        while sum(task.done() for task in tasks) < 3:
            await asyncio.sleep(0.01)
        refused = [task.result() for task in tasks if task.done()]
        assert slow.most == 2
        slow.go.set()
        answers = await asyncio.gather(*tasks)
        return refused, answers, slow.most

    refused, answers, most = run(act())
    assert most == 2
    assert sorted(one.status_code for one in answers) == [200] * 5 + [503] * 3
    for one in refused:
        assert is_problem(one, 503, "too-busy")
        assert int(one.headers["retry-after"]) >= 1


def test_an_answer_that_takes_too_long_is_given_up_but_keeps_its_slot():
    async def act():
        slow = Slow()
        guard = guarded(slow, running=1, waiting=1, seconds=0.1)
        late = await ask(guard)
        waiting = await ask(guard)  # the first one still computes
        slow.go.set()
        while guard._slots.locked():
            await asyncio.sleep(0.01)
        return late, waiting, await ask(guard)

    late, waiting, after = run(act())
    assert is_problem(late, 503, "too-slow")
    assert is_problem(waiting, 503, "too-busy")
    assert after.text == "done"


def test_an_error_in_the_service_is_a_problem_without_its_inside(caplog):
    async def broken(scope, receive, send):
        raise RuntimeError("the secret")

    answer = run(ask(guarded(broken)))
    assert is_problem(answer, 500, "failure")
    assert "secret" not in answer.text
    assert "the secret" in caplog.text


def test_many_at_a_time_are_all_answered(client):
    statuses = []

    def act():
        with httpx.Client(base_url=client.base_url, timeout=30) as own:
            statuses.extend(own.get("/v1/models").status_code for _ in range(10))

    threads = [threading.Thread(target=act) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert statuses == [200] * 80


def test_the_service_stops_when_told_and_its_port_is_free_again():
    with service() as (server, client):
        assert client.get("/ready").status_code == 200
        port = server.port
    began = time.monotonic()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    assert time.monotonic() - began < 5
