"""``vicinal reduce``."""

from __future__ import annotations

import click

from vicinal.cli import options as cli
from vicinal.cli.output import check_file, default_path, say
from vicinal.table_files.formats import MODEL_SUFFIX


@cli.command("""
vicinal reduce penguins.vicinal --share 0.25             writes penguins.reduced.vicinal
vicinal reduce penguins.csv --target species --max-loss 0.02 -o small.vicinal
vicinal reduce penguins.vicinal --cases 100 -o small.vicinal --json
""")
@click.argument("source", required=False, metavar="MODEL")
@click.option(
    "-o", "--output", metavar="FILE", help="Model file to write; by default NAME.reduced.vicinal."
)
@click.option("--share", type=cli.SHARE, help="Share of the cases to keep.")
@click.option("--cases", type=click.IntRange(1), help="Instead: number of cases to keep.")
@click.option(
    "--max-loss",
    type=click.FloatRange(0),
    help="Instead: keep about as few cases as raise the loss by no more than this.",
)
@click.option("-t", "--target", help="Column to predict; without one, all features count.")
@cli.model_options
@cli.json_option
def reduce(
    source: str | None,
    output: str | None,
    share: float | None,
    cases: int | None,
    max_loss: float | None,
    target: str | None,
    as_json: bool,
    options: cli.Options,
) -> None:
    """Build a smaller model whose cases represent the others, at a stated loss.

    The loss is measured on held-out cases: the log loss in nats, or for numbers the root mean
    squared error relative to the standard deviation.
    """
    from vicinal.cli.sources import fit_or_load, split_paths

    if (share is not None) + (cases is not None) + (max_loss is not None) != 1:
        raise click.UsageError("Expected one of --share, --cases and --max-loss: what to keep.")
    path, _ = split_paths(source, options)
    output = default_path(path, f".reduced{MODEL_SUFFIX}") if output is None else output
    check_file(output, "a model")
    model, _ = fit_or_load(path, options)
    found = model.reduce(share=share, n_cases=cases, max_loss=max_loss, target=target)
    found.model.save(output)
    result = {"output": output, "loss": found.loss, **found.to_dict()}
    say(as_json, result, lambda: f"{found!r}\nWrote {output}.")
