"""A command that answers requests, in a process of its own."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

COMMAND = [sys.executable, "-c", "from vicinal.cli import main; main()"]


@contextmanager
def serving(*arguments, **environment):
    """Start a command that serves, and yield the process and its address; it ends afterwards."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
    )
    try:
        said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
