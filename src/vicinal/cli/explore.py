"""``vicinal explore``."""

from __future__ import annotations

from pathlib import Path

import click

from vicinal.cli import options as cli
from vicinal.cli.serve import ServiceOptions, require_serve, service_options, service_settings
from vicinal.table_files.compression import stem_of


@cli.command("""
vicinal explore penguins.csv --target species
vicinal explore penguins.vicinal -t body_mass_g
vicinal explore                                   the penguins that ship with Vicinal
vicinal explore penguins.csv -t species --no-browser --port 8080
""")
@click.argument("source", required=False, metavar="[MODEL]")
@click.option("-t", "--target", help=f"Column to predict. {cli.FITTED_FOR}")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@service_options
@cli.model_options
def explore(
    source: str | None,
    target: str | None,
    no_browser: bool,
    service: ServiceOptions,
    options: cli.Options,
) -> None:
    """Explore a table or a model in the browser.

    Look at predictions, similar cases, anomalies and the quality of data; change values and see
    what happens. Everything stays on this machine. MODEL is a model file or a table; without one,
    a small table of penguins is shown.
    """
    require_serve()
    from vicinal.cli.sources import fit_or_load, target_or_own
    from vicinal.explorer.http.server import Server
    from vicinal.explorer.served import ServedModel, address_name

    settings = service_settings(service)
    path = source if source is not None else options.data
    if path is None:
        path, target = _penguins(), "species" if target is None else target
    model, _ = fit_or_load(path, options)
    title = "table" if path == "-" else Path(path).name
    served = ServedModel(
        model,
        address_name(stem_of(title)),
        title=title,
        target=target_or_own(model, target),
        limits=settings.limits,
    )
    server = Server([served], settings)

    def opened() -> None:
        click.echo(f"Exploring {title} at {server.url} (Ctrl-C stops).")
        if not no_browser:
            import webbrowser

            webbrowser.open(server.url)

    server.run(opened)


def _penguins() -> str:
    from importlib.resources import files

    return str(files("vicinal.data") / "penguins.csv")
