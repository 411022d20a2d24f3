"""``vicinal man``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from vicinal import __version__
from vicinal.cli import options as cli

#: Paragraphs of help texts that click leaves as they are begin with this line.
_VERBATIM = "\b"


@cli.command("""
vicinal man | man -l -                                   read it
vicinal man > ~/.local/share/man/man1/vicinal.1          install it: man vicinal
""")
@click.pass_context
def man(context: click.Context) -> None:
    """Print the manual page, with all commands and options."""
    root = context.find_root()
    root.info_name = "vicinal"
    click.echo("\n".join(manual_page(root)))


def manual_page(root: click.Context) -> Iterator[str]:
    """Yield the lines of the manual page of a group of commands, in roff."""
    group = root.command
    assert isinstance(group, click.Group)
    name = root.info_name or ""
    yield f'.TH {_quoted(name.upper())} 1 "" {_quoted(f"{name} {__version__}")}'
    yield ".SH NAME"
    yield f"{name} \\- {_escaped(_summary(group))}"
    yield ".SH SYNOPSIS"
    yield f".B {name}"
    yield "COMMAND [OPTIONS] [ARGUMENTS]"
    yield ".SH DESCRIPTION"
    yield from _paragraphs(group.help or "")
    yield ".SH COMMANDS"
    for title in group.list_commands(root):
        command = group.get_command(root, title)
        if command is not None and not command.hidden:
            # Not the class alone: a command has settings, such as the names of its help.
            yield from _command(command.make_context(title, [], root, resilient_parsing=True))


def _command(context: click.Context) -> Iterator[str]:
    command = context.command
    yield f".SS {_quoted(context.command_path)}"
    yield ".nf"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"\\fB{_escaped(context.command_path)}\\fR {_escaped(usage)}"
    yield ".fi"
    yield from _paragraphs(command.help or "")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield ".TP"
            yield f".B {_escaped(record[0])}"
            yield _escaped(record[1])
    yield from _paragraphs(command.epilog or "")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs, those that begin with a mark line by line."""
    for paragraph in text.replace("\f", "").split("\n\n"):
        lines = [line.rstrip() for line in paragraph.strip("\n").splitlines()]
        if not lines:
            continue
        yield ".PP"
        if lines[0].strip() == _VERBATIM:
            yield ".nf"
            yield from (_escaped(line) for line in lines[1:])
            yield ".fi"
        else:
            yield _escaped(" ".join(line.strip() for line in lines))


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=200).rstrip(".")


def _escaped(text: str) -> str:
    """Return text in which roff sees no request, escape or hyphenation."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _quoted(text: str) -> str:
    return '"' + _escaped(text).replace('"', "\\(dq") + '"'
