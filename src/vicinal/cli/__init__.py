"""The command ``vicinal`` (extra ``cli``: it needs click).

A command is a pure function of a table or a model, and a thin parser over it:

commands.py    the group: where commands are registered
fitting.py     fit, info
predicting.py  predict, block by block
asking.py      explain, counterfactual
caring.py      anomalies, audit, impute, drift
report.py      report
demo.py        the report of ``vicinal demo``; answers.py its second half, pictures.py its plots
options.py     what commands share: options, errors in one line, JSON
sources.py     a model from a file, or fitted to a table
io             tables in files: reading and writing them
terminal.py    tables for the screen; layout.py columns of plain text

click is imported by the files of commands only, and what is heavy inside of them.
Nothing imports this package: it is the top of the layers.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; without click, say in one line how to get it."""
    try:
        import click  # noqa: F401
    except ModuleNotFoundError:
        sys.exit(
            "vicinal: the command line needs click; install it with: pip install vicinal[cli]"
        )
    from vicinal.cli.commands import vicinal

    vicinal()
