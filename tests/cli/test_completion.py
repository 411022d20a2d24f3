"""``vicinal completion``."""

import os
import subprocess
import sys

import pytest

from tests.cli.running import done, refused


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_the_command_what_fits(shell):
    text = done("completion", shell)
    assert "_VICINAL_COMPLETE" in text
    assert f"{shell}_complete" in text


def test_the_command_answers_the_script():
    words = {"_VICINAL_COMPLETE": "bash_complete", "COMP_WORDS": "vicinal pred", "COMP_CWORD": "1"}
    run = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'vicinal'; from vicinal.cli import main; main()",
    ]
    found = subprocess.run(
        run, env={**os.environ, **words}, capture_output=True, text=True, check=True
    )
    assert found.stdout == "plain,predict\n"


def test_other_shells_are_refused():
    assert "'tcsh'" in refused("completion", "tcsh", code=2)
