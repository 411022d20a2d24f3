"""Many requests at a time, on this machine: only 200, 202, 429 and 503 may come back.

``python -m benchmarks.service.load --minutes 10`` starts a service in a process of its own, asks
it at saturation, and prints how many requests were answered how fast, and how much memory the
service had every minute. The exit code is 1 if anything else came back, or if memory grew by more
than a tenth after the first quarter of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import httpx

COMMAND = [sys.executable, "-c", "from vicinal.cli import main; main()"]
ALLOWED = {200, 202, 429, 503}


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.service.load", description=__doc__.splitlines()[0]
    )
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--connections", type=int, default=100, help="at a time (100)")
    options.add_argument("--running", type=int, default=2, help="requests answered at a time (2)")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    process = subprocess.Popen(
        [
            *(*COMMAND, "explore", "--no-browser", "--port", "0"),
            *("--max-running", str(options.running), "--jobs", "1"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the service did not start"
        return asyncio.run(run(found[0], process.pid, options))
    finally:
        process.terminate()
        process.wait(30)


async def run(url: str, pid: int, options: argparse.Namespace) -> int:
    limits = httpx.Limits(max_connections=options.connections)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client:
        while (await client.get("v1/models/penguins/status")).json()["state"] != "ready":
            await asyncio.sleep(1)
        statuses: Counter[int] = Counter()
        seconds: list[float] = []
        memory: list[float] = []
        end = time.monotonic() + 60 * options.minutes
        users = [
            _use(client, random.Random(at), end, statuses, seconds)
            for at in range(options.connections)
        ]
        await asyncio.gather(*users, _watch(pid, end, memory, statuses))
    return _judge(statuses, seconds, memory, options)


async def _use(
    client: httpx.AsyncClient,
    rng: random.Random,
    end: float,
    statuses: Counter[int],
    seconds: list[float],
) -> None:
    while time.monotonic() < end:
        name, body = _request(rng)
        began = time.monotonic()
        answer = await client.post(f"v1/models/penguins/{name}", json=body)
        statuses[answer.status_code] += 1
        if answer.status_code == 200:
            seconds.append(time.monotonic() - began)
        elif answer.status_code == 503:
            await asyncio.sleep(float(answer.headers["retry-after"]) * rng.random())


def _request(rng: random.Random) -> tuple[str, dict[str, Any]]:
    case = rng.randrange(344)
    return rng.choice(
        [
            ("cases/query", {"offset": case, "limit": 50}),
            ("predict", {"cases": [case]}),
            ("what-if", {"cases": [case], "changes": {"bill_length_mm": 30 + 20 * rng.random()}}),
            ("neighbors", {"cases": [case], "k": 10}),
            ("map", {"bins": 64, "color": {"by": "conviction"}}),
            ("conviction", {"cases": [case]}),
            ("explain", {"cases": [case], "contributions": False}),
        ]
    )


async def _watch(pid: int, end: float, memory: list[float], statuses: Counter[int]) -> None:
    step = min(60.0, max((end - time.monotonic()) / 10, 0.5))
    while time.monotonic() < end:
        memory.append(_resident(pid))
        print(f"{memory[-1]:8.1f} MB, {sum(statuses.values())} requests", flush=True)
        await asyncio.sleep(min(step, max(end - time.monotonic(), 0.01)))
    memory.append(_resident(pid))


def _resident(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _judge(
    statuses: Counter[int],
    seconds: list[float],
    memory: list[float],
    options: argparse.Namespace,
) -> int:
    ordered = sorted(seconds)
    total = sum(statuses.values())
    settled = memory[len(memory) // 4]
    growth = max(memory[len(memory) // 4 :]) / settled - 1
    print(f"{total} requests in {options.minutes:g} minutes: {dict(sorted(statuses.items()))}")
    if ordered:
        late = ordered[int(0.95 * (len(ordered) - 1))]
        print(
            f"answers: median {1000 * ordered[len(ordered) // 2]:.0f} ms, p95 {1000 * late:.0f} ms"
        )
    print(f"memory: {memory[0]:.0f} MB at first, {settled:.0f} settled, grew by {growth:.1%}")
    return int(bool(set(statuses) - ALLOWED) or growth > 0.1)


if __name__ == "__main__":
    sys.exit(main())
