"""Time of each interaction with the explorer, over HTTP on this machine.

``python -m benchmarks.speed.explorer --help`` lists the options. A table is fitted and served;
what the explorer's pages ask for is asked many times, and the 95th percentile is held against a
goal. Requests that follow each other differ, so that no answer is looked up. Questions of the kind
what-if are asked twice: first while the background still computes, which has to give way to them.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.speed.explorer_table import make_table
from vicinal.explorer.http.server import Server
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.served import ServedModel
from vicinal.loading import load
from vicinal.model.model import Model

#: Seconds of the 95th percentile.
GOALS = {"meanwhile": 0.3, "what-if": 0.3, "page": 0.1, "map": 0.5, "explain": 2.0, "start": 2.0}
Ask = Callable[[random.Random], httpx.Response]


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.explorer", description=__doc__.splitlines()[0]
    )
    options.add_argument("--n", type=int, default=1_000_000, help="cases (1,000,000)")
    options.add_argument("--d", type=int, default=20, help="columns, the target among them (20)")
    options.add_argument("--repeats", type=int, default=200, help="requests of each kind (200)")
    options.add_argument("--only", nargs="+", choices=list(GOALS), default=list(GOALS))
    options.add_argument(
        "--alone", action="store_true", help="without the background, and so without the map"
    )
    options.add_argument(
        "--model", metavar="FILE", help="keep the fitted model here, or take it from here"
    )
    options.add_argument("--json", metavar="FILE", help="write the results, too")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    began = time.perf_counter()
    table = make_table(options.n, options.d)
    model = fitted_model(table, options.model)
    told(f"fitted {options.n:,} × {options.d} in {time.perf_counter() - began:.1f} s")
    served = (Alone if options.alone else ServedModel)(model, "table", target="outcome")
    server = Server([served], ServiceSettings(port=0))
    server.start()
    try:
        with httpx.Client(base_url=server.address, timeout=600) as client:
            results = {}
            names = [name for name in GOALS if name not in ("meanwhile", "map")]
            if not options.alone:
                names = list(GOALS)[1:]
                wait(client, "predictions", "Predicted")
                if "meanwhile" in options.only:
                    results |= dict(measured(client, table, options, ["meanwhile"]))
                wait(client)
            results |= dict(measured(client, table, options, names))
    finally:
        server.stop()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {memory:.2f} GB")
    if options.json:
        import json

        content = {"n": options.n, "d": options.d, "peak_gb": memory, "results": results}
        Path(options.json).write_text(json.dumps(content, indent=1) + "\n")
    return int(any(one["p95"] > GOALS[name] for name, one in results.items()))


class Alone(ServedModel):
    """Nothing is computed in the background, so that processor time is that of the questions."""

    def start(self) -> None:
        """Learn what questions need."""
        fitted = self.state.fitted
        self.state.predictor("outcome")
        self.state.judging(fitted.columns_for(fitted.schema.names, "outcome"))


def fitted_model(table: dict[str, Any], path: str | None) -> Model:
    """Fit a model that has learned its target, or load one that was kept."""
    if path is not None and Path(path).exists():
        return load(path)
    model = Model().fit(table)
    if path is not None:
        model.predict({name: values[:1] for name, values in table.items()}, "outcome")
        model.save(path)
    return model


def wait(client: httpx.Client, task: str = "map", message: str = "") -> None:
    """Wait until a part is computed, or has come to a message; and say how long each part took."""
    while True:
        status = client.get("v1/models/table/status").json()
        own = next(one for one in status["tasks"] if one["name"] == task)
        if own["state"] in ("ready", "failed") or (message and own["message"].startswith(message)):
            break
        time.sleep(1)
    for one in status["tasks"]:
        told(f"  {one['name']}: {one['state']}, {one['seconds']:.1f} s ({one['message']})")


def measured(
    client: httpx.Client, table: dict[str, Any], options: argparse.Namespace, names: list[str]
) -> Iterator[tuple[str, dict[str, float]]]:
    # CPU time is that of the service and the client together; on a busy machine it tells more.
    heads = ("median ms", "p95 ms", "CPU ms", "CPU p95", "goal ms")
    print(f"{'interaction':12}", *(f"{one:>10}" for one in heads), f"{'kB':>8}", flush=True)
    for name, ask in interactions(client, table).items():
        if name not in options.only or name not in names:
            continue
        rng, seconds, used, sizes = random.Random(1), [], [], []
        for at in range(options.repeats + 3):
            began, before = time.perf_counter(), time.process_time()
            answer = ask(rng)
            spent, computed = time.perf_counter() - began, time.process_time() - before
            answer.raise_for_status()
            if at >= 3:
                seconds.append(spent)
                used.append(computed)
                sizes.append(len(answer.content))
        median, late = np.quantile(seconds, [0.5, 0.95])
        half, most = np.quantile(used, [0.5, 0.95])
        size = max(sizes) / 1000
        times = [1000 * one for one in (median, late, half, most, GOALS[name])]
        print(f"{name:12}", *(f"{one:10.1f}" for one in times), f"{size:8.1f}", flush=True)
        yield name, {"median": median, "p95": late, "cpu": half, "cpu_p95": most, "kb": size}


def interactions(client: httpx.Client, table: dict[str, Any]) -> dict[str, Ask]:
    """Return what is asked, by name."""
    n = len(table["outcome"])
    names = [name for name in table if name.startswith("x")]

    def post(name: str, **body: Any) -> httpx.Response:
        return client.post(f"v1/models/table/{name}", json=body)

    def what_if(rng: random.Random) -> httpx.Response:
        changes = {rng.choice(names): round(rng.gauss(0, 1), 3)}
        return post("what-if", cases=[rng.randrange(n)], changes=changes)

    def page(rng: random.Random) -> httpx.Response:
        # A user sorts a few times, filters a few times, and scrolls much.
        sort = {
            "by": "feature",
            "feature": rng.choice(names[:4]),
            "descending": rng.random() < 0.5,
        }
        chosen = [{"feature": "color", "in": [rng.choice(["red", "blue"])]}]
        some = chosen if rng.random() < 0.5 else []
        return post("cases/query", sort=[sort], filter=some, offset=rng.randrange(n // 5))

    def case_map(rng: random.Random) -> httpx.Response:
        x, y, size = rng.random() / 2, rng.random() / 2, rng.choice([0.1, 0.3, 0.5])
        color = rng.choice(
            [{"by": "feature", "feature": "outcome"}, {"by": "conviction"}, {"by": "count"}]
        )
        view = {"x": [x, x + size], "y": [y, y + size]} if rng.random() < 0.7 else {}
        return post("map", bins=128, view=view, color=color)

    def explain(rng: random.Random) -> httpx.Response:
        return post("explain", cases=[rng.randrange(n)])

    def start(_: random.Random) -> httpx.Response:
        client.get("/")
        client.get("v1/models")
        client.get("v1/models/table/status")
        client.get("v1/models/table/schema")
        return client.get("v1/models/table/overview")

    return {
        "meanwhile": what_if,
        "what-if": what_if,
        "page": page,
        "map": case_map,
        "explain": explain,
        "start": start,
    }


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
