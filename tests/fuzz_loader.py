"""Mutates model files and loads them: `make fuzz`, or ``python -m tests.fuzz_loader --help``.

Whatever a file holds, loading it must end in a model or a FileError: no other error, no crash, no
hang, no memory beyond the limit. Some mutations change bytes; most change the header or arrays and
make the checksums right again, so that what lies behind them is reached. What loads is asked some
questions, which may be answered by an exception, but must not crash, hang or take all memory.

Inputs run in processes of their own, many to each, under limits of memory and time; each input has
a number, and the same number gives the same input.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

MEMORY = 2 << 30  # bytes a process may have in all, of which the interpreter takes a third
SECONDS = 20  # for one input
BATCH = 500

WRONG: list[Any] = [None, True, -1, 0, 1, 2, 3, 10**9, 2**63, -(2**70), 0.5, -0.0, 1e308, 1e-320]
WRONG += ["", "x", "inf", "nan", "nominal", "Model", [], [[]], {}, [0] * 50, "é" * 99]
WRONG += [{"array": "cases/values"}, {"array": "nothing"}, {"mapping": [[1, 2]]}, {"tuple": [1]}]
WRONG += [{"float": "nan"}, {"member": "cases/values"}, {"date": "2024-13-9"}, {"decimal": "1e9"}]
NUMBERS = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, 5e-324, 2.0**31, 2.0**63, 0.5]


Whole = tuple[dict[str, Any], dict[str, np.ndarray]]


def seeds(folder: Path) -> list[Path]:
    """Valid files: the kept samples, and some made here."""
    import vicinal
    from tests.mixed_table import OPTIONS, mixed_table

    kept = sorted((Path(__file__).parent / "data").glob("*.vicinal"))
    model = vicinal.Model(max_queries=20, max_members=2, **OPTIONS).fit(mixed_table(30))
    model.predict(mixed_table(3), "colour")
    model.predict_interval(mixed_table(3), "weight")
    model.add(mixed_table(4, seed=1), sample_weight=[1.0, 2.0, 0.5, 0.0])
    model.remove([1, 2])
    model.save(folder / "mixed.vicinal")
    detector = vicinal.VicinalOutlierDetector().fit(np.arange(20.0).reshape(10, 2))
    detector.save(folder / "detector.vicinal")
    return [*kept, folder / "mixed.vicinal", folder / "detector.vicinal"]


def contents(path: Path) -> Whole:
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        arrays = {}
        for name in header["members"]:
            with archive.open(f"{name}.npy") as member:
                arrays[name] = np.load(member, allow_pickle=False)
    return header, arrays


def mutate(raw: bytes, whole: Whole, out: Path, rng: random.Random) -> None:
    """Write a mutated file."""
    if rng.random() < 0.3:
        out.write_bytes(_bytes(raw, rng))
        return
    from vicinal.storage import write_file

    header, arrays = copy.deepcopy(whole[0]), dict(whole[1])
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if rng.random() < 0.5:
            _change_state(header["state"], rng)
        else:
            name = rng.choice(list(arrays))
            arrays[name] = _array(arrays[name], rng)
    others = [header["kind"]] * 97 + ["Model", "VicinalRegressor", "x"]
    kind = rng.choice(others)
    write_file(out, kind, "0", header["state"], arrays)


def _bytes(raw: bytes, rng: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        # Headers and directories are few of the bytes and most of what is parsed.
        place = rng.randrange(len(changed))
        if rng.random() < 0.6:
            place = -rng.randrange(1, min(len(changed), 9000) + 1)
        what = rng.random()
        if what < 0.6:
            changed[place] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        elif what < 0.75:
            del changed[place : place + rng.choice([1, 4, 100, 10_000])]
        elif what < 0.9:
            changed[place:place] = rng.randbytes(rng.choice([1, 4, 100]))
        else:
            start = rng.randrange(len(changed))
            changed[place:place] = changed[start : start + rng.choice([4, 30, 46, 500])]
        if not changed:
            return b""
    return bytes(changed)


def _change_state(state: Any, rng: random.Random) -> None:
    """Put something else into some place of nested dicts and lists."""
    inner = state
    while True:
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = rng.choice(list(keys))
        deeper = isinstance(inner[key], dict | list) and len(inner[key])
        if deeper and rng.random() < 0.85:
            inner = inner[key]
            continue
        what = rng.random()
        if what < 0.15:
            del inner[key]
        elif what < 0.3 and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[key]))
        else:
            inner[key] = copy.deepcopy(rng.choice(WRONG))
        return


def _array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    changed = array.copy()
    what = rng.random()
    if what < 0.6 and changed.size:
        flat = changed.reshape(-1)
        for _ in range(rng.choice([1, 1, 3, 50])):
            place = rng.randrange(flat.size)
            if flat.dtype == np.float64:
                flat[place] = rng.choice(NUMBERS)
            elif flat.dtype == np.uint8:
                flat[place] = rng.randrange(256)
            else:
                flat[place] = rng.choice([0, -1, -2, 1, 7, 10**6, 2**62, -(2**62)])
        return changed
    if what < 0.7:
        return changed[: rng.randrange(len(changed) + 1)]
    if what < 0.8:
        return np.concatenate([changed, changed])
    if what < 0.9:
        return changed.astype(rng.choice([np.int64, np.uint8, np.float64]))
    return changed.reshape(-1) if what < 0.95 else np.ascontiguousarray(changed.T)


def predict_all(model: Any) -> None:
    """Predict every target that the file has, from what it was learned from."""
    from vicinal.prediction.predictor import learn

    fitted = model._ready()
    names = [feature.name for feature in fitted.schema.storage]
    for target, *context in fitted.learned:
        rows = fitted.rows(None, names[target], [names[column] for column in context])
        learn(fitted, names[target], rows.columns).answer(rows)


def try_one(path: Path, rng: random.Random) -> str:
    """Load the file and ask; say what came of it."""
    import vicinal
    from vicinal.exceptions import FileError, VicinalError

    mmap = rng.random() < 0.5
    try:
        loaded = vicinal.load(path, mmap=mmap)
    except FileError:
        return "refused"
    model = loaded if isinstance(loaded, vicinal.Model) else loaded.model_
    # Settings are the user's own; one that asks for much gets much.
    model.n_jobs, model.n_neighbors, model.max_queries = 1, 3, 20
    model.max_members, model.max_rounds = 2, 2
    row = model.index_.storage.values[:2]
    for ask in (
        lambda: model.neighbors(k=2, terms=True),
        lambda: model.conviction(familiarity=False),
        lambda: predict_all(model),
        lambda: (repr(model.log_), model.stale_, repr(model.schema_)),
        lambda: model.remove(model.index_.storage.numbers[:1]),
        lambda: model.index_.add(row),
        lambda: model.neighbors(k=2),
    ):
        try:
            with np.errstate(all="ignore"):
                ask()
        except (VicinalError, ValueError, ArithmeticError, LookupError):
            continue
    return "loaded"


def work(first: int, last: int, folder: Path) -> None:
    """Try inputs in this process; the number of each is written down before it is tried."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    given = seeds(folder)
    raws = [path.read_bytes() for path in given]
    wholes = [contents(path) for path in given]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    counts = {"refused": 0, "loaded": 0}
    os.fsync = lambda _: None  # nothing here need survive
    for number in range(first, last):
        print(number, file=sys.stderr, flush=True)
        rng = random.Random(number)
        which = rng.randrange(len(given))
        signal.alarm(SECONDS)  # its default is to end the process
        mutate(raws[which], wholes[which], folder / "mutated", rng)
        counts[try_one(folder / "mutated", rng)] += 1
        signal.alarm(0)
    print(json.dumps(counts))


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz_loader")
    options.add_argument("--inputs", type=int, default=100_000, help="how many (100000)")
    options.add_argument("--minutes", type=float, default=10.0, help="stop after so long (10)")
    options.add_argument("--first", type=int, default=0, help="number of the first input (0)")
    options.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args(arguments)
    if given.work:
        work(int(given.work[0]), int(given.work[1]), Path(given.work[2]))
        return 0
    end = time.monotonic() + 60 * given.minutes
    total, failures = {"refused": 0, "loaded": 0}, 0
    first, last = given.first, given.first + given.inputs
    while first < last and time.monotonic() < end:
        stop = min(first + BATCH, last)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.fuzz_loader", "--work"]
            command += [str(first), str(stop), folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            for name, count in json.loads(done.stdout).items():
                total[name] += count
            first = stop
            continue
        lines = done.stderr.splitlines()
        tried = [int(line) for line in lines if line.isdigit()]
        failures += 1
        print(f"input {tried[-1] if tried else first} ended with {done.returncode}:")
        print(*lines[-12:], sep="\n")
        first = (tried[-1] if tried else stop) + 1
        if failures >= 10:
            break
    tried = first - given.first
    print(
        f"{tried} inputs: {total['refused']} refused, {total['loaded']} loaded, {failures} failed"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
