"""The command ``vicinal`` (extra ``cli``: it needs click).

A command has a file of its own: a thin parser, and the functions that it calls.

commands.py    the group, where commands are registered
fit.py         fit a table and save the model; info.py describes a model or a table
predict.py     predict block by block; explain.py, contributions.py, counterfactual.py and
               certify.py are about single predictions, neighbors.py about similar cases
anomalies.py   anomalies; density.py, synthesize.py; audit.py, impute.py, drift.py, reduce.py
report.py      the HTML report; demo.py the tour, with its text in demo_sections.py
explore.py     the explorer in the browser; serve.py questions over HTTP
completion.py  scripts for shells; man.py the manual page
options.py     the options that commands share, and errors in one line
output.py      where a result goes: the screen, JSON or a file
sources.py     the model that a command uses, and the rows to explain; engines.py: who searches it

What is heavy is imported inside of functions, so that ``vicinal --help`` is immediate.
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
