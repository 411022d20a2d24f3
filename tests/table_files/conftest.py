"""The files of the tests of the command line, which these tests read and write, too."""

from tests.cli.conftest import folder, model, odd, odd_model, wrong

__all__ = ["folder", "model", "odd", "odd_model", "wrong"]
