"""A CSV file of results that an interrupted benchmark can go on from."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path


class Records:
    """Lines appended one at a time, each in a single write that reaches the disk.

    A last line that was cut off by a crash is removed on opening.

    Parameters
    ----------
    path
        The file; it is made, with its header, by the first :meth:`append`.
    columns
        The header. A file with another one is refused.
    key
        The columns that name a job.
    """

    def __init__(self, path: Path, columns: Sequence[str], key: Sequence[str]) -> None:
        self.path, self.columns, self.key = path, tuple(columns), tuple(key)
        if path.exists():
            _drop_cut_line(path)
        self.rows = self._read()

    def _read(self) -> dict[tuple[str, ...], dict[str, str]]:
        if not self.path.exists() or self.path.stat().st_size == 0:
            return {}
        with self.path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != self.columns:
                raise SystemExit(
                    f"{self.path} has the columns {', '.join(reader.fieldnames or ())}; "
                    f"expected {', '.join(self.columns)}: choose another --out"
                )
            return {tuple(row[k] for k in self.key): row for row in reader}

    def __contains__(self, key: Sequence[object]) -> bool:
        return tuple(map(str, key)) in self.rows

    def get(self, key: Sequence[object]) -> dict[str, str] | None:
        """The line of a job, if there is one."""
        return self.rows.get(tuple(map(str, key)))

    def append(self, row: Mapping[str, object]) -> None:
        """Write one line; a later line of a job replaces the earlier one."""
        text = {column: _text(row.get(column, "")) for column in self.columns}
        self.rows[tuple(text[k] for k in self.key)] = text
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = io.StringIO()
        writer = csv.DictWriter(line, self.columns, lineterminator="\n")
        if not self.path.exists() or self.path.stat().st_size == 0:
            writer.writeheader()
        writer.writerow(text)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.getvalue().encode())
            os.fsync(handle)
        finally:
            os.close(handle)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(str(value).split())


def _drop_cut_line(path: Path) -> None:
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)
