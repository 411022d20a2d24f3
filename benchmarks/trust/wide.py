"""Whether a table of very many columns is answered within little memory and time.

Every answer is one of a process that may use so much memory, so that more ends with an error.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

ROWS, COLUMNS, QUICK_COLUMNS = 300, 5000, 500
MEMORY = 3 << 30
#: Processor seconds that the first prediction, and an explanation, may take.
MOST_SECONDS = 60.0
#: Share of the cells that are hidden and imputed.
HIDDEN = 5e-4


def run(options: argparse.Namespace) -> int:
    columns = QUICK_COLUMNS if options.quick else COLUMNS
    print(
        f"{ROWS} rows of {columns} columns, within {MEMORY >> 30} GB of address space. Promised:"
    )
    print(f"all end; first predictions and explanations take at most {MOST_SECONDS:.0f} CPU s.\n")
    print("| target | answer | CPU s | peak of memory so far, MB |")
    print("|:--|:--|--:|--:|")
    failures = 0
    for classes in (False, True):
        pipe, end = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.get_context("spawn").Process(
            target=_answers, args=(end, columns, classes)
        )
        child.start()
        end.close()
        failures += sum(_lines(pipe))
        child.join()
        failures += child.exitcode != 0
    print(f"\n{failures} failures")
    return int(failures)


def _lines(pipe: Any) -> list[bool]:
    """Print a line for each answer, and return which take too long."""
    slow = []
    while True:
        try:
            target, what, seconds, peak = pipe.recv()
        except EOFError:
            return slow
        print(f"| {target} | {what} | {seconds:.1f} | {peak:.0f} |", flush=True)
        slow.append(what in ("first prediction", "explanation") and seconds > MOST_SECONDS)


def _answers(pipe: Any, columns: int, classes: bool) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from vicinal import Model

    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(columns)]
    values = rng.normal(size=(ROWS, columns))
    number = values[:, :5].sum(axis=1) + 0.5 * rng.normal(size=ROWS)
    target = np.where(number > 0, "yes", "no") if classes else number
    table = pd.DataFrame(values, columns=names).assign(y=target)
    new = pd.DataFrame(rng.normal(size=(20, columns)), columns=names)

    def timed(what: str, ask: Callable[[], Any]) -> Any:
        start = time.process_time()
        found = ask()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds = time.process_time() - start
        pipe.send(("two classes" if classes else "a number", what, seconds, peak))
        return found

    model = timed("fit", lambda: Model(n_jobs=1).fit(table))
    timed("first prediction", lambda: model.predict(new, "y"))
    timed("second prediction", lambda: model.predict(new, "y"))
    if classes:
        timed("prediction sets", lambda: model.predict_set(new, "y"))
    else:
        timed("intervals", lambda: model.predict_interval(new, "y"))
    timed("explanation", lambda: model.explain(new[:1], "y"))
    timed("contributions", lambda: model.contributions(new[1:2], "y"))
    if classes:  # the others do not depend on the target
        return
    timed("densities of two rows", lambda: model.density(new[:2]))
    timed("convictions of all cases", model.conviction)
    timed("anomalies", model.anomalies)
    hidden = table.mask(rng.random(table.shape) < HIDDEN)
    holes = timed("fit with missing values", lambda: Model(n_jobs=1).fit(hidden))
    count = int(hidden.isna().sum().sum())
    timed(f"imputation of {count} values", lambda: holes.impute(effort="low", intervals=False))
