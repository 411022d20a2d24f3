"""What breaks services that trust their callers, against a service in a process of its own.

``python -m benchmarks.service.hostile`` sends a gigabyte, JSON a million levels deep, requests
that never end, and markup in cells; it kills the service while it writes, and lets writers race.
It prints what happened; whatever should not happen ends it with an AssertionError.
"""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx

import vicinal
from benchmarks.service.load import COMMAND, _resident
from vicinal.data import load_penguins

M = "/v1/models/penguins"
HEAD = "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CELLS = ["'; DROP TABLE cases; --", "<img src=x onerror=alert(1)>", "\x1b[2J\x1b[31mred", "a\x00b"]
ROW = {name: values[0] for name, values in load_penguins().items()}
#: How often the service is killed, and how many connections are slow.
KILLS, SLOW = 12, 200


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "penguins.vicinal"
        vicinal.Model(max_queries=60).fit(load_penguins()).save(path)
        with running(path) as (client, process):
            for check in (one_gigabyte, deep_json, slow_connections, markup, racing_writers):
                began = time.perf_counter()
                print(f"{check.__name__:17} {check(client, process)}", end="")
                print(f" ({time.perf_counter() - began:.1f} s)", flush=True)
        print(f"{'killed':17} {killed(path)}")
    return 0


@contextmanager
def running(path: Path) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """Serve a writable model; the process ends here, unless it has ended before."""
    command = [
        *COMMAND,
        "serve",
        str(path),
        "-t",
        "species",
        "--writable",
        "--quiet",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found, "the service did not start"
        with httpx.Client(base_url=found[0], timeout=120) as client:
            yield client, process
    finally:
        process.terminate()
        process.wait(60)


def one_gigabyte(client: httpx.Client, process: subprocess.Popen[str]) -> str:
    """Send a gigabyte without saying so before."""
    before, sent = _resident(process.pid), 0
    block = b"%x\r\n" % 2**20 + b" " * 2**20 + b"\r\n"
    with connected(client) as raw:
        raw.sendall(HEAD.format(f"{M}/predict").encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(1024):
                raw.sendall(block)
                sent += 1
        except OSError:
            pass  # the service has closed the connection
    grown = _resident(process.pid) - before
    assert sent < 256, sent
    assert grown < 200, grown
    alive(client)
    return f"refused after {sent} MB or fewer; the service grew by {grown:.0f} MB"


def deep_json(client: httpx.Client, _: subprocess.Popen[str]) -> str:
    """Send lists in lists in lists."""
    for body in (b"[" * 10**6, b'{"rows":' * 10**5):
        answer = client.post(
            f"{M}/predict", content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 400, answer.text
    alive(client)
    return "400"


def slow_connections(client: httpx.Client, _: subprocess.Popen[str]) -> str:
    """Open many connections that never finish their request, and ask meanwhile."""
    opened = [connected(client) for _ in range(SLOW)]
    for raw in opened:
        raw.sendall(HEAD.format(f"{M}/predict").encode() + b"Content-Length: 100\r\n\r\n{")
    seconds = []
    for _ in range(20):
        began = time.perf_counter()
        alive(client)
        seconds.append(time.perf_counter() - began)
    statuses = [raw.recv(12) for raw in opened]
    for raw in opened:
        raw.close()
    assert set(statuses) == {b"HTTP/1.1 408"}, set(statuses)
    return f"{SLOW} got 408; meanwhile requests took {1000 * max(seconds):.0f} ms at most"


def markup(client: httpx.Client, _: subprocess.Popen[str]) -> str:
    """Store cells that other programs would run."""
    added = client.post(
        f"{M}/cases", json={"rows": [{**ROW, "island": one} for one in CELLS]}
    ).json()["cases"]
    found = client.post(f"{M}/cases/query", json={"filter": [{"cases": added}]})
    at = found.json()["columns"].index("island")
    assert [row["values"][at] for row in found.json()["rows"]] == CELLS
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert client.post(f"{M}/cases/remove", json={"cases": added}).status_code == 200
    return "stored, and given back as text"


def racing_writers(client: httpx.Client, _: subprocess.Popen[str]) -> str:
    """Let two writers add cases, each only to the version that it has seen."""

    def write(at: int) -> int:
        done = 0
        while done < 10:
            version = client.get(M).json()["version"]
            answer = client.post(
                f"{M}/cases",
                json={"rows": [{**ROW, "year": 2000 + at}]},
                headers={"If-Match": f'"{version}"'},
            )
            assert answer.status_code in (201, 412), answer.text
            done += answer.status_code == 201
        return done

    before = client.get(M).json()["cases"]
    with ThreadPoolExecutor() as both:
        done = sum(both.map(write, range(2)))
    after = client.get(M).json()["cases"]
    assert after == before + done, (before, done, after)
    return f"{done} of {done} changes are there"


def killed(path: Path) -> str:
    """Kill the service while it writes; the file has every change that was answered."""
    rng, answered = random.Random(0), 0
    for _ in range(KILLS):
        version, stop = 0, Event()
        with running(path) as (client, process), ThreadPoolExecutor() as aside:
            wait = aside.submit(kill_later, process, 0.2 + 0.5 * rng.random(), stop)
            try:
                while True:
                    answer = client.post(f"{M}/cases", json={"rows": [ROW]})
                    version, answered = answer.json()["version"], answered + 1
            except (httpx.HTTPError, json.JSONDecodeError):
                stop.set()
            wait.result()
        model = vicinal.load(path)
        assert len(model.log_) >= version, (len(model.log_), version)
        assert len(model) > 0
    return (
        f"{KILLS} times during {answered} changes; every answered one is in the file, which loads"
    )


def kill_later(process: subprocess.Popen[str], seconds: float, stop: Event) -> None:
    stop.wait(seconds)
    process.kill()


def connected(client: httpx.Client) -> socket.socket:
    url = client.base_url
    assert url.port is not None
    return socket.create_connection((url.host, url.port), timeout=60)


def alive(client: httpx.Client) -> None:
    """Ask something ordinary."""
    answer: Any = client.post(f"{M}/neighbors", json={"cases": [0], "k": 3})
    assert answer.status_code == 200, answer.text


if __name__ == "__main__":
    sys.exit(main())
