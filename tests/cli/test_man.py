"""The manual page: every command and option, in roff that no line can break."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest

from tests.cli.running import done
from vicinal.cli.commands import vicinal
from vicinal.cli.man import manual_page


@pytest.fixture(scope="module")
def page():
    return "\n".join(manual_page(vicinal.make_context("vicinal", [], resilient_parsing=True)))


def test_the_page_describes_every_command_and_option(page):
    plain = page.replace("\\-", "-")
    for name, command in vicinal.commands.items():
        assert f'.SS "vicinal {name}"' in plain
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.opts[-1] in plain


def test_only_known_requests_begin_a_line(page):
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi"}
    assert {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))} == known


def test_text_that_looks_like_a_request_is_text():
    @click.group()
    def group():
        """Do it."""

    @group.command()
    def one():
        """.so /etc/passwd is a\\name"""

    page = list(manual_page(group.make_context("group", [], resilient_parsing=True)))
    assert "\\&.so /etc/passwd is a\\ename" in page


def test_the_command_prints_it(page):
    assert re.sub(r"\s", "", done("man")) == re.sub(r"\s", "", page)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_nothing_to_warn_about(page):
    command = ["groff", "-man", "-Tutf8", "-ww", "-Kutf8"]
    found = subprocess.run(
        command, input=page, capture_output=True, check=False, encoding="utf-8", timeout=30
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "penguins.reduced.vicinal" in found.stdout
