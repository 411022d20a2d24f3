"""``vicinal completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from vicinal.cli import options as cli
from vicinal.exceptions import ParameterError

_SHELLS = ("bash", "zsh", "fish")


@cli.command("""
vicinal completion bash >> ~/.bashrc
vicinal completion zsh >> ~/.zshrc
vicinal completion fish > ~/.config/fish/completions/vicinal.fish
""")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets a shell complete commands and options."""
    found = get_completion_class(shell)
    if found is None:
        raise ParameterError(f"this version of click cannot complete in {shell}; install another.")
    root = context.find_root()
    click.echo(found(root.command, {}, "vicinal", "_VICINAL_COMPLETE").source())
