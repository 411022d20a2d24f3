"""The command ``vicinal`` (extra ``cli``: it needs click).

A command is a pure function that returns text, and a thin parser over it:

demo.py      the report of ``vicinal demo``; answers.py its second half, pictures.py its plots
layout.py    columns of plain text
commands.py  the parser; the only file that imports click

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
