"""Requests made from the OpenAPI document by schemathesis: no 500, no hang, no other form.

``python -m benchmarks.service.fuzz`` starts a service of a writable model in a process of its own.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import vicinal
from benchmarks.service.load import COMMAND
from vicinal.data import load_penguins

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.service.fuzz", description=__doc__.splitlines()[0]
    )
    options.add_argument("--examples", type=int, default=15, help="of each route (15)")
    options.add_argument("--minutes", type=float, default=5.0, help="at most (5)")
    chosen = options.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "penguins.vicinal"
        vicinal.Model(max_queries=60).fit(load_penguins()).save(path)
        served = [*COMMAND, "serve", str(path), "-t", "species", "--writable", "--quiet"]
        process = subprocess.Popen([*served, "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, "the service did not start"
            done = subprocess.run(
                [
                    *(str(Path(sys.executable).parent / "st"), "run"),
                    f"{found[0]}v1/openapi.json",
                    *("-c", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"),
                    *("-n", str(chosen.examples), "--max-time", str(int(60 * chosen.minutes))),
                    *("--no-shrink", "--continue-on-failure", "--warnings", "off"),
                ],
                cwd=folder,
                check=False,
            )
        finally:
            process.terminate()
            process.wait(30)
        vicinal.load(path)  # whatever was asked, the file is whole
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
