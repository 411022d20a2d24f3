"""List the licenses of everything that ``vicinal[all]`` installs.

    python packaging/licenses.py > docs/licenses.md

Reads the metadata of the packages that are installed where it runs, and names those that are not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = """---
orphan: true
---

# Licenses of dependencies

Vicinal is under the BSD-3-Clause license. Its native module contains nanobind (BSD-3-Clause) and
the hash table that nanobind uses, robin-map (MIT); the page of the explorer contains Svelte (MIT).
The packages below are installed beside it, under their own terms.
`python packaging/licenses.py > docs/licenses.md` makes this page.
"""
#: What packages state in place of a short name.
SHORT = {
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def main() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    core = installed_with(project["dependencies"])
    extras = project["optional-dependencies"]
    more = installed_with(_of_extras("all", extras))
    more = {name: one for name, one in more.items() if name not in core}
    print(f"{PAGE}\n## Required\n\n{_table(core)}\n\n## With `vicinal[all]`\n\n{_table(more)}")
    absent = [name for name, one in (core | more).items() if one is None]
    if absent:
        print(f"\nNot installed where this list was made: {', '.join(absent)}.")


def _of_extras(name: str, extras: dict[str, list[str]]) -> list[str]:
    """The requirements of an extra, with those of the extras that it names."""
    found = []
    for text in extras[name]:
        one = Requirement(text)
        named = (
            [_of_extras(extra, extras) for extra in one.extras] if one.name == "vicinal" else []
        )
        found += [inner for some in named for inner in some] if named else [text]
    return found


def installed_with(requirements: Iterable[str]) -> dict[str, Distribution | None]:
    """All packages that requirements bring, by name; None for those that are not here."""
    found: dict[str, Distribution | None] = {}
    waiting = [(Requirement(text), [""]) for text in requirements]
    for one, extras in waiting:
        name = canonicalize_name(one.name)
        if one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        try:
            known = distribution(name)
        except PackageNotFoundError:
            found[name] = None
            continue
        if name not in found or one.extras:
            found[name] = known
            asked = ["", *sorted(one.extras)]
            waiting += [(Requirement(text), asked) for text in known.requires or []]
    return dict(sorted(found.items()))


def _license(known: Distribution) -> str:
    """The short name of a license, from whichever field has one."""
    get = known.metadata.get_all
    classifiers = [text.split(" :: ") for text in get("Classifier") or []]
    named = [parts[-1] for parts in classifiers if parts[0] == "License" and len(parts) > 2]
    stated = [text.strip().splitlines()[0] for text in get("License") or [] if text.strip()]
    found = [*(get("License-Expression") or []), *named, *stated, "not stated"]
    return SHORT.get(found[0], found[0])


def _table(found: dict[str, Distribution | None]) -> str:
    rows = [f"| {name} | {_license(one)} |" for name, one in found.items() if one is not None]
    return "\n".join(["| package | license |", "|:--|:--|", *rows])


if __name__ == "__main__":
    main()
