"""Log every request, and other events, as one line of JSON each."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

logger = logging.getLogger("vicinal.service")


class JsonFormatter(logging.Formatter):
    r"""Writes a record as one line of JSON; ASCII alone, so that no value can break the line.

    Examples
    --------
    >>> import json, logging
    >>> from vicinal.explorer.http.logs import JsonFormatter
    >>> record = logging.makeLogRecord({"msg": "two\nlines", "fields": {"status": 200}})
    >>> said = json.loads(JsonFormatter().format(record))
    >>> said["message"], said["status"]
    ('two\nlines', 200)
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry: dict[str, Any] = {
            "time": when.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


def log_to_stderr(*, requests: bool = True) -> None:
    """Log in this form to standard error; with `requests`, a line for each of them."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name in ("vicinal.service", "vicinal.explorer", "uvicorn.error"):
        one = logging.getLogger(name)
        one.handlers, one.propagate = [handler], False
        one.setLevel(logging.INFO if requests and name == "vicinal.service" else logging.WARNING)
