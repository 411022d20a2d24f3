"""Two revisions side by side: CPU time of the same work, old and new by turns.

    python -m benchmarks.speed.revisions --old ../before --new . --rounds 5

Each folder is a checkout whose package is built in place or named by ``--old-python`` and
``--new-python``. Work is done in processes of their own, one revision after the other in every
round, and of each the least CPU time counts; so a busy machine does little harm. A ratio below 1
means that the new revision is faster.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

#: What every piece of work may use.
SETUP = """
import time, tempfile, numpy as np
import vicinal
rng = np.random.default_rng(0)
def mixed(n, d=10):
    hidden = rng.normal(size=n)
    table = {f"x{i}": hidden * (i % 3) + rng.normal(size=n) for i in range(d - 3)}
    table["color"] = np.array(["red", "green", "blue"])[np.digitize(hidden, [-0.5, 0.5])]
    table["count"] = np.round(5 + 2 * hidden).astype(int)
    table["label"] = np.where(hidden + rng.normal(size=n) > 0, "yes", "no")
    return table
def rows(table, n):
    return {name: values[:n] for name, values in table.items()}
def least(work, repeats=3):
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)
"""

#: Name → code that sets `seconds`.
WORK = {
    "import vicinal": "seconds = start_up",
    "fit 1,000": "t = mixed(1000); seconds = least(lambda: vicinal.Model().fit(t), 9)",
    "fit 20,000": "t = mixed(20000); seconds = least(lambda: vicinal.Model().fit(t))",
    "learn a target": """
t = mixed(3000)
def work():
    vicinal.Model().fit(t).predict(rows(t, 10), "label")
seconds = least(work)""",
    "neighbors of 2,000 among 20,000": """
t = mixed(20000); m = vicinal.Model().fit(t); q = rows(t, 2000)
seconds = least(lambda: m.neighbors(q, 10), 5)""",
    "predict classes": """
t = mixed(5000); m = vicinal.Model().fit(t); q = rows(t, 2000); m.predict(q, "label")
seconds = least(lambda: m.predict_proba(q, "label"), 5)""",
    "predict numbers": """
t = mixed(5000); m = vicinal.Model().fit(t); q = rows(t, 2000); m.predict(q, "x1")
seconds = least(lambda: m.predict(q, "x1"), 5)""",
    "predict one row 200 times": """
t = mixed(2000); m = vicinal.Model().fit(t); q = rows(t, 1); m.predict(q, "label")
def work():
    for _ in range(200):
        m.predict(q, "label")
seconds = least(work)""",
    "predict 20,000 × 101": """
X = rng.normal(size=(20000, 100))
t = {f"x{i}": X[:, i] for i in range(100)} | {"y": np.where(X[:, 0] > 0, "a", "b")}
m = vicinal.Model(max_queries=100, max_members=2, weighting="irw").fit(rows(t, 300))
m.predict(rows(t, 2), "y")
seconds = least(lambda: m.predict(t, "y"), 2)""",
    "explain a row": """
t = mixed(3000); m = vicinal.Model().fit(t); q = rows(t, 1); m.explain(q, "label")
seconds = least(lambda: m.explain(q, "label"), 5)""",
    "conviction of all": """
t = mixed(5000); m = vicinal.Model().fit(t)
def work():
    vicinal.Model.conviction(m, measure=vicinal.Measure(n_neighbors=29 + next(k)))
import itertools; k = itertools.count()
seconds = least(work)""",
    "conviction of new rows": """
t = mixed(5000); m = vicinal.Model().fit(t); q = rows(mixed(500), 500); m.conviction(q)
seconds = least(lambda: m.conviction(q), 5)""",
    "anomalies": """
t = mixed(5000); m = vicinal.Model().fit(t); m.anomalies()
seconds = least(lambda: m.anomalies(), 5)""",
    "density": """
t = mixed(2000); m = vicinal.Model().fit(t); q = rows(t, 500); m.density(q)
seconds = least(lambda: m.density(q), 3)""",
    "counterfactual": """
t = mixed(2000); m = vicinal.Model().fit(t)
r = {n: v[0] for n, v in t.items() if n != "label"}
m.counterfactual(r, "label", "yes"); m.counterfactual(r, "label", "no")
seconds = least(lambda: [m.counterfactual(r, "label", w) for w in ("yes", "no")], 5)""",
    "information": """
t = mixed(1500, 7); m = vicinal.Model().fit(t); m.predict(rows(t, 1), "label")
seconds = least(lambda: m.information("label"), 2)""",
    "impute": """
t = mixed(1500); t["x1"] = np.where(rng.random(1500) < 0.1, np.nan, t["x1"])
seconds = least(lambda: vicinal.Model().fit(t).impute(effort="low"), 3)""",
    "audit": """
t = mixed(1500); m = vicinal.Model().fit(t); m.audit("label")
seconds = least(lambda: m.audit("label"), 3)""",
    "drift": """
t = mixed(2000); m = vicinal.Model().fit(t); q = mixed(500)
seconds = least(lambda: m.drift(q, shuffles=99), 3)""",
    "add, update, remove": """
t = mixed(5000); m = vicinal.Model().fit(t); one = rows(t, 1)
def work():
    for _ in range(200):
        [n] = m.add(one); m.update(n, one); m.remove(n)
seconds = least(work)""",
    "save and load": """
t = mixed(20000); m = vicinal.Model().fit(t)
folder = tempfile.mkdtemp()
def work():
    m.save(folder + "/m.vicinal"); vicinal.load(folder + "/m.vicinal")
seconds = least(work, 5)""",
    "classifier on arrays": """
X = rng.normal(size=(4000, 40)); y = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")
c = vicinal.VicinalClassifier(max_queries=300).fit(X[:1000], y[:1000]); c.predict(X[:2])
seconds = least(lambda: c.predict_proba(X), 3)""",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", type=Path, required=True, help="checkout of the old revision")
    parser.add_argument("--new", type=Path, required=True, help="checkout of the new revision")
    parser.add_argument("--old-python", default=sys.executable)
    parser.add_argument("--new-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", help="some of the work, by name, with semicolons between")
    options = parser.parse_args()
    wanted = options.work.split(";") if options.work else list(WORK)
    print(f"{'work':34} {'old':>9} {'new':>9}  new ÷ old")
    for name in wanted:
        sides = {
            "old": (options.old_python, options.old),
            "new": (options.new_python, options.new),
        }
        spent: dict[str, list[float]] = {side: [] for side in sides}
        for turn in range(options.rounds):
            for side in sorted(sides, reverse=bool(turn % 2)):
                spent[side].append(cpu_seconds(name, *sides[side]))
        old, new = min(spent["old"]), min(spent["new"])
        print(f"{name:34} {old:9.4f} {new:9.4f}  {new / old:.3f}", flush=True)


def cpu_seconds(name: str, python: str, checkout: Path) -> float:
    """Do the work in a process of its own, with the package of a checkout."""
    first = "import time; begun = time.process_time(); import vicinal; vicinal.Model"
    code = (
        f"{first}\nstart_up = time.process_time() - begun\n{SETUP}\n{WORK[name]}\nprint(seconds)"
    )
    place = {**os.environ, "PYTHONPATH": str((checkout / "src").resolve())}
    done = subprocess.run(
        [python, "-W", "ignore", "-c", code], env=place, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
