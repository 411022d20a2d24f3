"""``vicinal serve``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.exceptions import ParameterError
from vicinal.table_files.compression import stem_of

if TYPE_CHECKING:
    from vicinal.explorer.http.settings import ServiceSettings
    from vicinal.explorer.served import ServedModel

#: The environment variable that holds the token.
TOKEN = "VICINAL_TOKEN"


@dataclass(frozen=True)
class ServiceOptions:
    """The values of `service_options`, which says what each means."""

    host: str
    port: int
    token_file: str | None
    allow_host: tuple[str, ...]
    max_body: int | None
    max_rows: int | None
    max_seconds: float | None
    max_running: int | None


#: Where the service listens, and what it refuses.
service_options = cli.as_one(
    "service",
    ServiceOptions,
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
    click.option(
        "--port",
        default=8765,
        show_default=True,
        type=click.IntRange(0, 65535),
        help="Port; 0 takes any that is free.",
    ),
    click.option(
        "--token-file",
        metavar="FILE",
        help=f"File with the token that requests must bring along; or set {TOKEN}.",
    ),
    cli.repeated("--allow-host", metavar="NAME", help="Another name of the service."),
    click.option(
        "--max-body", type=click.IntRange(1), metavar="MB", help="Largest body. [default: 32]"
    ),
    click.option(
        "--max-rows", type=click.IntRange(1), help="Most rows of a request. [default: 100000]"
    ),
    click.option(
        "--max-seconds", type=click.FloatRange(0.1), help="Longest answer. [default: 120]"
    ),
    click.option(
        "--max-running", type=click.IntRange(1), help="Requests at a time; by default as cores."
    ),
)


@cli.command("""
vicinal serve penguins.vicinal
vicinal serve penguins.vicinal loans.vicinal --port 8080
vicinal serve penguins.vicinal --writable
VICINAL_TOKEN=$(openssl rand -hex 24) vicinal serve penguins.vicinal --host 0.0.0.0
curl -s localhost:8765/v1/models
""")
@click.argument("paths", nargs=-1, required=True, metavar="MODEL…")
@click.option(
    "-t",
    "--target",
    help="Column to predict where a request names none; by default each model's own.",
)
@click.option("--writable", is_flag=True, help="Let requests add, change and remove cases.")
@click.option("--quiet", is_flag=True, help="Do not log each request.")
@click.option("--jobs", type=click.IntRange(1), help="Number of threads; by default all.")
@service_options
def serve(
    paths: tuple[str, ...],
    target: str | None,
    writable: bool,
    quiet: bool,
    jobs: int | None,
    service: ServiceOptions,
) -> None:
    """Answer questions about models over HTTP.

    Each MODEL is a file written by vicinal fit. Only this machine can connect, unless --host says
    otherwise, which needs a token. Changes are saved to the file before they are answered. /docs
    lists all requests; logs are lines of JSON on standard error.
    """
    require_serve()
    from vicinal.explorer.http.logs import log_to_stderr
    from vicinal.explorer.http.server import Server

    settings = service_settings(service)
    models = served_models(paths, target, settings, writable=writable, jobs=jobs)
    server = Server(models, settings)
    log_to_stderr(requests=not quiet)
    names = ", ".join(one.name for one in models)
    server.run(lambda: click.echo(f"Serving {names} at {server.address} (Ctrl-C stops)."))


def served_models(
    paths: tuple[str, ...],
    target: str | None,
    settings: ServiceSettings,
    *,
    writable: bool,
    jobs: int | None,
) -> list[ServedModel]:
    """Load the models, each under the name of its file."""
    from vicinal.cli.sources import load_model, target_or_own
    from vicinal.explorer.served import ServedModel, address_name

    names: dict[str, str] = {}
    models = []
    for path in paths:
        name = address_name(stem_of(path))
        if name in names:
            raise ParameterError(
                f"{names[name]} and {path} would both be called {name!r}; rename one of them."
            )
        names[name] = path
        model = load_model(path, jobs)
        here = target if len(paths) == 1 or target in model.schema_ else None
        models.append(
            ServedModel(
                model,
                name,
                title=Path(path).name,
                target=target_or_own(model, here),
                path=Path(path) if writable else None,
                writable=writable,
                limits=settings.limits,
            )
        )
    return models


def service_settings(service: ServiceOptions) -> ServiceSettings:
    """Return the settings of the service from its options."""
    from vicinal.explorer.http.settings import ServiceSettings
    from vicinal.explorer.limits import Limits

    most: dict[str, Any] = {
        "body_bytes": None if service.max_body is None else service.max_body * 2**20,
        "rows": service.max_rows,
        "seconds": service.max_seconds,
        "running": service.max_running,
    }
    token = os.environ.get(TOKEN) or None
    if service.token_file is not None:
        token = Path(service.token_file).read_text(encoding="utf-8").strip()
    return ServiceSettings(
        host=service.host,
        port=service.port,
        token=token,
        hosts=tuple(service.allow_host),
        limits=Limits(**{name: one for name, one in most.items() if one is not None}),
    )


def require_serve() -> None:
    """Say in one line how to get what the service needs."""
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"The service needs {error.name}; install it with: pip install vicinal[serve]"
        ) from error
