"""A headless Chromium, spoken to through its command line and its log."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOUND = next((path for path in map(shutil.which, NAMES) if path), None)

needs_chromium = pytest.mark.skipif(
    FOUND is None,
    reason=f"no Chromium ({', '.join(NAMES)}); Debian: apt-get install chromium",
)


def run(page, *options, seconds=90):
    """Open a page; give what the browser prints and logs, its own housekeeping left out."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                FOUND,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--hide-scrollbars",
                "--enable-logging=stderr",
                f"--user-data-dir={profile}",
                *options,
                Path(page).resolve().as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
    return done.stdout, done.stderr


def document(page, width=1200):
    """The page as it is after its script has run, and what went to the console."""
    options = ["--dump-dom", "--virtual-time-budget=3000", f"--window-size={width},900"]
    out, log = run(page, *options)
    return out, re.findall(r"CONSOLE[:(].*", log)


def screenshot(page, picture, width=1200, height=3000, *, dark=False):
    """A picture of the top of the page."""
    options = [f"--window-size={width},{height}", f"--screenshot={picture}"]
    if dark:
        options.append("--blink-settings=preferredColorScheme=0")
    run(page, *options)
    return Path(picture)
