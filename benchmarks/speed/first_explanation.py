"""Time until the first explanation is on screen: the explorer beside explainerdashboard.

``python -m benchmarks.speed.first_explanation vicinal`` and, in an environment that has it,
``… explainerdashboard`` take the same table of 10,000 rows. Both begin with a table in memory and
imported libraries, and end when the first explanation of one row was answered over HTTP (vicinal)
or computed by the component of the dashboard (explainerdashboard, whose model is a random forest
of 50 trees of depth 10, explained on a quarter of the rows, as in its manual).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.speed.explorer_table import make_table

Steps = Iterator[str]


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.first_explanation", description=__doc__.splitlines()[0]
    )
    options.add_argument("tool", choices=["vicinal", "explainerdashboard"])
    options.add_argument("--n", type=int, default=10_000, help="rows (10,000)")
    chosen = options.parse_args(arguments)
    steps = {"vicinal": vicinal_steps, "explainerdashboard": peer_steps}[chosen.tool]
    print(f"{chosen.tool:20} {'CPU s':>8} {'wall s':>8}")
    total = [0.0, 0.0]
    work = steps(make_table(chosen.n, 20))
    next(work)  # the imports
    began = time.process_time(), time.perf_counter()
    for name in work:
        spent = time.process_time() - began[0], time.perf_counter() - began[1]
        total = [total[0] + spent[0], total[1] + spent[1]]
        print(f"{name:20} {spent[0]:8.2f} {spent[1]:8.2f}", flush=True)
        began = time.process_time(), time.perf_counter()
    print(f"{'together':20} {total[0]:8.2f} {total[1]:8.2f}")
    return 0


def vicinal_steps(table: dict[str, Any]) -> Steps:
    """Fit, serve, and ask as the page does."""
    import httpx

    from vicinal.explorer.http.server import Server
    from vicinal.explorer.http.settings import ServiceSettings
    from vicinal.explorer.served import ServedModel
    from vicinal.model.model import Model

    yield "imports"
    model = Model().fit(table)
    yield "fit"
    server = Server([ServedModel(model, "table", target="outcome")], ServiceSettings(port=0))
    server.start()
    yield "start"
    with httpx.Client(base_url=server.address, timeout=600) as client:
        for name, contributions in (("first explanation", True), ("another one", True)):
            while True:
                body = {"cases": [len(name)], "contributions": contributions}
                answer = client.post("v1/models/table/explain", json=body)
                if answer.status_code != 202:
                    break
                time.sleep(0.25)
            answer.raise_for_status()
            yield name
    server.stop()


def peer_steps(table: dict[str, Any]) -> Steps:
    """Fit, build the dashboard, and ask for the contributions of a row."""
    import pandas as pd
    from explainerdashboard import ClassifierExplainer, ExplainerDashboard
    from sklearn.ensemble import RandomForestClassifier

    yield "imports"
    data = pd.DataFrame(table).fillna({"x1": 0.0})
    X = pd.get_dummies(data.drop(columns="outcome"), dtype=float)
    y = data["outcome"].map({"low": 0, "middle": 1, "high": 2})
    split = 3 * len(X) // 4
    forest = RandomForestClassifier(n_estimators=50, max_depth=10, random_state=0)
    forest.fit(X[:split], y[:split])
    yield "fit"
    explainer = ClassifierExplainer(
        forest,
        X[split:].reset_index(drop=True),
        y[split:].reset_index(drop=True),
        cats=["color", "shop"],
        labels=["low", "middle", "high"],
    )
    ExplainerDashboard(explainer, shap_interaction=False)
    yield "start"
    explainer.get_contrib_df(17)
    yield "first explanation"
    explainer.get_contrib_df(11)
    yield "another one"


if __name__ == "__main__":
    sys.exit(main())
