"""The help of every command, appended to the page on the command line, so that it is never old."""

from typing import Any

PAGE = "command-line"


def command_help() -> str:
    """Markdown: a section for each command, with what ``--help`` prints."""
    import click

    from vicinal.cli.commands import vicinal

    context = click.Context(vicinal, info_name="vicinal")
    parts = []
    for name in vicinal.list_commands(context):
        command = vicinal.get_command(context, name)
        assert command is not None
        child = click.Context(command, info_name=name, parent=context, max_content_width=88)
        parts.append(f"### vicinal {name}\n\n```text\n{command.get_help(child)}\n```\n")
    return "\n".join(parts)


def _append(app: Any, page: str, source: list[str]) -> None:
    if page == PAGE:
        source[0] += "\n" + command_help()


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _append)
    return {"parallel_read_safe": True}
