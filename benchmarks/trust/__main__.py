"""Check on real tables what answers promise.

    python -m benchmarks.trust --data DIR [--parts coverage,anomalies] [--tables 12] [--quick]

Each part is a module of this package with a function ``run(options)``, which prints one Markdown
table. Every table tells what was measured and what was promised, and counts what fails. The exit
status is 1 if anything did.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
from collections.abc import Sequence
from pathlib import Path

import benchmarks.trust


def parts() -> list[str]:
    """The names of all parts."""
    found = (module.name for module in pkgutil.iter_modules(benchmarks.trust.__path__))
    return [name for name in found if not name.startswith("_") and name != "real_tables"]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    unknown = set(options.parts) - set(parts())
    if unknown:
        raise SystemExit(f"There is no part {unknown.pop()!r}; choose from {', '.join(parts())}.")
    failures = 0
    for name in options.parts:
        print(f"\n## {name.replace('_', ' ').capitalize()}\n", flush=True)
        failures += importlib.import_module(f"benchmarks.trust.{name}").run(options)
    if failures:
        raise SystemExit(f"{failures} of the promises did not hold.")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.trust", description=__doc__.split("\n\n")[0])
    data = os.environ.get("VICINAL_DATA")
    parser.add_argument("--data", type=Path, default=data and Path(data), required=not data)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=parts())
    parser.add_argument("--tables", type=int, default=12, help="number of real tables")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, to try it out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
