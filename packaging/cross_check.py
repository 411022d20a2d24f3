"""Compile the native module for other platforms, as `make cross-check` does.

Zig brings a Clang with the headers of all of them (``pip install ziglang``): musl, ARM, macOS and
Windows, with all warnings as errors. All but Windows are linked, too; there an import library of
Python would be needed. The headers of Python are those of the interpreter that runs this, but for
the file that describes its platform.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nanobind

ROOT = Path(__file__).parents[1]
TARGETS = (
    "x86_64-linux-musl",
    "aarch64-linux-gnu",
    "aarch64-linux-musl",
    "aarch64-macos",
    "x86_64-macos",
    "x86_64-windows-gnu",
)
#: As in CMakeLists.txt. The kernels' vectors stay within one file, whatever the ABI says of them.
FLAGS = (
    *("-std=c++20", "-O2", "-fPIC"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
    *("-Wall", "-Wextra", "-Werror", "-Wno-psabi"),
)
#: What Python's own pyconfig.h of Windows says, as far as its headers ask.
WINDOWS = """
#define MS_WIN64
#define MS_WINDOWS
#define NT_THREADS
#define HAVE_PY_SSIZE_T 1
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX 0x7fffffffffffffffLL
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_OFF_T 4
#define ALIGNOF_MAX_ALIGN_T 8
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_DECLSPEC_DLL
"""


def main() -> None:
    made = argparse.ArgumentParser(prog="make cross-check", description=__doc__)
    made.add_argument("--targets", nargs="+", default=TARGETS, metavar="TARGET")
    made.add_argument("--jobs", type=int, default=2)
    made.add_argument("--out", type=Path, help="keep the modules here")
    options = made.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for target in options.targets:
            place = (options.out or Path(folder)) / target
            place.mkdir(parents=True, exist_ok=True)
            compile_for(target, place, options.jobs)


def compile_for(target: str, place: Path, jobs: int) -> None:
    """Compile every file for a target, and link them where that needs no library of Python."""
    beside = Path(nanobind.include_dir()).parent
    headers = _headers(target, place)
    include = [ROOT / "native", headers, nanobind.include_dir(), beside / "ext/robin_map/include"]
    wide = ["-DVICINAL_HAVE_AVX2"] if target.startswith("x86_64") else []
    sources = [
        path
        for path in sorted((ROOT / "native").glob("*.cpp"))
        if wide or not path.stem.startswith("kernels_avx")
    ]

    def compiled(source: Path) -> Path:
        out = place / f"{source.stem}.o"
        flags = [*FLAGS, *wide, "-I", include[0], *_each("-isystem", include[1:])]
        _zig(target, *flags, "-c", source, "-o", out)
        return out

    with ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compiled, [*sources, beside / "src" / "nb_combined.cpp"]))
    if "windows" in target:
        print(f"{target:20} compiled", flush=True)
        return
    undefined = ["-Wl,-undefined,dynamic_lookup"] if "macos" in target else ["-Wl,-z,undefs"]
    module = place / "_native.so"
    _zig(target, "-shared", *undefined, *objects, "-o", module)
    print(f"{target:20} compiled and linked, {module.stat().st_size:,} bytes", flush=True)


def _headers(target: str, place: Path) -> Path:
    """Return Python's headers, for Windows with a description of that platform."""
    here = Path(sysconfig.get_path("include"))
    if "windows" not in target:
        return here
    copy = place / "include"
    shutil.copytree(here, copy, dirs_exist_ok=True)
    (copy / "pyconfig.h").write_text(f"#pragma once\n{WINDOWS}", encoding="utf-8")
    return copy


def _zig(target: str, *words: object) -> None:
    command = [sys.executable, "-m", "ziglang", "c++", "-target", target, *map(str, words)]
    subprocess.run(command, check=True)


def _each(option: str, values: list[Path]) -> list[object]:
    return [word for value in values for word in (option, value)]


if __name__ == "__main__":
    main()
